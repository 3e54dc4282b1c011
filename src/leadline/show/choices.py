"""The words and sizes users choose from for figures, labs, the demo and estimates: a module that costs nothing."""

from __future__ import annotations

from dataclasses import dataclass

FIGURE_ENDINGS = (".svg", ".png", ".pdf", ".html", ".json")
LAB_KINDS = ("collection", "index", "topics", "qrels", "run", "pool", "review", "duplicates", "report", "export")

CASE_FORMS = ("docx", "pdf", "ris", "csv", "qrels", "strategy", "zip")
CASE_GRADES = (  # of the documents of a case: name, worth as a judgement, meaning; those of search reports
    ("X", 2, "takes away novelty or inventive step alone"),
    ("Y", 2, "takes away inventive step together with others"),
    ("A", 1, "background"),
    ("0", 0, "not relevant"),
)


@dataclass(frozen=True)
class KnownCollection:
    """A collection that others have described: its documents, and the words of one, which are an assumption."""

    documents: int
    words: int
    about: str


KNOWN_COLLECTIONS = {
    "clef-ip": KnownCollection(1_000_000, 5_000, "1 million patents of the European Patent Office, in full"),
    "trec-chem": KnownCollection(1_200_000, 9_000, "1.2 million patents in full, 98 GB of XML: about 82 kB each"),
    "espacenet": KnownCollection(140_000_000, 2_000, "140 million documents, most of them without full text"),
}


@dataclass(frozen=True)
class Workload:
    """What is to be done: a collection, and runs over it."""

    documents: int
    words_per_document: int
    runs: int = 50
    topics: int = 1000
    depth: int = 1000
    judged: int = 100  # judgements of a topic

    @property
    def words(self) -> int:
        return self.documents * self.words_per_document

    @property
    def lines(self) -> int:
        return self.runs * self.topics * self.depth


@dataclass(frozen=True)
class Machine:
    """One machine, and the hours that a job may take."""

    cores: int = 16
    memory: int = 64_000_000_000
    disk: int = 4_000_000_000_000
    hours: float = 24.0


# Campaigns.
TASK_KINDS = ("prior-art", "survey", "ad-hoc", "review")
RUN_KINDS = ("automatic", "manual", "boolean", "session", "passages")
INVITED_ROLES = ("team", "student", "senior", "expert", "organiser")
LATE_RULES = ("refuse", "mark")
NEITHER = ("agreed", "lenient")  # how unsure against not judged counts
MOST_RUNS, RUN_LENGTH = 8, 1000  # runs of a team for a task, documents for a topic
DOUBLE = 0.25  # of the topics are judged twice
POOL_OF_CAMPAIGN = "20:1"  # strata
