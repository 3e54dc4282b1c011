"""A segment with dead documents is, in every array, the segment of the documents that are left."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import examples

from leadline.errors import InputError
from leadline.retrieval.index import arrays
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.inverting import batches, inverted
from leadline.retrieval.index.segment import Segment, merge
from leadline.retrieval.index.tombstones import LiveSegment, Tombstones, write_tombstones

FIELDS = ["title", "claims"]
# Words with several forms, parts, accents and numbers, which two languages write in their own way.
WORDS = [
    "film", "films", "Filme", "communicates", "communication", "1,4-butanediol", "covid-19", "1.000", "1,000", "café",
    "cafés", "naïve", "Möbel", "möbeln", "at&t", "the", "3.50", "3,50", "acid.", "\n", "B12", "x-ray",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
DOCUMENT = st.fixed_dictionaries({
    "title": TEXT, "claims": TEXT, "language": st.sampled_from(["en", "de", ""]),
    "ipc": st.lists(st.sampled_from(["C07D401/04", "A61K31/44", "F16B1/00"]), max_size=2, unique=True),
    "publication": st.sampled_from(["", "1999", "2001-05-02"]), "applicants": st.sampled_from(["", "Acme", "Zeta"]),
})  # fmt: skip


def write_segment(path: Path, documents: list[dict[str, Any]], analysis: Analysis, positions: bool) -> Segment:
    (batch,) = batches(documents, FIELDS)
    arrays.write(path, inverted(batch, analysis, positions))
    return Segment(path)


def without(segment: Segment, rows: list[int], analysis: Analysis) -> LiveSegment:
    path = segment.path.with_name("dead.arrays")
    write_tombstones(path, segment, np.array(rows), FIELDS, analysis)
    return LiveSegment(segment, Tombstones(path, len(segment)))


def content(segments: list[Segment]) -> dict[str, list[Any]]:
    path = segments[0].path.with_name("merged.arrays")
    merge(segments, FIELDS, path)
    file = arrays.read(path)
    return {name: file[name].tolist() for name in file.names()}


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(st.tuples(DOCUMENT, st.booleans()), min_size=2, max_size=9).filter(lambda d: len({x for _, x in d}) == 2),
    st.sampled_from([Analysis(), Analysis(stemming="none"), Analysis("de")]),
    st.booleans(),
)
def test_dead_documents_are_as_if_they_had_never_been_there(
    drawn: list[tuple[dict[str, Any], bool]], analysis: Analysis, positions: bool
) -> None:
    documents = [{"id": f"EP{number}", **document} for number, (document, _) in enumerate(drawn)]
    dead = [number for number, (_, is_dead) in enumerate(drawn) if is_dead]
    left = [document for document, (_, is_dead) in zip(documents, drawn, strict=True) if not is_dead]
    with TemporaryDirectory() as folder:
        whole = write_segment(Path(folder, "whole.arrays"), documents, analysis, positions)
        live = without(whole, dead, analysis)
        rest = write_segment(Path(folder, "rest.arrays"), left, analysis, positions)
        assert content([live]) == content([rest])
        assert content([live, rest]) == content([rest, rest])  # also beside others, where terms get other numbers
        for name in FIELDS:
            field, expected = live.field(name), rest.field(name)
            among = np.arange(len(left)) % 2 == 0
            for term in range(len(expected.terms)):
                assert field.form_numbers(term).tolist() == expected.form_numbers(term).tolist()
                if positions:
                    run = range(term, len(expected.terms))
                    for got, right in zip(field.places(run, among), expected.places(run, among), strict=True):
                        assert got.tolist() == right.tolist()


def test_tombstones_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    documents = [{"id": f"EP{n}", "title": "films of acid", "claims": "film"} for n in range(4)]
    segment = write_segment(tmp_path / "whole.arrays", documents, Analysis(), True)
    live = without(segment, [1, 2], Analysis())
    path = live.tombstones.path
    good = {name: live.tombstones.file[name].copy() for name in live.tombstones.file.names()}
    for name, values, words in [
        ("dead", [2, 1], "its rows"), ("dead", [0, 1, 2, 3], "its rows"), ("dead", [9], "its rows"),
        ("title/terms", [0, 99], "the terms"), ("title/documents", [9, 9], "the terms"),
        ("title/occurrences", [1, 2], "the terms"), ("title/forms", [0, 99], "the forms"),
        ("title/form_occurrences", [5, 5], "the forms"), ("title/spellings", [7], "the spellings"),
        ("dead", [1], "the lengths"),
    ]:  # fmt: skip
        arrays.write(path, good | {name: np.array(values, good[name].dtype)})
        with pytest.raises(
            InputError, match=f"is damaged, its .*{words.removeprefix('its ')}.*: build the index again"
        ):
            content([LiveSegment(segment, Tombstones(path, len(segment)))])
