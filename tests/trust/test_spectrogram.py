"""The spectrogram of the TREC-CHEM overview: which topics nobody, some or most answer."""

from __future__ import annotations

import numpy as np
import pytest

from leadline.errors import InputError
from leadline.records.scores import Scores
from leadline.show.papers import published
from leadline.trust.by_topic import spectrogram


def test_only_one_run_answers_topic_13_as_the_overview_says() -> None:
    found = spectrogram(published.trec_chem_2009("xinfAP"), "xinfAP")
    by_topic = {row[0]: row for row in found.topic_table().rows}
    assert by_topic["TS-13"][3:] == ["SCAI09TSMAN", 1, "one"]
    assert (len(found.runs), len(found.topics)) == (31, 18)
    assert found.runs[0] == "DUT09TSRun6"
    assert by_topic["TS-3"][5] == "most"


def test_runs_and_topics_are_in_order_and_values_follow() -> None:
    scores = published.trec_chem_2009("infNDCG")
    found = spectrogram(scores, "infNDCG")
    assert (np.diff(found.values.mean(axis=1)) <= 1e-12).all()
    assert (np.diff(found.values.mean(axis=0)) <= 1e-12).all()
    r, t = scores.runs.index(found.runs[3]), scores.topics.index(found.topics[5])
    assert found.values[3, 5] == scores.values[r, t, 0]
    assert found.table().rows[3][6] == found.values[3, 5]


def test_undefined_topics_are_left_out_and_lower_is_refused() -> None:
    values = np.array([[0.5, np.nan], [0.1, np.nan]])[:, :, None]
    assert spectrogram(Scores(("a", "b"), ("1", "2"), ("AP",), values), "AP").topics == ("1",)
    with pytest.raises(InputError, match="is better when lower"):
        spectrogram(Scores(("a", "b"), ("1", "2"), ("e",), values, better=("lower",)), "e")
