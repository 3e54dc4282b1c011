"""Other words for the same thing: found however they are written, learned from texts, added with less weight."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError
from leadline.records.topics import Topic
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import Query, SearchContext
from leadline.retrieval.pipeline.pipeline import pipeline_of
from leadline.retrieval.pipeline.query.search import Search
from leadline.retrieval.pipeline.query.survey import Survey
from leadline.retrieval.pipeline.synonyms.abbreviations import FILE_NAME, Learner, by_letters, by_use, learn
from leadline.retrieval.pipeline.synonyms.expand import Expand, expanded
from leadline.retrieval.pipeline.synonyms.thesaurus import TextWords, Thesaurus, hashed, letters_only, read_table
from leadline.retrieval.pipeline.synonyms.variants import Variants

needs_chemicals = pytest.mark.skipif(
    importlib.util.find_spec("chemicals") is None, reason="the package chemicals, an extra, is not installed"
)

ABSTRACTS = {
    "EP0000001B1": "A solution of acetic acid in water.",
    "EP0000002B1": "A bath with the substance 64-19-7, heated.",
    "EP0000003B1": "A W/O/O emulsion of a resin.",
    "EP0000004B1": "A film of polyvinyl alcohol (PVA) on glass.",
    "EP0000005B1": "PVA and nothing else, in a furnace.",
    "EP0000006B1": "Dimethylformamide as a solvent of the plate.",
}


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> SearchContext:
    folder = tmp_path_factory.mktemp("context")
    documents = [
        Document(name, office="EP", serial=name[2:9], kind="B1", title="A thing", abstract=text, description="Made so.",
                 claims=(Claim(1, "A thing."),), publication="1999-01-01")
        for name, text in ABSTRACTS.items()
    ]  # fmt: skip
    write_collection(documents, folder / "collection", {"made": "by a test"})
    index = Index.build(
        Collection.open(folder / "collection"), folder / "index",
        fields=["title", "abstract"], origin=str(folder / "collection"),
    )  # fmt: skip
    return SearchContext.open(index.folder)


def found(context: SearchContext, text: str, *synonyms: str, **options: float) -> list[str]:
    pipeline = Survey(narrative=0) >> Expand(synonyms=synonyms, **options) >> Search()
    return context.names(pipeline(context, context.request(Topic("T1", title=text))).ranking.rows)


def test_the_document_that_only_has_the_registry_number_is_found(context: SearchContext, tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    table.write_text("name,synonym\nAcetic acid,64-19-7\n")
    without = Survey(narrative=0) >> Search()
    names = context.names(without(context, context.request(Topic("T1", title="acetic acid"))).ranking.rows)
    assert names == ["EP0000001B1"]
    assert found(context, "acetic acid", str(table)) == ["EP0000001B1", "EP0000002B1"]
    assert found(context, "64-19-7", str(table)) == ["EP0000002B1", "EP0000001B1"]


@needs_chemicals
def test_chemistry_knows_names_and_registry_numbers(context: SearchContext) -> None:
    assert found(context, "glacial acetic acids", "chemistry")[:2] == ["EP0000001B1", "EP0000002B1"]
    assert found(context, "64-19-7", "chemistry") == ["EP0000002B1", "EP0000001B1"]
    assert found(context, "n,n-dimethyl formamide", "chemistry") == ["EP0000006B1"]
    from leadline.retrieval.pipeline.synonyms.chemistry import chemicals

    known = chemicals()
    for name, number in [("Paracetamol", "103-90-2"), ("oxolane", "109-99-9"), ("Sodium chloride", "7647-14-5")]:
        assert number in known.synonyms(name)
        assert letters_only(name) in {letters_only(other) for other in known.synonyms(number)}
    for everyday in ("target", "access", "select", "a state", "354,063", "format"):
        assert known.synonyms(everyday) == []


def test_chemistry_says_what_it_needs(context: SearchContext, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "chemicals" else real(name))
    from leadline.retrieval.pipeline.synonyms.chemistry import chemicals

    with pytest.raises(InputError, match=r"needs the package chemicals: pip install 'leadline\[chemistry\]'"):
        chemicals()


def test_abbreviations_of_the_collection_are_learned_once(context: SearchContext) -> None:
    assert set(found(context, "PVA", "abbreviations")) == {"EP0000004B1", "EP0000005B1"}
    assert set(found(context, "polyvinyl alcohol", "abbreviations")) == {"EP0000004B1", "EP0000005B1"}
    kept = (context.index.folder / FILE_NAME).read_text().splitlines()
    assert kept[1:] == ["short\tlong\tdocuments\tby", "PVA\tpolyvinyl alcohol\t1\tletters"]
    assert read_table(context.index.folder / FILE_NAME).synonyms("PVA") == ["polyvinyl alcohol"]
    (context.index.folder / FILE_NAME).write_text("\n".join(["# of another collection", *kept[1:]]))
    again = SearchContext.open(context.index.folder)
    assert found(again, "PVA", "abbreviations")
    assert (context.index.folder / FILE_NAME).read_text().splitlines() == kept


@pytest.mark.parametrize("written", ["water-in-oil-in-oil", "water in oil in oil", "Water-in-Oil-in-Oil emulsion"])
def test_initials_with_strokes_are_found(written: str, context: SearchContext) -> None:
    assert found(context, written, "variants")[0] == "EP0000003B1"


def test_initials_lead_to_the_words_where_the_collection_has_both() -> None:
    learner = Learner()
    learner.see(["A water-in-oil-in-oil emulsion", "the W/O/O emulsion", "w/o a licence"])
    assert [tuple(each) for each in learner.learned()] == [("W/O/O", "water-in-oil-in-oil", 1, "strokes")]
    known = Thesaurus.of([each.short, each.long] for each in learner.learned())
    for written in ("W/O/O", "w/o/o", "water in oil in oil", "water-in-oil-in-oil"):
        assert len(known.synonyms(written)) == 1


def test_original_terms_keep_their_weight(context: SearchContext) -> None:
    query = Query({"acet": 4.0, "acid": 2.0, "solut": 1.0})
    table = context.index.folder / "own.tsv"
    table.write_text("acetic acid\t64-19-7\nacetic acid\tacid solution\n")
    made = expanded(context, query, "a solution of acetic acid", [str(table)], weight=0.5)
    assert made.terms == {"acet": 4.0, "acid": 2.0, "solut": 1.0, "64-19-7": 3.0}
    assert expanded(context, query, "a film", [str(table)]) is query
    assert expanded(context, Query({"acid": 1.0}), "acetic acid", [str(table)]).terms == {"acid": 1.0}


def test_a_name_with_two_meanings_shares_its_weight(context: SearchContext) -> None:
    table = context.index.folder / "two.tsv"
    table.write_text("group\tname\n1\tPVA\n1\tglass\n2\tPVA\n2\tfurnace\n")
    made = expanded(context, Query({"pva": 1.0}), "PVA", [str(table)], weight=0.5, common=1.0)
    assert made.terms == {"pva": 1.0, "glass": 0.25, "furnac": 0.25}


def test_expand_is_written_in_files_and_wrong_names_are_told() -> None:
    (step,) = pipeline_of([{"step": "expand", "synonyms": ["variants"], "weight": 0.3}]).steps
    assert step == Expand(synonyms=("variants",), weight=0.3)
    with pytest.raises(InputError, match=r"'chemistri' is neither a source .* did you mean chemistry\?"):
        Expand(synonyms=("chemistri",))
    with pytest.raises(InputError, match="weight"):
        Expand(weight=-1.0)


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "is empty"), ("acid\n", "has no two names"), ("group,name\n1,acid\n", "a group and a name in each line")],
)
def test_tables_without_synonyms_are_refused(content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text(content)
    with pytest.raises(InputError, match=words):
        read_table(tmp_path / "own.csv")


@pytest.mark.parametrize(("short", "before", "long"), [
    ("PVA", "coated with polyvinyl alcohol", "polyvinyl alcohol"),
    ("TFTs", "of thin-film transistors", "thin-film transistors"),
    ("ETA", "the estimated time of arrival", "estimated time of arrival"),
    ("IL-6", "by interleukin-6", "interleukin-6"),
    ("THF", "in tetrahydrofuran", "tetrahydrofuran"),
    ("MMC", "a method material carrier", "method material carrier"),
    ("EPA", "as shown by the agency", ""),
    ("CRT", "cathode ray tube displays", ""),
])  # fmt: skip
def test_short_forms_by_letters(short: str, before: str, long: str) -> None:
    assert by_letters(short, before) == long


def test_short_forms_by_use_need_several_documents() -> None:
    assert by_use(["of brumic acid", "the brumic acid", "a brumic acid"]) == "brumic acid"
    assert by_use(["of brumic acid", "the brumic acid"]) == ""
    assert by_use(["the same brumic acid"] * 3) == ""  # a copied sentence does not tell where the name begins


@pytest.mark.parametrize(("words", "least", "right"), [("chemistry", 100, 0.9), ("invented", 200, 0.98)])
def test_learned_from_an_office_whose_truth_is_known(words: str, least: int, right: float) -> None:
    from leadline.collections.simulate.office import build_office, concepts
    from leadline.collections.simulate.printing import office_documents
    from leadline.collections.simulate.settings import Settings

    office = build_office(Settings(patents=500, topics=0, words=words))
    truth: set[tuple[str, bytes]] = set()
    for names in concepts(office)["names"].to_list():
        pairs = (re.fullmatch(r"(.*) \((?:CAS )?(.*)\)", name) for name in names)
        truth |= {(pair[2], letters_only(_singular(pair[1]))) for pair in pairs if pair}
    learner = Learner()
    learner.see("\n".join((d.title, d.abstract, d.description)) for d in office_documents(office))
    learned = {(each.short, letters_only(_singular(each.long))) for each in learner.learned()}
    assert len(learned) > least
    assert len(learned & truth) / len(learned) > right


def _singular(name: str) -> str:
    return re.sub(r"(?<=[xsh])es$", "", re.sub(r"ies$", "y", name))


def test_learning_reads_a_collection_part_by_part(context: SearchContext) -> None:
    seen: list[tuple[int, int]] = []
    assert [each.short for each in learn(context.collection, progress=lambda *done: seen.append(done))] == ["PVA"]
    assert seen[-1] == (6, 6)


def test_variants_by_hand() -> None:
    text = "TiO2-coated dimethyl formamide of the U.S.A. and in the oil"
    assert [(match.name, *match.synonyms) for match in Variants().matches(TextWords.of(text))] == [
        ("tio2-coated", "tio2coated", "tio2 coated"),
        ("coated dimethyl", "coateddimethyl"),
        ("dimethyl formamide", "dimethylformamide"),
        ("u.s.a", "usa"),
    ]


NAMES = st.text("ab -/.s1é", min_size=1, max_size=8).filter(letters_only)


@settings(deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=6), st.text("ab -/.s1é\n", max_size=30))
def test_hashes_of_spans_are_those_of_names(names: list[str], text: str) -> None:
    words = TextWords.of(text)
    for count in range(1, len(words) + 1):
        for first, value in enumerate(words.hashes(count)):
            letters = "".join(words.texts[first : first + count]).encode()
            assert hashed([letters])[0] == value
    assert len(set(hashed([letters_only(name) for name in names]).tolist())) == len(
        {letters_only(name) for name in names}
    )


@settings(deadline=None)
@given(st.lists(st.lists(NAMES, min_size=2, max_size=3), min_size=1, max_size=4))
def test_every_name_of_a_group_leads_to_the_others(groups: list[list[str]]) -> None:
    known = Thesaurus.of(groups)
    for group in groups:
        for name in group:
            others = {letters_only(other) for other in group} - {letters_only(name)}
            if not letters_only(name).isdigit() and len(TextWords.of(name)) == 1:
                assert others <= {letters_only(other) for other in known.synonyms(name)}


def test_a_thesaurus_comes_back_from_disk(tmp_path: Path) -> None:
    known = Thesaurus.of([["acetic acid", "64-19-7"], ["W/O", "water-in-oil"]])
    known.write(tmp_path / "kept.arrays")
    again = Thesaurus.of_bytes((tmp_path / "kept.arrays").read_bytes(), "kept.arrays")
    assert again.synonyms("acetic acid") == ["64-19-7"]
    assert len(again) == 4
    assert list(Thesaurus.of([]).matches(TextWords.of("acid"))) == []
