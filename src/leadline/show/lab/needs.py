"""The topics of a lab: the need behind each, and the reasons that judgements were given with."""

from __future__ import annotations

import contextlib
from pathlib import Path

from leadline.errors import InputError
from leadline.judge.citations.provenance import Provenance
from leadline.records.topics.topic import Topic, Topics
from leadline.show.lab.kept import Kept, file_version
from leadline.show.lab.lab import Lab, LabEntry

_MOST = 6  # files in memory at once
_RULES = {
    1: "cited by the topic",
    2: "of the family of {cited}, which the topic cites",
    3: "cited by {citing}, of the topic's family",
}


class Needs:
    """The needs and reasons in the files of a lab."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._topics: Kept[dict[str, Topic]] = Kept(_MOST)
        self._reasons: Kept[dict[str, dict[str, tuple[str, ...]]]] = Kept(_MOST)

    def topic(self, id: str) -> Topic | None:
        """The need of a topic; None where no file of topics has it."""
        for entry in self._lab.entries("topics"):
            if (found := self._topics_of(entry).get(id)) is not None:
                return found
        return None

    def reasons(self, qrels: LabEntry, topic: str) -> dict[str, tuple[str, ...]]:
        """Why each document of a topic was judged relevant, where a file beside the judgements says it."""
        path = Path(f"{qrels.path}.why.tsv")
        if not path.is_file():
            return {}
        with contextlib.suppress(InputError):
            return self._reasons.get((path, file_version(path)), lambda: _reasons(path)).get(topic, {})
        return {}

    def _topics_of(self, entry: LabEntry) -> dict[str, Topic]:
        def read() -> dict[str, Topic]:
            with contextlib.suppress(InputError):
                return {topic.id: topic for topic in Topics.read(entry.path)}
            return {}

        return self._topics.get((entry.path, file_version(entry.path)), read)


def _reasons(path: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    """By topic and document: the citations behind each judgement in words."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for way in Provenance.read(path).ways.iter_rows(named=True):
        documents = found.setdefault(way["topic"], {})
        documents[way["document"]] = (*documents.get(way["document"], ()), reason_in_words(**way))
    return found


def reason_in_words(
    rule: int, origin: str, category: str | None, citing: str, cited: str, topic: str = "", document: str = ""
) -> str:
    """A citation behind a judgement, in words.

    >>> reason_in_words(3, "examiner", "Y", "WO2006000001A1", "EP0091442B1")
    "examiner, category Y: cited by WO2006000001A1, of the topic's family"
    """
    who = f"{origin}, category {category}" if category else origin
    return f"{who}: {_RULES[rule].format(citing=citing, cited=cited)}"
