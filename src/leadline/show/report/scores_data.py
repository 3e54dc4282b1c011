"""The scores that the page computes figures from when the reader chooses another measure, effort or set of topics."""

from __future__ import annotations

import math
from typing import Any

from leadline.measures.definition import Measure
from leadline.measures.intervals import bounds
from leadline.measures.notation import parse_measures
from leadline.show.figures.catalogue import spectrogram, told_apart
from leadline.show.figures.catalogue.six_measures import six
from leadline.show.figures.evidence import Evidence, measure_at

UNIT = 1e-5  # of the values in the page, which are whole numbers
MOST_VALUES = 600_000  # in a page: measure × run × topic; beyond that only the deciding measure
MOVING = ("PRES", "R", "P", "AP")  # the page computes these at any effort from the ranks of the relevant documents


def choosable(evidence: Evidence) -> list[Measure]:
    """The measures a reader can choose: the deciding one, those of `evidence.trio`, and those of the first page."""
    found = parse_measures(list(dict.fromkeys((evidence.measure.text, *six(evidence), *spectrogram.MORE))))
    few = len(found) * len(evidence.runs) * len(evidence.topics) <= MOST_VALUES
    return [measure for measure in found if measure.definition.better != "neither"][: None if few else 1]


def scores_data(evidence: Evidence) -> dict[str, Any]:
    """The values of each measure on every run and topic, and what else the page needs to draw figures from them."""
    first = evidence.place(evidence.leader) * len(evidence.topics)
    return {
        "measures": [_values(evidence, measure) for measure in choosable(evidence)],
        "unit": UNIT,
        "trio": list(evidence.trio),
        "shown": told_apart.MOST,
        "baseline": evidence.baseline,
        "listed": evidence.hits.retrieved[first : first + len(evidence.topics)].tolist(),  # by the leader
    }


def _values(evidence: Evidence, measure: Measure) -> dict[str, Any]:
    """A measure with its range and its values; `family` if the page can compute it at another effort."""
    low, high = bounds(measure.text)
    same = [name for name in MOVING if measure.text == measure_at(name, evidence.effort, evidence.level).text]
    values = evidence.scores(measure).values[:, :, 0].tolist()
    return {
        "name": measure.text,
        "family": "".join(same),
        "better": measure.definition.better,
        **({"low": low} if math.isfinite(low) else {}),
        **({"high": high} if math.isfinite(high) else {}),
        "values": [[None if math.isnan(value) else round(value / UNIT) for value in row] for row in values],
    }
