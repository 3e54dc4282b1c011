"""The summary of the demo in ten lines: who wins, whether that is firm, what the citations missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from leadline.show.figures.evidence import Evidence
from leadline.show.figures.formatting import percent
from leadline.trust.incomplete import Incomplete
from leadline.trust.recovery import Recovery
from leadline.trust.verdict import Verdicts, finding

EFFORT = 100


def story(cited: Evidence, true: Evidence, thinned: Incomplete, recovered: Recovery) -> list[str]:
    """The lines of the summary. `cited` and `true` are the same runs under the two kinds of judgements."""
    return list(_lines(cited, true, thinned, recovered))


def _lines(cited: Evidence, true: Evidence, thinned: Incomplete, recovered: Recovery) -> Iterator[str]:
    trio = cited.trio
    yield f"{len(cited.runs)} systems searched for the prior art of {len(cited.topics)} patents; {_missed(cited, true)}"
    yield f"By citations {_winners(cited, trio)}."
    yield f"In truth     {_winners(true, trio)}."
    yield from _firmness(cited, true)
    yield _effort(cited, true)
    yield _thinned(thinned)
    yield _order(recovered)
    yield _flattered(recovered)


def _missed(cited: Evidence, true: Evidence) -> str:
    """The share of the truly relevant documents that is cited, and the share of citations that is not relevant."""
    known, real = _pairs(cited), _pairs(true)
    found = len(known & real)
    return (
        f"their citations contain {percent(found / max(1, len(real)))} of what is truly relevant, and "
        f"{percent((len(known) - found) / max(1, len(known)))} of them are not relevant."
    )


def _pairs(evidence: Evidence) -> set[tuple[str, str]]:
    qrels = evidence.qrels
    topics = [qrels.topics[place] for place in qrels.topic_of_document.tolist()]
    rows = zip(topics, qrels.documents.names(), qrels.grades.tolist(), strict=True)
    return {(topic, document) for topic, document, grade in rows if grade >= evidence.level}


def _winners(evidence: Evidence, measures: Sequence[str]) -> str:
    """Who leads under each measure."""
    means = evidence.scores(measures).mean_values()
    best = [int(np.argmax(means[:, m])) for m in range(len(measures))]
    winners = [f"{evidence.runs[best[m]]} under {name} ({means[best[m], m]:.3f})" for m, name in enumerate(measures)]
    if len(set(best)) == 1:
        scores = ", ".join(f"{name} {means[best[0], m]:.3f}" for m, name in enumerate(measures))
        return f"{evidence.runs[best[0]]} is first under all three: {scores}"
    return f"first are {', '.join(winners)}"


def _firmness(cited: Evidence, true: Evidence) -> Iterator[str]:
    for name, evidence in (("By citations", cited), ("In truth", true)):
        found = evidence.verdict
        if found is not None:
            yield f"{name}: {_standing(found)}"


def _standing(found: Verdicts) -> str:
    return f"{finding(found)} The nearest is {found.verdicts[0].other}."


def _effort(cited: Evidence, true: Evidence) -> str:
    shares = [float(one.scores(f"R@{EFFORT}").mean_values()[one.place(one.leader), 0]) for one in (cited, true)]
    return (
        f"Reading {EFFORT} documents of the leader finds {percent(shares[0])} of what was cited, and "
        f"{percent(shares[1])} of what is truly relevant."
    )


def _thinned(found: Incomplete) -> str:
    k = int(np.argmin(found.keep))
    taus = ", ".join(f"{name} {found.mean[k, m]:.2f}" for m, name in enumerate(found.measures))
    return f"With {100 * found.known[k]:.0f} % of the citations the order of systems keeps a τ of {taus}."


def _order(found: Recovery) -> str:
    """How similar the order by citations is to the true order."""
    wanted = [name for name in found.measures if name.endswith(f"@{EFFORT}") and not name.startswith("CT")]
    taus = ", ".join(f"{name} {found.tau[0, 0, found.measures.index(name)]:.2f}" for name in wanted)
    return f"Against the true order, the order by citations has a τ of {taus}."


def _flattered(found: Recovery) -> str:
    table = found.flattered(f"PRES@{EFFORT}").rows
    (most, up, *_), (least, down, *_) = table[0], table[-1]
    if not up and not down:
        return "Citations flatter no system: all have their true places."
    return f"Citations flatter {most} most ({up:+.0f} places) and harm {least} most ({down:+.0f})."
