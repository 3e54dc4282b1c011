"""An office of real chemistry reads like one: names, classes, titles, claims, letters of the offices, corrections."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import leadline as ll
from leadline import steps
from leadline.cli import main
from leadline.collections.documents.document import Document
from leadline.collections.simulate.chemistry.concepts import PooledConcepts
from leadline.collections.simulate.chemistry.tables import GAS, PROPERTY, entries, symbols
from leadline.collections.simulate.office import SimulatedOffice, build_office
from leadline.collections.simulate.printing import office_documents
from leadline.collections.simulate.settings import Settings


@pytest.fixture(scope="module")
def chemistry() -> SimulatedOffice:
    return build_office(Settings(patents=2000, seed=5, length=150))


@pytest.fixture(scope="module")
def printed(chemistry: SimulatedOffice) -> list[Document]:
    return list(office_documents(chemistry))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chemistry") / "office"
    main(["simulate", "office", "-o", str(folder), "--patents", "1200", "--topics", "40", "--length", "40", "-q"])
    return folder


def test_classes_are_real_and_several(printed: list[Document]) -> None:
    known = {one.symbol for one in symbols()}
    assert {symbol for document in printed for symbol in document.ipc} <= known
    assert len({symbol[:4] for document in printed for symbol in document.ipc}) >= 40
    assert sum(len(document.ipc) > 1 for document in printed) > len(printed) / 2
    assert all(bool(document.cpc) == (document.office != "JP") for document in printed)


def test_some_applicants_use_only_registry_numbers_and_some_only_trade_names(
    chemistry: SimulatedOffice, printed: list[Document]
) -> None:
    concepts = chemistry.concepts
    assert isinstance(concepts, PooledConcepts)
    by_number = by_trade = 0
    for document in printed:
        said = " ".join(claim.text for claim in document.claims) + document.abstract
        by_number += len(re.findall(r"CAS registry number [0-9]+-[0-9]{2}-[0-9]", said)) >= 3
        by_trade += said.count("®") >= 2
    assert by_number > 20
    assert by_trade > 20
    of = {entry.name: entry for entry in entries()}
    assert any(entry.part and of[entry.part].cas for entry in concepts.entries)


def test_whoever_discloses_a_composite_discloses_its_substance(chemistry: SimulatedOffice) -> None:
    concepts, inventions = chemistry.concepts, chemistry.inventions
    assert isinstance(concepts, PooledConcepts)
    seen = 0
    for row in range(0, len(inventions), 7):
        disclosed = set(inventions.disclosed[inventions.starts[row] : inventions.starts[row + 1]].tolist())
        parts = {int(concepts.part[one]) for one in disclosed} - {-1}
        assert parts <= disclosed
        seen += len(parts)
    assert seen > 100


def test_titles_are_in_the_language_of_publication(printed: list[Document]) -> None:
    by_office = {code: [d.title for d in printed if d.office == code] for code in ("US", "EP", "DE", "JP")}
    assert all(re.search("[\u3040-\u30ff\u4e00-\u9fff]", title) for title in by_office["JP"])
    assert all(re.search(r"\b(?:enthaltend|Verfahren|umfassend|unter|Verwendung|für)\b", t) for t in by_office["DE"])
    assert all(title.isascii() or "é" not in title for title in by_office["US"])
    assert any(re.search(r"\b(?:comprenant|contenant|procédé)\b", title) for title in by_office["EP"])
    assert {document.language for document in printed} == {"en"}


def test_what_is_said_fits_what_it_is(chemistry: SimulatedOffice, printed: list[Document]) -> None:
    """What is weighed out is a substance or a thing; a property has a value in its unit."""
    concepts = chemistry.concepts
    assert isinstance(concepts, PooledConcepts)
    unweighed = {name for entry in concepts.entries if entry.role > GAS + 2 for _, name in entry.names}
    units = {entry.unit for entry in concepts.entries if entry.role == PROPERTY}
    weighed = Counter[str]()
    for document in printed:
        weighed.update(re.findall(r"[0-9] g of ([^,.;]+?) were", document.description))
        for said in re.findall(
            r"found to be [0-9.,]*[0-9](?: × 10\^[0-9]+)?(?: ([^,\n]{1,20}))?, compared", document.description
        ):
            assert said in units, said
    assert sum(weighed.values()) > 500
    assert not unweighed & set(weighed)
    claims = [claim.text for document in printed for claim in document.claims]
    assert not [text for text in claims if "  " in text or " of , " in text or not text.endswith(".")]


def test_there_are_as_many_documents_as_asked_with_corrections(
    chemistry: SimulatedOffice, printed: list[Document]
) -> None:
    again = [place for place, before in enumerate(chemistry.publications.corrects.tolist()) if before >= 0]
    assert len(printed) == 2000
    assert len(again) == 20
    assert len({document.id for document in printed}) == 2000
    lacking = 0
    for place in again:
        before = printed[int(chemistry.publications.corrects[place])]
        later = printed[place]
        assert (later.office, later.serial, later.claims) == (before.office, before.serial, before.claims)
        assert later.kind in ("A8", "A9", "B8", "B9")
        assert later.publication > before.publication
        assert later.description.startswith(f"CORRECTED VERSION of {before.id}")
        lacking += len(before.citations) < len(later.citations)
    assert lacking > 3


def test_rejections_are_judgements_that_the_truth_confirms(written: Path, tmp_path: Path) -> None:
    main(["qrels", "rejections", str(written / "collection"), str(written / "topics.tsv"),
          str(written / "office-actions.jsonl"), "-o", str(tmp_path / "rejected.qrels"), "-q"])  # fmt: skip
    rejected = ll.read_qrels(str(tmp_path / "rejected.qrels"))
    assert len(rejected.topics) >= 4
    true = {tuple(line.split()[:4]) for line in (written / "qrels.true.claims.txt").read_text().splitlines()}
    found = [tuple(line.split()[:4]) for line in (tmp_path / "rejected.qrels").read_text().splitlines()]
    positive = [row for row in found if row[3] != "0"]
    assert positive
    assert sum(row in true for row in positive) > 0.9 * len(positive)
    kinds = {"bodyText" in json.loads(line) for line in (written / "office-actions.jsonl").read_text().splitlines()}
    assert kinds == {True, False}


def test_search_reports_name_claims_that_there_are(written: Path) -> None:
    reports = pl.read_csv(written / "search-reports.tsv", separator="\t", infer_schema_length=0)
    collection = ll.Collection.open(written / "collection")
    counts = dict(zip(collection.records["id"], collection.records["claims"], strict=True))
    assert set(reports["category"]) == {"X", "Y", "A"}
    assert {name[:2] for name in reports["document"]} == {"EP", "WO", "DE"}
    for document, claims in reports.select("document", "claims").iter_rows():
        numbers = [int(number) for number in re.findall("[0-9]+", claims)]
        assert numbers == sorted(numbers)
        assert 1 <= numbers[0] <= numbers[-1] <= counts[document]


def test_synonyms_find_what_words_miss(written: Path, tmp_path: Path) -> None:
    groups = []
    for names in pl.read_parquet(written / "truth" / "concepts.parquet")["names"].to_list():
        plain = [re.sub(r"®| \([A-Z][A-Za-z0-9-]*\)$", "", name) for name in names]
        groups.append("\t".join(dict.fromkeys(name.rpartition("registry number ")[2] for name in plain)))
    table = tmp_path / "names.tsv"
    table.write_text("\n".join(group for group in groups if "\t" in group) + "\n", encoding="utf-8")
    index = ll.build_index(ll.Collection.open(written / "collection"), tmp_path / "index")
    words, names = (
        ll.make_run(index, str(written / "topics.tsv"), system=system)
        for system in (steps.Text(("claims",)) >> steps.Search("bm25"),
                       steps.Text(("claims",)) >> steps.Expand((str(table),), weight=1.0) >> steps.Search("bm25"))
    )  # fmt: skip
    found = [ll.evaluate(str(written / "qrels.true.txt"), run, "AP").mean_values()[0][0] for run in (words, names)]
    assert found[1] > found[0] + 0.01, found


def test_firms_and_people_are_of_their_country(printed: list[Document]) -> None:
    homes = {"DE": r"GmbH|AG$", "JP": r"K\.K\.|Kabushiki|Co\., Ltd\."}
    for code, endings in homes.items():
        own = [document for document in printed if document.office == code and not document.priorities]
        assert own
        assert all(re.search(endings, document.applicants[0]) for document in own)
    assert all(re.fullmatch(r"[^,]+, [^,]+", name) for document in printed for name in document.inventors)


def test_written_search_reports_name_the_claims_that_documents_concern(tmp_path: Path) -> None:
    made = ["--patents", "300", "--topics", "0", "--length", "40", "-q"]
    main(["simulate", "office", "-o", str(tmp_path / "office"), "--forms", str(tmp_path / "files"), *made])
    lines = (tmp_path / "office/search-reports.tsv").read_text(encoding="utf-8").splitlines()[1:]
    reported = Counter(line.split("\t")[3] for line in lines)
    written = Counter()
    for path in (tmp_path / "files/exchange").iterdir():
        written.update(re.findall(r"<rel-claims>(.*?)</rel-claims>", path.read_text(encoding="utf-8")))
    assert written
    assert not written - reported
    assert written.total() > 0.9 * reported.total()
