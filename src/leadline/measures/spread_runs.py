"""The hits of runs that are read elsewhere, a large run in pieces of whole topics.

What is said of a run that is wrong must be what is said where it is read whole. So a run of which a piece is refused is
read again, whole and in one place, and so is a run whose topics come back in another piece.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, groupby
from operator import itemgetter

from leadline.errors import LeadlineError
from leadline.measures.join import RunHits, pays
from leadline.measures.run_source import JoinedParts, PartHits, ReadingPlan, RunReading, Source
from leadline.records.runs.run_cuts import RunCut, cuts
from leadline.text.memory import NEW_ARRAYS, ReusedArrays
from leadline.text.spread import Spread

PIECE_BYTES = 64 << 20  # of a run's text: large enough that handing it out costs little beside reading it


def spread_hits(
    sources: Sequence[Source],
    reading: RunReading,
    spread: Spread,
    plan: ReadingPlan | None,
    progress: Callable[[int, int], None] | None,
) -> Iterator[RunHits]:
    """Yield the hits of each run; `plan` says how much of one a worker may hold (default: what its memory allows)."""
    length = PIECE_BYTES if plan is None else min(PIECE_BYTES, plan.part)
    pieces = [_pieces(source, length) if reading.log is None else [None] for source in sources]
    ends = list(accumulate(map(len, pieces)))
    handed: deque[int] = deque()
    to_read_whole: set[int] = set()

    def handing() -> Iterator[tuple[Source, RunCut | None]]:
        for number, source in enumerate(sources):
            for cut in pieces[number]:
                if number in to_read_whole:
                    break
                handed.append(number)
                yield source, cut

    def report(done: int) -> None:
        if progress is not None:
            progress(done, ends[-1])

    results = ((handed.popleft(), hits) for hits in spread(hits_elsewhere, handing(), reading, plan))
    for number, some in groupby(results, itemgetter(0)):
        parts, whole = JoinedParts(len(reading.qrels.topics)), None
        for done, (_, hits) in enumerate(some, start=ends[number] - len(pieces[number]) + 1):
            if isinstance(hits, RunHits):
                whole = hits
            elif number not in to_read_whole and (hits is None or not parts.add(hits)):
                to_read_whole.add(number)
            if done < ends[number]:
                report(done)
        if number in to_read_whole:
            (whole,) = spread(hits_of_whole, [(sources[number],)], reading, plan)
        yield whole or parts.whole()
        report(ends[number])


def _pieces(source: Source, length: int) -> Sequence[RunCut | None]:
    return (cuts(source.path, length) if source.path is not None else []) or [None]


def hits_elsewhere(
    source: Source, cut: RunCut | None, reading: RunReading, plan: ReadingPlan | None
) -> RunHits | PartHits | None:
    """The hits of a run, or of a piece of one; None for a piece that is wrong, or that `plan` does not allow."""
    if cut is None:
        return hits_of_whole(source, reading, plan)
    if plan is not None and cut.end - cut.begin > plan.part:
        return None
    text = cut.text(NEW_ARRAYS)
    try:
        return PartHits.of(reading.hits(replace(source, text=text), pays(reading.size), NEW_ARRAYS))
    except LeadlineError:
        return None


def hits_of_whole(source: Source, reading: RunReading, plan: ReadingPlan | None) -> RunHits:
    """The hits of a run, of which no more is held than `plan` or the memory of this machine allows."""
    kernels = pays(reading.size)
    plan = plan or ReadingPlan.of([source], None, kernels=kernels, elsewhere=True)
    if reading.log is None and plan.divides(source):
        arrays = ReusedArrays()
        return plan.hits(source, reading.qrels, arrays, lambda part: reading.hits(part, kernels, arrays))
    return reading.hits(source, kernels, NEW_ARRAYS)
