"""What a collection of any size takes on disk, in processor time and in memory, from measured slopes.

A cost is `fixed + a_document · documents + a_word · words`, or of lines of runs. The slopes are those that
benchmarks/growth.py fits on three sizes and checks at a larger one; docs/growth.md has its tables and says on what they
were measured. Memory is the smallest `--memory` that the commands accept, from the constants by which they keep to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.collections.documents import build_folder
from leadline.collections.documents.build import PART_BYTES
from leadline.errors import InputError
from leadline.measures import run_source
from leadline.records.result import Result, Table, counted
from leadline.retrieval import word_search
from leadline.retrieval.index import writing
from leadline.show.choices import Machine, Workload
from leadline.text.engine import LOADING_PAYS
from leadline.text.files import readable_size


@dataclass(frozen=True)
class Slope:
    """A cost that grows with documents and words."""

    fixed: float
    a_document: float
    a_word: float

    def of(self, documents: float, words: float) -> float:
        return self.fixed + self.a_document * documents + self.a_word * words


# Fitted by `python benchmarks/growth.py`: bytes, and seconds of one core (x86-64 with AVX2, a shared virtual machine).
SLOPES = {
    "source bytes": Slope(0, 58.5, 6.17),  # of JSON lines
    "collection seconds": Slope(0.116, 1.31e-4, 1.08e-7),
    "collection bytes": Slope(0, 118, 1.52),
    "index seconds": Slope(0, 6.43e-5, 2.75e-7),
    "index bytes": Slope(1.51e5, 133, 0.499),
    "index with positions seconds": Slope(0, 5.85e-5, 2.91e-7),
    "index with positions bytes": Slope(2.65e5, 8.08, 1.31),
    "search seconds": Slope(2.06e-4, 8.73e-9, 0),  # of a query of 20 words, 1000 documents deep
}
LINE_SECONDS, LINE_BYTES = 1.12e-7, 36  # of a run
JUDGEMENT_BYTES, MEASURES = 20, 6  # of a line of judgements; those that `evaluate` takes unless told
MOST_DOCUMENTS = 2_147_483_647  # of an index, whose rows are numbers of 32 bits
# benchmarks/encoding.py: titles and abstracts a second with the packaged model, on one core; 384 numbers of 16 bits.
VECTOR_SECONDS, VECTOR_BYTES, VECTOR_MEMORY = 1 / 27, 2 * 384, 700_000_000


@dataclass(frozen=True)
class JobCost:
    """What one job takes: bytes that it writes, seconds of one core, bytes of memory, and machines."""

    job: str
    disk: int
    seconds: float
    memory: int
    machines: int
    because: str  # what asks for more than one machine


COLUMNS = ("job", "disk", "seconds of one core", "memory", "machines", "because of")


@dataclass(frozen=True, repr=False)
class Estimate(Result):
    """What a workload takes, job by job."""

    work: Workload
    machine: Machine
    jobs: Sequence[JobCost]
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """Bytes and seconds as numbers."""
        rows = [[job.job, job.disk, round(job.seconds, 3), job.memory, job.machines, job.because] for job in self.jobs]
        return Table(COLUMNS, rows)

    def table_for_people(self) -> Table:
        rows = []
        for job in self.jobs:
            sizes = [readable_size(job.disk), readable_time(job.seconds), readable_size(job.memory)]
            rows.append([job.job, *sizes, f"{job.machines:,}", job.because])
        return Table(("job", "disk", "time of one core", "memory", "machines", "because of"), rows)

    def _finding(self) -> str:
        return (
            f"{counted(self.work.documents, 'document')} of {self.work.words_per_document:,} words: "
            f"{readable_size(self.jobs[0].disk + self.jobs[2].disk)} on disk with an index that has positions, "
            f"{readable_time(self.jobs[0].seconds + self.jobs[2].seconds)} of one core to build both"
        )

    def _shown_table(self) -> Table:
        return self.table_for_people()


def estimate(work: Workload, machine: Machine | None = None) -> Estimate:
    """What a collection, its indexes, vectors, searches and evaluation take, and on how many machines."""
    on = machine or Machine()
    count, words = work.documents, work.words
    if min(count, work.words_per_document, work.runs, work.topics, work.depth, work.judged) < 1:
        raise InputError("estimate", "documents, words, runs, topics, depth and judgements must be at least 1")
    if count > MOST_DOCUMENTS:
        problem = f"an index has at most {MOST_DOCUMENTS:,}, got {count:,}: make several collections of fewer"
        raise InputError("documents", problem)

    def cost(name: str) -> float:
        return SLOPES[name].of(count, words)

    def job(
        name: str,
        disk: float,
        seconds: float,
        memory: float,
        *,
        cached: float = 0.0,
        spreads: bool = True,
        one_machine: bool = False,
    ) -> JobCost:
        """`cached` bytes of files should be in memory, for their job to be fast.

        Where memory does not spread, one process has it all: the one that ends the work, or every one that takes part.
        A job of `one_machine` cannot be shared with others at all.
        """
        reasons = {
            "time": seconds / (on.cores * on.hours * 3600),
            "memory": (memory + cached) / on.memory if spreads else 0.0,
            "disk": disk / on.disk,
        }
        most = max(reasons, key=lambda reason: reasons[reason])
        machines = max(1, math.ceil(reasons[most]))
        because = most if machines > 1 else ""
        if not spreads and memory > on.memory:
            because = "memory of one machine: too little"
        elif one_machine and machines > 1:
            because = f"{most} of one machine: too little"
        if one_machine:
            machines = 1
        return JobCost(name, round(disk), seconds, round(memory), machines, because)

    collecting, indexing = build_folder.least_memory(PART_BYTES), writing.least_memory(count)
    searching = word_search.least_memory(count)
    run_bytes = work.topics * work.depth * LINE_BYTES
    judgements = work.topics * work.judged * JUDGEMENT_BYTES
    evaluating = run_source.least_memory(
        judgements, work.topics, work.runs, MEASURES, kernels=work.runs * run_bytes > LOADING_PAYS
    )
    jobs = [
        job("collection", cost("collection bytes"), cost("collection seconds"), collecting, spreads=False),
        job("index", cost("index bytes"), cost("index seconds"), indexing, spreads=False),
        job(
            "index with positions",
            cost("index with positions bytes"),
            cost("index with positions seconds"),
            indexing,
            spreads=False,
        ),
        job("vectors", count * VECTOR_BYTES, count * VECTOR_SECONDS, VECTOR_MEMORY, one_machine=True),
        job(
            f"search, {counted(work.topics, 'topic')} (disk: the run)",
            run_bytes,
            work.topics * cost("search seconds"),
            searching,
            cached=cost("index bytes"),
        ),
        job(
            f"evaluation, {counted(work.runs, 'run')} (disk: the runs)",
            work.runs * run_bytes,
            work.lines * LINE_SECONDS,
            evaluating,
            spreads=False,
        ),
    ]
    notes = (
        f"machines: of {counted(on.cores, 'core')}, {readable_size(on.memory)} of memory and "
        f"{readable_size(on.disk)} of disk, so that each job takes at most "
        f"{on.hours:g} hours; for search, so that the index is in memory",
        f"disk beside that: the sources, about {readable_size(round(cost('source bytes')))} as JSON lines, and while "
        f"an index is made up to about as much again for segments that are merged, here "
        f"{readable_size(round(cost('index with positions bytes')))}",
        "the time is that of one core: several share it, but for the tables of a collection and the last merge of an "
        "index, which one process makes; memory is the smallest that --memory accepts",
        f"evaluation assumes {counted(work.judged, 'judgement')} a topic, of {JUDGEMENT_BYTES} bytes, and "
        f"{MEASURES} measures; every process that takes part holds the judgements",
        "more machines do not share the memory of one process, and vectors are made on one machine",
    )
    return Estimate(work, on, jobs, notes)


def readable_time(seconds: float) -> str:
    """Seconds for people.

    >>> readable_time(0.25), readable_time(600), readable_time(7200), readable_time(8.64e6)
    ('0.2 s', '10.0 min', '2.0 h', '100.0 days')
    """
    for limit, divisor, unit in ((120, 1, "s"), (7200, 60, "min"), (172_800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / divisor:.1f} {unit}"
    return f"{seconds / 86_400:,.1f} days"
