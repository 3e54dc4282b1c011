"""Whether a document is sound: the kernel never says so where a parser would not."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.conftest import examples

from leadline.collections.documents.readers.uspto import check, outline
from leadline.collections.documents.registry import parse

SOUND = """<?a?><us-patent id="x" num='1>'><data><p>5 &#x3bc;m &#956; &lt;&gt;&amp;&quot;&apos; ]] ></p><q/><p b="&amp;"
>two</p ></data><?page <b> ?><description><b>x<i/>y</b>é</description
><claims/><description>again</description></us-patent>
"""
PIECES = [
    *"<>/&;#=\"'x1 \n-.:?![]é",
    *("<b>", "</b>", "<b", "/>", "&#", "&#x", "&lt", "&nbsp;", "]]>", "<!--", "-->", "<![CDATA[", "<?xml ?>", "<?b"),
    *(' id="2"', " xmlns='a'", " x:y=''", "<é>", "\x01", "\uffff", "&#0;", "&#xFFFE;", "&#x110000;", "&#55296;", "<1>"),
]


@pytest.fixture(autouse=True)
def _with_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")


def test_extents_of_children_and_of_the_first_childs_children() -> None:
    content = SOUND.encode()
    found = outline(content)
    assert found is not None
    children, grandchildren = ({name: content[slice(*extent)] for name, extent in level.items()} for level in found)
    assert [*children] == [b"data", b"description", b"claims"]
    assert children[b"description"] == "<description><b>x<i/>y</b>é</description\n>".encode()
    assert children[b"claims"] == b"<claims/>"
    assert [*grandchildren] == [b"p", b"q"]
    assert grandchildren[b"q"] == b"<q/>"
    assert grandchildren[b"p"].startswith(b"<p>5 ")
    parse(content)


Edits = list[tuple[int, int, str]]


@settings(deadline=None, max_examples=examples(1500))
@given(
    st.lists(st.tuples(st.integers(0, len(SOUND)), st.integers(0, 3), st.sampled_from(PIECES)), min_size=1, max_size=2)
)
@example([(0, 0, "<!DOCTYPE a [<!ENTITY b 'c'>]>")])
@example([(0, len(SOUND), "")])
@example([(len(SOUND), 0, "x")])
def test_what_the_kernel_calls_sound_the_parser_reads(edits: Edits) -> None:
    text = SOUND
    for place, length, piece in edits:
        text = text[:place] + piece + text[place + length :]
    content = text.encode()
    try:
        found = outline(content)
    except ValueError:  # letters beyond ASCII were looked at by the parser
        found = None
    if found is None:
        return
    root = parse(content)
    assert [name.decode() for name in found[0]] == [*dict.fromkeys(child.tag for child in root)]
    assert [name.decode() for name in found[1]] == [*dict.fromkeys(child.tag for child in root[0])] if len(root) else []


@settings(deadline=None)
@given(st.binary(max_size=80))
def test_the_kernel_survives_anything(content: bytes) -> None:
    assert outline(b"<a>" + content[:1]) is None
    outline(content)


@pytest.mark.parametrize("depth", [150, 250])
def test_what_is_too_deep_is_left_to_the_parser(depth: int) -> None:
    assert (outline(b"<a>" * depth + b"</a>" * depth) is None) == (depth > 200)


def test_what_has_too_many_parts_is_left_to_the_parser() -> None:
    assert outline(b"<a>" + b"<b/>" * 4096 + b"</a>") is not None
    assert outline(b"<a>" + b"<b/>" * 4097 + b"</a>") is None
    many = " ".join(f"a{k}='1'" for k in range(51))
    assert outline(f"<a {many}/>".encode()) is None


def test_a_small_job_is_left_to_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "plain")
    assert outline(SOUND.encode()) is None


BROKEN = [
    b"<a><b></a></b>",
    b"<a>&nbsp;</a>",
    b"<a>\xff</a>",
    b"<a",
    b"",
    b"<a/><a/>",
    b"<a b=1/>",
    b"<a>\1</a>",
    b"<a b='' b=''/>",
]


@pytest.mark.parametrize("content", BROKEN)
def test_what_is_broken_is_found_out(content: bytes) -> None:
    for _ in range(2):  # the parser recovers from what it met
        with pytest.raises(ValueError, match=r"."):
            check(content)
    assert check(b"<a/>") is None  # type: ignore[func-returns-value]
    if content.isascii():
        assert outline(content) is None
    else:
        with pytest.raises(ValueError, match=r"Invalid bytes|not proper UTF-8"):
            outline(content)
