"""The measures of subtopics against other people's programs: NIST's ndeval, pyndeval, and NTCIREVAL."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from leadline.measures.definition import parse_measure
from leadline.measures.hits import Hits
from leadline.measures.join import join, together
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.runs import Run, read_run

GOLDEN = Path(__file__).parents[1] / "golden"
DIV = GOLDEN / "inputs" / "div"
SIX_DECIMALS = 5.1e-7
FOUR_DECIMALS = 5.1e-5


def hits_of(run: Run, qrels: Qrels) -> Hits:
    return together([join(run, qrels, kernels=False)], qrels)


def with_alpha(name: str, alpha: float, beta: float) -> str:
    """ndeval's name of a measure with the options it was run with."""
    stem, at, cutoff = name.partition("@")
    options = {
        "alpha-DCG": f"alpha={alpha}", "alpha-nDCG": f"alpha={alpha}", "ERR-IA": f"alpha={alpha}",
        "nERR-IA": f"alpha={alpha}", "NRBP": f"alpha={alpha},beta={beta}", "nNRBP": f"alpha={alpha},beta={beta}",
    }  # fmt: skip
    return f"{stem}({options[stem]}){at}{cutoff}" if stem in options else name


def compare_with_ndeval(
    path: Path, hits: Hits, topics: Sequence[str], *, complete: bool = True, alpha: float = 0.5, beta: float = 0.5
) -> int:
    """Every value of ndeval's table against ours, per topic and mean. Gives how many were compared."""
    with path.open() as file:
        lines = list(csv.DictReader(file))
    places = {topic: place for place, topic in enumerate(topics)}
    answered = [places[line["topic"]] for line in lines if line["topic"] != "amean"]
    compared = 0
    for name in list(lines[0])[list(lines[0]).index("topic") + 1 :]:
        values = parse_measure(with_alpha(name, alpha, beta)).raw(hits)
        mean = values.mean() if complete else values[answered].mean()
        for line in lines:
            theirs = float(line[name])
            if math.isnan(theirs):  # nNRBP of a topic without a relevant document, and so its mean
                continue
            ours = mean if line["topic"] == "amean" else values[places[line["topic"]]]
            assert abs(ours - theirs) <= SIX_DECIMALS, (path.name, name, line["topic"], ours, theirs)
            compared += 1
    return compared


@pytest.mark.parametrize("path", sorted((GOLDEN / "ndeval").glob("[bn]*.out")), ids=lambda path: path.stem)
def test_ndeval(path: Path) -> None:
    judgements, run_name, sorting, *flags = path.stem.split(".")
    qrels = read_qrels(DIV / ("div.binary.qrels" if judgements == "binary" else "div.graded.nonneg.qrels"))
    run = read_run(DIV / f"{run_name}.run", order="rank" if sorting == "rank" else "score")
    hits = hits_of(run, qrels)
    if "M5" in flags:
        hits = hits.where(hits.rank <= 5)
    alpha, beta = (0.8, 0.9) if "a8b9" in flags else (0.0, 0.5) if "alpha0" in flags else (0.5, 0.5)
    compared = compare_with_ndeval(path, hits, qrels.topics, complete="c" in flags, alpha=alpha, beta=beta)
    assert compared == 21 * (len(run.topics) + 1) - 2


@pytest.mark.parametrize("path", sorted((GOLDEN / "ndeval").glob("pyndeval.*.out")), ids=lambda path: path.stem)
def test_pyndeval(path: Path) -> None:
    _, *judgements, run_name = path.stem.split(".")
    qrels = read_qrels(DIV / f"div.{'.'.join(judgements)}.qrels")
    run = read_run(DIV / f"{run_name}.run")
    # Of equal scores pyndeval takes the lower document id first, against the rule of TREC.
    low_first = {}
    for topic in run.topics:
        ranking = sorted(run.ranking(topic), key=lambda line: (-line[1], line[0]))
        low_first[topic] = {document: -place for place, (document, _) in enumerate(ranking)}
    compared = compare_with_ndeval(path, hits_of(Run.of(low_first), qrels), qrels.topics)
    assert compared == 21 * len(run.topics) - 1


@pytest.mark.parametrize("judgements", ["ndeval", "diversity"])
@pytest.mark.parametrize("name", ["dssa_baseline", "ql-cata-filtered", "ql-cata", "ql-catb-filtered", "ql-catb"])
def test_ndeval_on_the_web_track(shared: Path, name: str, judgements: str) -> None:
    folder = shared / "subtopics" / "trec_web"
    qrels = read_qrels(folder / f"qrels.{judgements}.2012.txt.gz")
    run = read_run(folder / "runs" / f"{name}_2012.txt.gz", order="rank")
    compared = compare_with_ndeval(folder / "ndeval_out" / f"{name}_2012.csv", hits_of(run, qrels), qrels.topics)
    assert compared == 21 * 51


def weighted_qrels(folder: Path) -> Qrels:
    """The judgements with the probability of each intent as a fifth column."""
    chance = {tuple(line.split()[:2]): line.split()[2] for line in (DIV / "div.Iprob").read_text().splitlines()}
    lines = [line.split() for line in (DIV / "div.Dqrels").read_text().splitlines()]
    path = folder / "weighted.qrels"
    path.write_text("".join(f"{t} {c} {document} {level[1:]} {chance[t, c]}\n" for t, c, document, level in lines))
    return read_qrels(path)


@pytest.mark.parametrize("cutoff", [10, 20])
@pytest.mark.parametrize("name", ["dA", "dB"])
def test_ntcireval_global_gain(name: str, cutoff: int, tmp_path: Path) -> None:
    qrels = weighted_qrels(tmp_path)
    hits = hits_of(read_run(DIV / f"{name}.run"), qrels)
    ours = {
        f"MSnDCG@{cutoff:04}=": parse_measure(f"D-nDCG(theta=given)@{cutoff}").raw(hits),
        f"I-rec@{cutoff:04}=": parse_measure(f"I-rec@{cutoff}").raw(hits),
        f"D#-nDCG@{cutoff:04}=": parse_measure(f"D#-nDCG(theta=given)@{cutoff}").raw(hits),
    }
    compared = 0
    for line in (GOLDEN / "ntcireval" / f"diversity.{name}.cut{cutoff}.Dnev").read_text().splitlines():
        topic, label, *value = line.split()
        if label in ours:
            # It adds D#-nDCG up from two values already rounded.
            within = 2 * FOUR_DECIMALS if label.startswith("D#") else FOUR_DECIMALS
            assert abs(ours[label][qrels.topics.index(topic)] - float(value[0])) <= within, line
            compared += 1
    assert compared == 28


@pytest.mark.parametrize("cutoff", [10, 20])
@pytest.mark.parametrize("name", ["dA", "dB"])
def test_ntcireval_intent_aware(name: str, cutoff: int, tmp_path: Path) -> None:
    """Its IA-ERR; and its ERR, precision and average precision of each intent, weighted here."""
    qrels = weighted_qrels(tmp_path)
    hits = hits_of(read_run(DIV / f"{name}.run"), qrels)
    hits = hits.where(hits.rank <= cutoff)  # it cuts the lists before it begins
    ours = {
        "IA-ERR": parse_measure(f"ERR-IA(graded=linear, max_grade=3, theta=given)@{cutoff}").raw(hits),
        "P": parse_measure(f"P-IA(theta=given)@{cutoff}").raw(hits),
        "AP": parse_measure("MAP-IA(theta=given)").raw(hits),
    }
    # To it the highest grade is that of the intent, so IA-ERR compares where all intents of a topic have the same.
    table = qrels.subtopics
    assert table is not None
    best = np.zeros(len(table.names), int)
    np.maximum.at(best, table.subtopic, table.grade)
    lowest_best = np.minimum.reduceat(best, table.offsets[:-1])
    theirs: dict[tuple[str, str], float] = {}
    for line in (GOLDEN / "ntcireval" / f"diversity.{name}.cut{cutoff}.nevIA").read_text().splitlines():
        topic, *fields = line.split()
        if fields[0] == "SUMp=" and fields[2] == f"IA-ERR@{cutoff:04}=" and lowest_best[qrels.topics.index(topic)] == 3:
            theirs[topic, "IA-ERR"] = float(fields[3])
        elif fields[2] in (f"P@{cutoff:04}=", "AP="):
            key = topic, fields[2].rstrip("=").partition("@")[0]
            theirs[key] = theirs.get(key, 0.0) + float(fields[1]) * float(fields[3])
    for (topic, measure), value in theirs.items():
        # The values of the intents were rounded before they were added.
        assert abs(ours[measure][qrels.topics.index(topic)] - value) <= 2 * FOUR_DECIMALS, (topic, measure)
    assert len(theirs) == 9 + 9 + 7


@pytest.mark.parametrize("cutoff", [10, 20])
@pytest.mark.parametrize("name", ["dA", "dB"])
def test_ntcireval_err_of_each_intent(name: str, cutoff: int, tmp_path: Path) -> None:
    """One intent at a time, as a topic of its own."""
    lines = [line.split() for line in (DIV / "div.Dqrels").read_text().splitlines()]
    best: dict[str, int] = {}
    for topic, intent, _, level in lines:
        best[f"{topic}.{intent}"] = max(int(level[1:]), best.get(f"{topic}.{intent}", 0))
    run = read_run(DIV / f"{name}.run")
    ranking = {intent: dict(run.ranking(intent[:3])) for intent in best if intent[:3] in run.topics}
    theirs = {}
    for line in (GOLDEN / "ntcireval" / f"diversity.{name}.cut{cutoff}.nevIA").read_text().splitlines():
        topic, intent, _, label, *value = line.split()
        if label == f"ERR@{cutoff:04}=":
            theirs[f"{topic}.{intent}"] = float(value[0])
    for highest in (2, 3):
        of_these = [fields for fields in lines if best[f"{fields[0]}.{fields[1]}"] == highest]
        qrels = Qrels.from_columns(
            [f"{fields[0]}.{fields[1]}" for fields in of_these], [fields[2] for fields in of_these],
            [int(fields[3][1:]) for fields in of_these], subtopics=["1"] * len(of_these),
        )  # fmt: skip
        hits = hits_of(Run.of(ranking), qrels)
        values = parse_measure(f"ERR_IA(graded=linear, max_grade={highest})@{cutoff}").raw(hits)
        for intent, value in zip(qrels.topics, values, strict=True):
            if intent in theirs:
                assert abs(theirs.pop(intent) - value) <= FOUR_DECIMALS, intent
    assert not theirs
