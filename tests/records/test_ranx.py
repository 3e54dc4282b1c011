"""Runs and judgements go into ranx's objects and come back, and are evaluated as they are."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
import ranx
import leadline as ll

run = ll.Run.of({"7": {"a": 2.0, "b": 1.5}, "8": {"c": 1.0}}, "bm25")
again = ll.Run.of(run.to_ranx())
assert (again.name, again.to_dict()) == ("bm25", run.to_dict())
qrels = ll.Qrels.of({"7": {"a": 1, "x": 2}, "8": {"c": 1}})
assert ll.Qrels.of(qrels.to_ranx()).to_dict() == qrels.to_dict()

judged = {"1": {"d1": 1, "d2": 0, "d3": 2}, "2": {"d4": 1}, "3": {"d9": 0}}
found = {"1": {"d1": 3.0, "d2": 2.0, "d8": 1.0}}
measures = ["AP", "PRES@10", "nDCG@10"]
scores = ll.evaluate(ranx.Qrels(judged), ranx.Run(found, name="run"), measures)
np.testing.assert_array_equal(scores.values, ll.evaluate(judged, found, measures).values)
assert scores.runs == ("run",)
"""


@pytest.mark.soak
def test_objects_of_ranx(ranx_environment: dict[str, str]) -> None:
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=ranx_environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
