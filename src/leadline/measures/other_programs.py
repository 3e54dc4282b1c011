"""The output of trec_eval and of sample_eval, byte for byte, and our measures in ir_measures.

Its rules differ from those of this package: topics without a relevant document score 0 and count in the means, topics
are sorted by their bytes, and RBP is scaled by the largest grade of the topic.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Any, Literal

import numpy as np

from leadline.errors import LeadlineError, MeasureError, MismatchError, nearest
from leadline.measures.catalogue.interpolated import share_of_relevant
from leadline.measures.definition import MEASURES, Definition, parse_measure
from leadline.measures.evaluate import evaluate, open_qrels, open_sources
from leadline.measures.hits import Array, Hits, Mask, first_only, judged_only
from leadline.measures.join import RunHits, join, pays, together
from leadline.records.other_packages import Order
from leadline.records.qrels import Qrels
from leadline.records.runs import Run, read_run
from leadline.text.fields import decode_id, encode_id, is_skipped

_EFFORTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

# In the order in which trec_eval prints them.
ALL_TREC = (
    "runid",
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
    *(f"iprec_at_recall_{tenths / 10:.2f}" for tenths in range(11)),
    *(f"P_{effort}" for effort in _EFFORTS),
    "relstring",
    *(f"recall_{effort}" for effort in _EFFORTS),
    "infAP",
    "gm_bpref",
    *(f"Rprec_mult_{fifths / 5:.2f}" for fifths in range(1, 11)),
    "utility",
    "11pt_avg",
    "binG",
    "G",
    "ndcg",
    "ndcg_rel",
    "Rndcg",
    *(f"ndcg_cut_{effort}" for effort in _EFFORTS),
    *(f"map_cut_{effort}" for effort in _EFFORTS),
    *(f"relative_P_{effort}" for effort in _EFFORTS),
    *(f"success_{effort}" for effort in (1, 5, 10)),
    "set_P",
    "set_relative_P",
    "set_recall",
    "set_map",
    "set_F",
    "num_nonrel_judged_ret",
    "rbp",
    "rbp_resid",
    *(f"unj_{effort}" for effort in (5, 10, 20)),
)

_WORDS = frozenset({"runid", "relstring"})
_NOT_BY_TOPIC = frozenset({"runid", "num_q", "gm_map", "gm_bpref"})
_SMALLEST_IN_GEOMETRIC_MEAN = 0.00001
_LENGTH_OF_RELSTRING = 10

RBP_NOTE = (
    "rbp and rbp_resid: trec_eval 10 adds them up in memory that it does not set to 0, so an optimised build may print "
    "anything; here they start at 0"
)


def report_runs(
    qrels: Any,
    runs: Any,
    *,
    level: int = 1,
    by_topic: bool = False,
    topics: Iterable[str] | None = None,
    order: Order = "score",
    unjudged: Literal["wrong", "condensed"] = "wrong",
    names: Collection[str] = ALL_TREC,
) -> str:
    """Return the reports on several runs, one after the other. Qrels and runs are files or objects, as for `evaluate`.

    >>> report = report_runs({"7": {"d1": 1, "d2": 0}}, {"7": {"d1": 0.3, "d2": 0.5}})
    >>> report.splitlines()[5]
    'map                   \\tall\\t0.5000'
    """
    judged = open_qrels(qrels, format="plain", topics=topics)
    blocks: list[str] = []
    for run, part in joined_runs(runs, judged, order):
        blocks += trec_eval_report(
            together([part], judged),
            judged,
            tag_of(run),
            answered=part.answered,
            level=level,
            by_topic=by_topic,
            unjudged=unjudged,
            names=names,
        )
    return "".join(blocks)


def asked_for(measures: Iterable[str] | None) -> Collection[str]:
    """Return the measures asked for by trec_eval's names, or all if there are none."""
    wanted = [name for text in measures or () for name in re.split(r"[\s,]+", text) if name]
    if not wanted or wanted == ["all_trec"]:
        return ALL_TREC
    for name in wanted:
        if name not in ALL_TREC:
            raise MeasureError(
                f"trec_eval has no measure {name!r}{nearest(name, ALL_TREC)} (leave out --like to use others)"
            )
    return wanted


def tag_of(run: Run) -> str:
    """Return trec_eval's name of a run: the sixth field of the last line of its file."""
    if run.text is None:
        return run.name
    lines = run.text.bytes().rstrip()
    while is_skipped(lines[lines.rfind(b"\n") + 1 :]):
        lines = lines[: lines.rfind(b"\n")]
    return decode_id(lines[lines.rfind(b"\n") + 1 :].split(None, 6)[5])


def trec_eval_report(
    hits: Hits,
    qrels: Qrels,
    tag: str,
    *,
    answered: Mask,
    names: Collection[str] = ALL_TREC,
    level: int = 1,
    by_topic: bool = True,
    depth: int | None = None,
    unjudged: Literal["wrong", "condensed"] = "wrong",
    missing: Literal["zero", "error"] = "zero",
) -> Iterator[str]:
    """Yield the report on one run: a block for each topic if `by_topic`, then the block of `all`.

    `level`, `depth` and `unjudged="condensed"` are trec_eval's -l, -M and -J. `missing="zero"` is its -c; without
    that, trec_eval 10 stops at the first judged topic missing from the run, and so does this. `answered`
    says which topics the run has.

    A topic with no grade of 0 or more scores 0 here; trec_eval reads invalid memory there and mostly aborts.
    """
    if depth is not None:
        hits = first_only(hits, depth)
    if unjudged == "condensed":
        hits = judged_only(hits)
    values = {name: _values(name, hits, level) for name in ALL_TREC if name in names and name not in _WORDS}
    _set_undefined(values, hits, level, unjudged == "condensed")
    over_topics = dict(values)
    if missing == "zero" and "num_rel" in names:
        over_topics["num_rel"] = _values("num_rel", hits, 1)  # with -c it sums over the judgements and ignores -l
    strings = relstrings(hits)
    order = sorted(range(len(qrels.topics)), key=lambda t: encode_id(qrels.topics[t]))
    for t in order:
        topic = qrels.topics[t]
        if missing == "error" and not answered[t]:
            raise MismatchError(f"the run lacks topic {topic}, which is judged; trec_eval scores it 0 only with -c")
        if by_topic:
            yield "".join(
                _line(name, topic, f"'{strings[t]}'" if name == "relstring" else _number(name, values[name][t]))
                for name in ALL_TREC
                if name in names and name not in _NOT_BY_TOPIC
            )
    yield "".join(
        _line(name, "all", tag if name == "runid" else _number(name, _over_topics(name, over_topics[name][order])))
        for name in ALL_TREC
        if name in names and name != "relstring"
    )


def _line(name: str, topic: str, value: str) -> str:
    return f"{name:<22}\t{topic}\t{value}\n"


def _number(name: str, value: float) -> str:
    if name.startswith("num_"):
        return str(int(value))
    return "  -nan" if np.isnan(value) else f"{value:.4f}"


def _over_topics(name: str, values: Array) -> float:
    """The sum or mean over topics, added in trec_eval's order, since the last digit may depend on it."""
    if name.startswith("gm_"):
        logarithms = np.log(np.maximum(values, _SMALLEST_IN_GEOMETRIC_MEAN))
        return float(np.exp(np.cumsum(logarithms)[-1] / len(values)))
    total = float(np.cumsum(values)[-1])
    return total if name.startswith("num_") else total / len(values)


def _values(name: str, hits: Hits, level: int) -> Array:
    if name == "rbp":
        return scaled_rbp(hits)
    if name == "rbp_resid":
        return rbp_residual(hits)
    return parse_measure(name, rel=level).raw(hits)


def _set_undefined(values: dict[str, Array], hits: Hits, level: int, condensed: bool) -> None:
    """Set NaN where trec_eval divides 0 by 0 and prints -nan.

    That is precision of a list without a judged document (trec_eval gives an unanswered topic one unjudged document,
    so only -J empties lists), and Rndcg where relevant documents (-l 0) have no gain.
    """
    empty = (hits.retrieved == 0) & condensed
    gainless = (hits.n_relevant(level) > 0) & (hits.n_relevant() == 0)
    for name, column in values.items():
        if name == "Rndcg":
            column[gainless] = np.nan
        elif name == "11pt_avg":
            column[empty] = np.nan
        elif name.startswith("iprec_at_recall_"):
            none_needed = share_of_relevant(hits, float(name.rpartition("_")[2]), level) == 0
            column[empty & none_needed] = np.nan


def scaled_rbp(hits: Hits, persistence: float = 0.9) -> Array:
    """Return RBP with the grade over the topic's largest as gain, as trec_eval computes it when its memory starts at 0.

    >>> scaled_rbp(Hits.of(ranks=[1, 2], grades=[2, 1]), persistence=0.5)
    array([0.625])
    """
    largest = np.ones(len(hits.judged.offsets) - 1, np.int64)
    np.maximum.at(largest, hits.judged.topic, hits.judged.grades)
    gain = np.maximum(hits.grade, 0) / largest[hits.topic[hits.row]]
    return (1.0 - persistence) * hits.total(gain * _powers(hits, persistence)[hits.rank - 1])


def rbp_residual(hits: Hits, persistence: float = 0.9) -> Array:
    """Return what RBP could gain if all unjudged documents were perfect; 0 in trec_eval if all retrieved are judged.

    >>> rbp_residual(Hits.of(ranks=[1], relevant=1, retrieved=2), persistence=0.5)
    array([0.5])
    """
    # The weight of the unjudged ranks of each list, and of all ranks after it.
    powers = _powers(hits, persistence)
    row = np.repeat(np.arange(hits.rows), hits.retrieved)
    starts = np.cumsum(hits.retrieved) - hits.retrieved
    unjudged = np.ones(len(row), bool)
    unjudged[(starts[hits.row] + hits.rank - 1)[hits.grade >= 0]] = False
    rank = np.arange(len(row)) - starts[row] + 1
    weight = np.bincount(row[unjudged], weights=powers[rank[unjudged] - 1], minlength=hits.rows)
    return np.where(weight > 0, powers[hits.retrieved] + (1 - persistence) * weight, 0.0)


def _powers(hits: Hits, persistence: float) -> Array:
    """1, p, p², ..., each computed from the one before, as trec_eval does."""
    steps = np.full(int(hits.retrieved.max(initial=0)) + 1, persistence)
    steps[0] = 1.0
    return np.cumprod(steps)


def relstrings(hits: Hits) -> list[str]:
    """Return the grades of the first ten documents of each row: `.` pooled but not judged, `-` not in the pool.

    >>> relstrings(Hits.of(ranks=[1, 3, 4, 5], grades=[2, 12, 0, -1], retrieved=6))
    ['2->0.-']
    """
    shown = np.full((hits.rows, _LENGTH_OF_RELSTRING), "-")
    early = hits.rank <= _LENGTH_OF_RELSTRING
    grade = hits.grade[early]
    letters = np.array([*"0123456789>."])[np.where(grade < 0, 11, np.minimum(grade, 10))]
    shown[hits.row[early], hits.rank[early] - 1] = letters
    return ["".join(row)[:length] for row, length in zip(shown.tolist(), hits.retrieved.tolist(), strict=True)]


# The output of NIST's sample_eval (October 2011), without its lines of interpolated precision.


# Its names in the order in which it prints them, with ours.
NAMES = {
    "infAP": "xinfAP(depth=1000)",
    "infNDCG": "infNDCG@1000",
    "iP10": "iP@10",
    "iP50": "iP@50",
    "iP1000": "iP@1000",
    "inum_rel_ret": "inum_rel_ret(depth=1000)",
    "inum_rel": "inum_rel",
    "num_ret": "num_ret",
}
SUMMED = ("inum_rel_ret", "inum_rel", "num_ret")
LEFT_OUT = "sample_eval's lines iprec@rec are left out"


def sample_eval_report(qrels: Any, runs: Any, *, order: Order = "score", by_topic: bool = False) -> str:
    """Return what sample_eval prints on each run: every topic if `by_topic` (its -q), then `all`."""
    judged = open_qrels(qrels, format="strata")
    blocks: list[str] = []
    for _, part in joined_runs(runs, judged, order):
        hits = together([part], judged)
        values = {theirs: np.nan_to_num(parse_measure(ours).raw(hits)) for theirs, ours in NAMES.items()}
        values["num_ret"] = np.minimum(values["num_ret"], 1000)
        if by_topic:
            for t in np.flatnonzero(part.answered).tolist():
                blocks += _lines(judged.topics[t], {name: float(column[t]) for name, column in values.items()})
        # It sums the relevant documents of all judged topics; everything else is over the topics that the run answers.
        over = {
            name: float(column.sum() if name == "inum_rel" else column[part.answered].sum())
            if name in SUMMED
            else float(column[part.answered].mean())
            for name, column in values.items()
        }
        blocks += _lines("all", over)
    return "".join(blocks)


def _lines(topic: str, values: dict[str, float]) -> Iterator[str]:
    """One line for each measure, in its columns."""
    for name, value in values.items():
        head = f"{name}\t" if len(name) >= 8 else f"{name}\t\t"
        if name == "num_ret":
            text = f"\t{value:9.0f}"
        elif name in SUMMED:
            text = f"\t{value:14.4f}"
        else:
            text = f"\t\t{value:.4f}"
        yield f"{head}{topic}{text}\n"


# Runs joined with judgements one at a time, for the reports in the form of other programs.


def joined_runs(runs: Any, judged: Qrels, order: Order) -> Iterator[tuple[Run, RunHits]]:
    """Yield each run with its hits; a run without a topic of the judgements is a MismatchError."""
    for source in open_sources(runs):
        run = source.run if source.path is None else read_run(source.path, source.name, order=order)
        assert run is not None
        part = join(run, judged, kernels=pays(0 if run.text is None else run.text.size()))
        if not part.answered.any():
            raise MismatchError(f"{source.name} and {judged.name} have no topic in common")
        yield run, part


# The measures of this package in ir_measures, so that it, and PyTerrier, can compute `PRES@100`.


_OURS: dict[str, str] = {}  # measures offered so far: {name in ir_measures: name here}


def offer() -> Any:
    """Add the measures that ir_measures does not have, and a provider for all measures here. Return the provider.

    Called again, it adds the measures that were registered since.

    >>> import ir_measures
    >>> _ = offer()
    >>> pres = ir_measures.parse_measure("PRES@100")
    >>> ir_measures.calc_aggregate([pres], {"1": {"d1": 1}}, {"1": {"d1": 0.5}})
    {PRES@100: 1.0}
    """
    from ir_measures.measures import registry

    for definition in MEASURES.values():
        known = registry.get(definition.name)
        if known is None:
            known = registry[definition.name] = _measure_class(definition)()
        _OURS[known.NAME] = definition.name
    return _provider()


@cache
def _provider() -> Any:
    import ir_measures
    from ir_measures import providers

    class LeadlineProvider(providers.Provider):  # type: ignore[misc]
        NAME = "leadline"

        def supports(self, measure: Any) -> bool:
            return measure.NAME in _OURS and _text(measure) is not None

        def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
            return _evaluator(ir_measures, list(measures), qrels)

    provider = LeadlineProvider()
    providers.registry["leadline"] = provider
    ir_measures.leadline = provider
    # Last, so that measures that other providers have stay with them, unless this one is asked for by name.
    ir_measures.DefaultPipeline.providers.append(provider)
    return provider


def _measure_class(definition: Definition) -> Any:
    from ir_measures.measures import Measure, ParamInfo

    parameters = {
        ("cutoff" if name == definition.at else name): ParamInfo(required=parameter.default is parameter.empty)
        for name, parameter in definition.parameters.items()
    }
    return type(
        f"_{definition.name}",
        (Measure,),
        {
            "__name__": definition.name,
            "NAME": definition.name,
            "AT_PARAM": "cutoff",
            "SUPPORTED_PARAMS": parameters,
            "__doc__": definition.function.__doc__,
        },
    )


def _text(measure: Any) -> str | None:
    """Their measure in our notation; None if it has options unknown here."""
    options = ", ".join(f"{name}={value}" for name, value in measure.params.items() if name != measure.AT_PARAM)
    at = measure.params.get(measure.AT_PARAM)
    text = _OURS[measure.NAME] + (f"({options})" if options else "") + (f"@{at}" if at is not None else "")
    try:
        parse_measure(text)
    except LeadlineError:
        return None
    return text


def _evaluator(ir_measures: Any, measures: list[Any], qrels: Any) -> Any:
    judged = Qrels.of(qrels)
    wanted = [parse_measure(_text(measure) or "") for measure in measures]

    class LeadlineEvaluator(ir_measures.Evaluator):  # type: ignore[misc]
        def _iter_calc(self, run: Any) -> Iterator[Any]:
            scores = evaluate(judged, Run.of(run), wanted)
            for m, measure in enumerate(measures):
                for t, topic in enumerate(scores.topics):
                    value = scores.values[0, t, m]
                    # ir_measures averages over all topics of the judgements; one without a relevant document is 0.
                    yield ir_measures.Metric(query_id=topic, measure=measure, value=float(np.nan_to_num(value)))

    return LeadlineEvaluator(measures, set(judged.topics))
