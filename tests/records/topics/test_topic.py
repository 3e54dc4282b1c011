"""Topic files as tracks have written them, and as we write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import InputError
from leadline.records.inputs import read_topics
from leadline.records.topics import MARKUP, Subtopic, Topic, Topics, encoded_as
from leadline.trust.by_topic import read_attributes

SURVEY = """<?xml version="1.0" encoding="UTF-8"?>
<!-- invented after the kinds of need in the overview of TREC-CHEM 2009 -->
<topics>
<topic>
  <number>TS-1</number>
  <title>Colour baths for silver halide</title>
  <narrative>All documents after 1997 on H<sub>2</sub>O &amp; hydroxylamine (pH &lt; 7)
  in colour baths.</narrative>
  <category>inorganic</category>
</topic>
<topic><number>TS-2</number><title>Guggulsterone or RN:95975-55-6</title><narrative/><category>organic</category>
</topic>
</topics>
"""

CLASSIC = """<top>
<head> Tipster Topic Description
<num> Number: 401
<dom> Domain: Chemistry
<title> Topic: foreign inks,  Germany

<desc> Description:
What inks bind x < y and
z > w?

<narr> Narrative:
Relevant documents <will> name: an ink.
</top>

<top>
<num> Number: 402 \n<title> behavioral inks
</top>
"""

PRIOR_ART_2009 = """<topic><num>EP1234567</num>
<narr>Find all patents that invalidate EP1234567.</narr><file>EP-1234567-A1.xml</file></topic>"""
PRIOR_ART_2011 = """<topic><tid>PAC-1001</tid><tfile>PAC-1001_EP-1233455-A1.xml</tfile></topic>"""
PRIOR_ART_CHEM = """<TOPICS><TOPIC><NUMBER>PA-1</NUMBER><PATENT>US-6245793-B1</PATENT></TOPIC></TOPICS>"""
WEB = """<webtrack2012><topic number="151" type="ambiguous"><query>403b</query>
<description>What is a 403b plan?</description>
<subtopic number="1" type="inf">What is it?</subtopic><subtopic number="2" type="nav">Who is eligible?</subtopic>
</topic></webtrack2012>"""


def read(tmp_path: Path, content: str | bytes, name: str = "topics.txt") -> Topics:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Topics.read(path)


def test_technical_survey(tmp_path: Path) -> None:
    first, second = read(tmp_path, SURVEY)
    assert first == Topic(
        "TS-1", "Colour baths for silver halide", "",
        "All documents after 1997 on H2O & hydroxylamine (pH < 7) in colour baths.", "inorganic",
    )  # fmt: skip
    assert (second.id, second.title, second.narrative) == ("TS-2", "Guggulsterone or RN:95975-55-6", "")


def test_classic_without_closing_tags(tmp_path: Path) -> None:
    first, second = read(tmp_path, CLASSIC)
    assert (first.id, first.title) == ("401", "foreign inks, Germany")
    assert first.description == "What inks bind x < y and z > w?"
    assert first.narrative == "Relevant documents name: an ink."
    assert first.attributes == {"head": "Tipster Topic Description", "domain": "Chemistry"}
    assert second == Topic("402", "behavioral inks")


@pytest.mark.parametrize(
    ("content", "topic", "patent"),
    [
        (PRIOR_ART_2009, "EP1234567", "EP-1234567-A1"),
        (PRIOR_ART_2011, "PAC-1001", "EP-1233455-A1"),
        (PRIOR_ART_CHEM, "PA-1", "US-6245793-B1"),
    ],
)
def test_prior_art(tmp_path: Path, content: str, topic: str, patent: str) -> None:
    (only,) = read(tmp_path, content)
    assert (only.id, only.patent) == (topic, patent)


def test_subtopics(tmp_path: Path) -> None:
    (only,) = read(tmp_path, WEB)
    assert (only.id, only.title, only.attributes) == ("151", "403b", {"type": "ambiguous"})
    assert only.subtopics == (Subtopic("1", "What is it?"), Subtopic("2", "Who is eligible?"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "# two topics\nEP1\n\nUS2  An ink\n"),
        ("a.tsv", "EP1\t\nUS2\tAn ink\n"),
        ("a.tsv", "topic\ttitle\nEP1\t\nUS2\tAn ink\n"),
        ("a.csv", 'qid,title\nEP1,\nUS2,"An ink"\n'),
        ("a.csv", "title,number\n,EP1\nAn ink,US2\n"),
        ("a.jsonl", '{"topic": "EP1"}\n{"topic": "US2", "title": "An ink"}\n'),
        ("a.json", '[{"id": "EP1", "title": ""}, {"id": "US2", "title": "An ink"}]'),
        ("a.xml", "<topics><topic><num>EP1</num></topic><topic number='US2'><title>An ink</title></topic></topics>"),
    ],
)
def test_lists_and_tables(tmp_path: Path, name: str, content: str) -> None:
    topics = read(tmp_path, content, name)
    assert topics.items == (Topic("EP1"), Topic("US2", "An ink"))
    assert read_topics(tmp_path / name) == ["EP1", "US2"]


def test_what_a_damaged_table_gives_is_the_same_as_markup(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 beside characters that are: the characters stay."""
    table = tmp_path / "topics.tsv"
    table.write_bytes("1\ta film\nt\U0001f600\tva".encode() + b"\xfe\xffves\n")
    topics = Topics.read(table)
    topics.write(tmp_path / "topics.xml")
    assert Topics.read(tmp_path / "topics.xml").ids == topics.ids == ("1", "t\U0001f600")


def test_the_label_of_a_number_behind_another_tag(tmp_path: Path) -> None:
    path = tmp_path / "topics.trec"
    path.write_text("<top>\n<num><num> Number: 301\n<title> film\n</top>\n")
    assert Topics.read(path).ids == ("301",)


def test_old_files_are_latin_1(tmp_path: Path) -> None:
    declared = b"<?xml version='1.0' encoding='ISO-8859-1'?><topic><num>1</num><EN-title>Caf\xe9</EN-title></topic>"
    assert read(tmp_path, declared)[0].title == "Café"
    assert read(tmp_path, declared.partition(b"?>")[2])[0].title == "Café"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<topic><num>1</num></topic>\n<topic><num>1</num></topic>", ":2: topic 1 is given twice, first in line 1"),
        ("<topics>\n<topic><title>ink</title></topic></topics>", ":2: a topic without a number"),
        ("<patent-document/>", "no <topic> or <top>"),
        ("EP1\nUS2\nEP1\n", ":3: topic EP1 is given twice, first in line 1"),
        ("topic,title\n", "has a header and nothing under it"),
        ("topic,title\n,ink\n", ":2: topic is missing"),
        ("# nothing\n", "is empty"),
    ],
)
def test_wrong_files(tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, content)
    assert problem in str(error.value)


def test_entities_of_one_s_own_do_nothing(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><topic><num>1</num><title>&b;</title></topic>'
    assert "aaaa" not in read(tmp_path, bomb)[0].title


word = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp", "Zs")), min_size=1, max_size=6)
words = st.lists(word, max_size=4).map(" ".join)
names = st.text("abcdefgh0123456789-", min_size=1, max_size=8)
attributes = st.dictionaries(st.sampled_from(("office", "relevant", "IPC class", "x&y")), word, max_size=3)
topic = st.builds(Topic, names, words, words, words, words, attributes=attributes)
topic_lists = st.lists(topic, min_size=1, max_size=4, unique_by=lambda one: one.id)


@pytest.mark.parametrize("ending", [".tsv", ".csv", ".jsonl", ".xml", ".trec", ""])
@given(items=topic_lists)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, ending: str, items: list[Topic]) -> None:
    path = tmp_path_factory.getbasetemp() / f"round{ending}"
    Topics.of(items).write(path)
    assert Topics.read(path).items == tuple(items)
    assert read_topics(path) == [one.id for one in items]


def test_subtopics_are_kept(tmp_path: Path) -> None:
    claims = (Subtopic("1", "An ink & <a> pen.", 1.0), Subtopic("2", 'The "ink" of claim 1.', 0.5))
    topics = Topics.of([Topic("EP1", "Ink", subtopics=claims), Topic("EP2", subtopics=claims[:1])])
    for ending in (*MARKUP, ".jsonl"):
        topics.write(tmp_path / f"topics{ending}")
        assert Topics.read(tmp_path / f"topics{ending}").items == topics.items


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "xml"])
def test_attributes_serve_the_slices(tmp_path: Path, ending: str) -> None:
    topics = Topics.of([Topic("EP1", "Ink", attributes={"office": "EP"}), Topic("US2", attributes={"office": "US"})])
    path = tmp_path / f"topics.{ending}"
    path.write_bytes(encoded_as(topics, f".{ending}"))
    assert read_attributes(path)["office"] == {"EP1": "EP", "US2": "US"}


@pytest.mark.parametrize(
    "content", [b'{"topic": "2\xed\xa0\x80", "title": "\\ud800 ink"}\n', b'{"topic": "2\\ud800"}\n']
)
@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "xml"])
def test_a_lone_surrogate_is_written_and_read_again(tmp_path: Path, content: bytes, ending: str) -> None:
    (tmp_path / "t.jsonl").write_bytes(content)
    topics = Topics.read(tmp_path / "t.jsonl")
    assert topics.ids == ("2\udced\udca0\udc80",)  # as a run names it
    topics.write(tmp_path / f"again.{ending}")
    assert len(Topics.read(tmp_path / f"again.{ending}")) == 1
    if ending in ("tsv", "csv"):
        assert Topics.read(tmp_path / f"again.{ending}").ids == topics.ids


def test_the_weight_of_a_subtopic_is_a_number(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"topic": "1", "subtopics": [{"name": "a", "weight": NaN}]}\n')
    with pytest.raises(InputError, match="a weight of 0 or more"):
        Topics.read(tmp_path / "t.jsonl")


@pytest.mark.parametrize("ending", ["tsv", "csv"])
def test_control_codes_and_formulas_are_not_written_to_tables(tmp_path: Path, ending: str) -> None:
    topics = Topics.of([Topic("1", "=1+1", description="'=1+1", narrative="a \x1b[31mred\x9b word")])
    topics.write(tmp_path / f"t.{ending}")
    written = (tmp_path / f"t.{ending}").read_text()
    assert written.replace("\t", "").replace("\n", "").isprintable()
    again = Topics.read(tmp_path / f"t.{ending}")[0]
    assert (again.title, again.description) == ("=1+1", "'=1+1")
    assert ending == "tsv" or ",'=1+1," in written
