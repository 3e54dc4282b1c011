"""The journal of a run: only our own is continued or replaced, and only one process writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.retrieval.pipeline.pipeline import Journal, TopicResult

FOUND = TopicResult(["d1"], [1.0], ["note"])


def test_a_journal_is_continued_after_a_cut_line(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "r.unfinished", "a")
    journal.add("1", FOUND)
    journal.add("2", FOUND)
    assert journal._file is not None
    journal._file.close()
    with journal.path.open("a") as file:
        file.write('["3", ["d')
    again = Journal(journal.path, "a")
    assert (len(again), again.get("1"), again.get("3")) == (2, FOUND, None)
    again.add("3", FOUND)
    assert len(Journal(journal.path, "a")) == 3


def test_a_strangers_file_and_a_link_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.unfinished"
    path.write_text("my notes\n")
    with pytest.raises(InputError, match="is not an unfinished run"):
        Journal(path, "a")
    assert path.read_text() == "my notes\n"
    path.unlink()
    path.symlink_to(tmp_path / "precious")
    with pytest.raises(InputError, match="cannot be"):
        Journal(path, "a").add("1", FOUND)
    assert not (tmp_path / "precious").exists()


def test_the_second_writer_is_refused_and_the_first_loses_nothing(tmp_path: Path) -> None:
    first, second = (Journal(tmp_path / "r.unfinished", "a") for _ in range(2))
    first.add("1", FOUND)
    with pytest.raises(InputError, match=r"process \d+ on .*, since .* is making this run"):
        second.add("2", FOUND)
    assert len(Journal(first.path, "a")) == 1
