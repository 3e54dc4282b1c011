"""The measures of this package in ir_measures, so that it, and PyTerrier, can compute `PRES@100`.

>>> import ir_measures
>>> _ = offer()
>>> pres = ir_measures.parse_measure("PRES@100")
>>> ir_measures.calc_aggregate([pres], {"1": {"d1": 1}}, {"1": {"d1": 0.5}})
{PRES@100: 1.0}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np

from leadline.errors import LeadlineError
from leadline.measures.definition import MEASURES, Definition
from leadline.measures.evaluate import evaluate
from leadline.measures.notation import parse_measure
from leadline.records.qrels.qrels import Qrels
from leadline.records.runs.run import Run

_OURS: dict[str, str] = {}  # measures offered so far: {name in ir_measures: name here}


def offer() -> Any:
    """Add the measures that ir_measures does not have, and a provider for all measures here. Return the provider.

    Called again, it adds the measures that were registered since.
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
