"""Measures that Sakai's NTCIREVAL also computes, on whole lists and on lists condensed to what is judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leadline.measures.definition import parse_measure
from leadline.measures.join import join, together
from leadline.records.qrels import read_qrels
from leadline.records.runs import read_run

# Its AP@k divides by min(n, k) and its ERR stops with g / (largest g + 1), so these are not ours.
OURS = {
    "RR": "RR",
    "AP": "AP",
    "bpref": "bpref",
    "P@": "P",
    "Hit@": "Success",
    "RBP": "RBP(p={p}, gain={gain}, max_grade=4)",
    "RBP@": "RBP(p={p}, gain={gain}, max_grade=4)",
    "MSnDCG@": "nDCG(gain={gain})",
    "nDCG@": "nDCG(gain={gain}, discount=jk)",
}


def our_name(theirs: str, gain: str, p: float) -> str | None:
    stem, at, cutoff = theirs.partition("@")
    name = OURS.get(stem + at)
    return name and name.format(p=p, gain=gain) + at + cutoff.lstrip("0")


@pytest.mark.parametrize(
    ("output", "gain", "p", "compared"),
    [
        ("runA.g1234", "linear", 0.95, 11 * 18),
        ("runB.g1234", "linear", 0.95, 11 * 18),
        ("runA.g13715.rbp85", "exp", 0.85, 11 * 13),
        ("runA.condensed_j", "linear", 0.95, 10 * 14),
        ("runB.condensed_j", "linear", 0.95, 10 * 14),
    ],
)
def test_ntcireval(golden: Path, output: str, gain: str, p: float, compared: int) -> None:
    qrels = read_qrels(golden / "inputs/syn/syn.nonneg.qrels", format="plain")
    hits = together([join(read_run(golden / f"inputs/syn/{output[:4]}.run"), qrels, kernels=False)], qrels)
    if "condensed" in output:
        hits = replace(hits, rank=hits.running(hits.grade >= 0))
    count = 0
    for line in (golden / f"ntcireval/adhoc.{output}.nev").read_text().splitlines():
        topic, theirs, *printed = line.split()
        ours = our_name(theirs.rstrip("="), gain, p)
        if ours is None or len(printed) != 1:
            continue
        found = parse_measure(ours).raw(hits)[qrels.topics.index(topic)]
        assert abs(found - float(printed[0])) < 0.5e-4 + 1e-9, (topic, ours)
        count += 1
    assert count == compared
