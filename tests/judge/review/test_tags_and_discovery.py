"""Tags, the discovery curve, and a half-screened review of two readers."""

from __future__ import annotations

import contextlib

import pytest
from tests.judge.review.conftest import Mark

from leadline.errors import InputError
from leadline.judge.journal import Event, new_uid
from leadline.judge.review.discovery import discovery
from leadline.judge.review.exchange import review_nbib, review_ris, review_table
from leadline.judge.review.project import STAGES, ReviewProject
from leadline.judge.review.review_state import ReviewState
from leadline.judge.review.tags import all_tags_of, tag_text, tags_of, used_tags
from leadline.show.serve.reviewing_figures import discovery_figure


def add(project: ReviewProject, *events: Event) -> ReviewState:
    with contextlib.closing(project.journal()) as journal:
        journal.append_all(events)
        return ReviewState.of(project, journal.events())


def tagged(document: str, tags: list[str], person: str = "anna") -> Event:
    return Event(new_uid(), person, "assessor", "tags", STAGES[0], document, tag_text(tags))


def test_tags_are_kept_changed_undone_and_exported(project: ReviewProject) -> None:
    first = tagged("a5", ["to discuss", "animal"])
    state = add(project, first, tagged("a5", ["children"], "ben"), tagged("a6", ["animal"]))
    assert tags_of(state.judging, "anna", STAGES[0], "a5") == ["to discuss", "animal"]
    assert all_tags_of(state.judging, "a5") == ["to discuss", "animal", "children"]
    assert used_tags(state.judging)[0] == "animal"
    assert used_tags(state.judging, "ben") == ["children"]
    assert not state.is_read[project.row_of["a5"]]  # a tag is no judgement
    table = review_table(state)
    assert [row[table.columns.index("tags")] for row in table.rows if row[0] == "a5"] == [
        "to discuss; animal; children"
    ]
    assert b"N1  - tags: to discuss; animal; children" in review_ris(state)
    assert b"GN  - tags: to discuss; animal; children" in review_nbib(state)
    undo = Event(new_uid(), "anna", "assessor", "undo", STAGES[0], "a5", target=first.uid)
    assert all_tags_of(add(project, undo).judging, "a5") == ["children"]


@pytest.mark.parametrize("tags", [["x" * 61], ["a\x00b"], [f"t{n}" for n in range(31)]])
def test_tags_that_cannot_be(tags: list[str]) -> None:
    with pytest.raises(InputError, match="tags"):
        tag_text(tags)


def test_the_discovery_curve(project: ReviewProject, mark: Mark) -> None:
    empty = discovery(add(project))
    assert (empty.read, empty.known, empty.since_last) == (0, 1, 0)  # what was known was not found by reading
    assert "relevant found" in discovery_figure(empty)
    found = discovery(mark("a1", "a5", "a2", "a10", "a3", "a4"))
    assert found.found.tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert found.since_last == 2
    assert found.words == "6 read, 2 relevant, 2 read since the last relevant one."
    assert discovery(mark("a6", grade=-2)).since_last == 0  # unsure counts as relevant
    assert "2 read since the last" in discovery_figure(found, narrow=True)
