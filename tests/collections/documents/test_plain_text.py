"""Words out of markup: two engines, one answer."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.collections.documents.readers.uspto import BLANK, ENTRY, LINE, Layout, read_words
from leadline.text.engine import COMPILING_PAYS, Engine

LAYOUT = Layout({"p": LINE, "description-of-drawings": LINE, "td": BLANK, "claim": ENTRY, "description-of": ENTRY})
NAMES = ["p", "td", "claim", "b", "sub", "pq", "description-of-drawings", "description-of", "description"]

REFERENCES = ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#x3bc;", "&#955;", "&#x1F600;", "&#32;", "&#xA;", "&#9;"]
TEXTS = st.lists(st.sampled_from([*"a 1\t\n\r>'\"é\u2003μ😀", *REFERENCES]), max_size=6).map("".join)
HIDDEN = ["<!-- <p>no</p> - -->", "<?page <claim> ?>", "<![CDATA[ a<b></p>&c ]] > ]]>", "<![CDATA[]]>"]
OTHERS = st.sampled_from([*HIDDEN, "<p/>", "<claim />", "<td/>"])
ATTRIBUTES = st.sampled_from(["", " id='>'", ' id="/p>" num = "1"', "\n", " a='\"'"])


def element(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda name, attributes, content, space: f"<{name}{attributes}>{content}</{name}{space}>",
        st.sampled_from(NAMES),
        ATTRIBUTES,
        inside,
        st.sampled_from(["", " ", "\n"]),
    )


MARKUP = st.recursive(TEXTS | OTHERS, lambda inside: element(st.lists(inside, max_size=4).map("".join)), max_leaves=12)


@settings(deadline=None)
@given(st.lists(MARKUP, max_size=4).map("".join), st.integers(1, 9))
def test_both_engines_give_the_same_words(markup: str, times: int) -> None:
    markup *= times  # so that it is longer than what the kernel takes at once
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADLINE_ENGINE", "compiled")
        compiled = read_words(markup.encode(), LAYOUT)
        patch.setenv("LEADLINE_ENGINE", "plain")
        assert read_words(markup.encode(), LAYOUT) == compiled
    assert not any("  " in text or text != text.strip(" \n") for text in compiled)


@settings(deadline=None)
@given(st.binary(max_size=60) | st.lists(MARKUP, max_size=2).map("".join).map(lambda text: text.encode()[:-3]))
def test_the_kernel_survives_what_is_not_markup(content: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch, suppress(UnicodeDecodeError):
        patch.setenv("LEADLINE_ENGINE", "compiled")
        read_words(content, LAYOUT)


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_only_the_extents_are_read(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    markup = b"<claim>one</claim><b>not this</b><claim>two</claim>"
    assert read_words(markup, LAYOUT, [(0, 18), (33, len(markup))]) == ["one", "two", ""]
    assert read_words(markup, LAYOUT, [(0, 0), (33, 33)]) == [""]


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_words_lines_and_entries(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    markup = "<claim>\n <p>x<sub>2</sub> +\n  y</p><p> </p><p>a<td>1</td><td>2</td></p></claim><claim/>  5 &#956;m"
    assert read_words(markup.encode(), LAYOUT) == ["x2 + y\na 1 2", "", "5 μm"]
    assert read_words(b"", LAYOUT) == [""]
    assert read_words(b"<claim>x</claim>" * 5000, LAYOUT) == ["x"] * 5000 + [""]


def test_a_small_job_does_not_wait_for_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEADLINE_ENGINE", raising=False)
    engine = Engine("leadline.collections.documents.kernels")
    assert not engine.pays(1000)
    assert engine.pays(COMPILING_PAYS)
