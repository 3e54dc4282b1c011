"""One truth about who is better: no two pages or outputs of a study say things that disagree."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import tarfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("altair", reason="a page needs the package altair")
pytest.importorskip("fastapi.testclient", reason="needs fastapi")

from tests.show.claims import Checked, text_of

import leadline as ll
from leadline.cli import main
from leadline.judge.journal import People
from leadline.show.lab.boards import Boards
from leadline.show.lab.lab import Lab
from leadline.show.lab.stored_results import StoredResults, standing_of
from leadline.show.report.evidence import Evidence
from leadline.show.report.page import report
from leadline.show.serve.laboratory.lab_app import lab_app
from leadline.show.serve.security import Address
from leadline.trust.pairs import Standing, decide
from leadline.trust.study import open_study
from leadline.trust.verdict import Verdict


@dataclass(frozen=True)
class SomeStudy:
    """Judgements and runs, a measure, and where the runs stand by it."""

    qrels: Path
    runs: Sequence[Path]
    measure: str
    truth: Standing
    others: dict[frozenset[str], Verdict]  # verdicts on pairs without the leader

    @property
    def inputs(self) -> list[str]:
        return [str(self.qrels), *map(str, self.runs)]


def studied(qrels: Path, runs: Sequence[Path], measure: str) -> SomeStudy:
    study = open_study(str(qrels), list(map(str, runs)), measure)
    truth = decide(study.scores(), measure, study=study)
    order = [truth.pairs.runs[r] for r in truth.pairs.order()]
    two = [(order[1], order[2]), (order[1], order[-1])] if len(order) > 3 else []
    others = {frozenset(each): truth.verdict_on(*each, study) for each in two}
    return SomeStudy(qrels, runs, measure, truth, others)


def drawn(folder: Path, runs: int, topics: int, seed: int) -> tuple[Path, list[Path]]:
    """Judgements and runs of systems of which each finds a little more than the one before."""
    rng = np.random.default_rng(seed)
    judged = {f"t{t}": [f"d{d}" for d in range(16)] for t in range(topics)}
    lines = [f"{t} 0 {d} 1\n" for t, documents in judged.items() for d in documents]
    lines += [f"{t} 0 n{d} 0\n" for t in judged for d in range(8)]
    (folder / "qrels.txt").write_text("".join(lines))
    paths = []
    hard = rng.uniform(-0.2, 0.2, topics)
    for run in range(runs):
        lines = []
        for (topic, documents), ease in zip(judged.items(), hard, strict=True):
            share = np.clip(0.1 + 0.6 * (run / runs) ** 0.5 + ease, 0, 1)
            found = [d for d in documents if rng.random() < share]
            ranked = rng.permutation([*found, *(f"n{d}" for d in range(8)), *(f"x{d}" for d in range(10))])
            lines += [f"{topic} Q0 {d} {rank} {100 - rank} s\n" for rank, d in enumerate(ranked.tolist(), start=1)]
        paths.append(folder / f"sys-{run}.run")
        paths[-1].write_text("".join(lines))
    return folder / "qrels.txt", paths


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> SomeStudy:
    """Seven systems on 20 topics: some firm, some fragile, some undecided."""
    return studied(*drawn(tmp_path_factory.mktemp("office"), 7, 20, 4), "PRES@20")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SomeStudy:
    """Two runs on five topics, which can never decide."""
    return studied(*drawn(tmp_path_factory.mktemp("small"), 2, 5, 4), "PRES@20")


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory, shared: Path, soak: bool) -> SomeStudy:
    """The runs of TREC-COVID's first round: all 143 in the long form, 30 of them in the short one."""
    folder = tmp_path_factory.mktemp("track")
    source = shared / "runs" / "trec_covid_r1"
    with tarfile.open(source / "runs.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    runs = sorted(path for path in folder.rglob("*") if path.is_file())
    return studied(source / "qrels.txt", runs if soak else runs[::5], "PRES@1000")


STUDIES = ("office", "small", pytest.param("track", marks=pytest.mark.soak))


@pytest.fixture(params=STUDIES)
def study(request: pytest.FixtureRequest) -> SomeStudy:
    found: SomeStudy = request.getfixturevalue(request.param)
    return found


def test_the_studies_have_every_word(office: SomeStudy, small: SomeStudy) -> None:
    assert {each.word for each in office.truth.verdicts} == {"firm", "fragile", "undecided"}
    assert [each.word for each in small.truth.verdicts] == ["undecided"]


def test_the_terminal_and_python(study: SomeStudy, capsys: pytest.CaptureFixture[str]) -> None:
    truth, checked = study.truth, Checked(study.truth)
    pairs = truth.pairs

    def printed(*command: str) -> str:
        capsys.readouterr()
        main(["compare", *command, "-m", study.measure, "-q"])
        return capsys.readouterr().out

    said = printed("verdict", *study.inputs)
    checked.words("compare verdict", " ".join(said.split()))
    for run, word in re.findall(r"^(\S+) +[●◐◌] (\w+)", said, re.MULTILINE):
        checked.claim(f"compare verdict, {run}", word, truth.words[run])
    for row in json.loads(printed("verdict", *study.inputs, "-f", "json")):
        verdict = truth.against(row["run_b"])
        assert verdict is not None
        for name in ("p", "p_corrected", "low", "high", "difference", "significant_in", "topics_needed", "criterion"):
            checked.claim(f"verdict as JSON, {name}", row[name], getattr(verdict, name))
        checked.claim("verdict as JSON", (row["run_a"], row["verdict"]), (truth.leader, verdict.word))
    rows = list(csv.DictReader(io.StringIO(printed("pairs", *study.inputs, "-f", "tsv")), delimiter="\t"))
    assert len(rows) == len(pairs)
    for place, row in enumerate(rows):
        for name in ("difference", "low", "high", "p", "p_corrected"):
            checked.claim(f"pairs as TSV, {name}", float(row[name]), float(getattr(pairs, name)[place]))
    summary = re.sub(r"\n {40,}(?=[a-z])", " ", printed("pairs", *study.inputs))  # many letters take several lines
    count = int(pairs.significant().sum())
    assert f"{count} of {len(pairs):,} pair" in summary
    means = dict(zip(pairs.runs, pairs.means.tolist(), strict=True))
    for run, mean, letters in re.findall(r"^(\S+) +(\d\.\d+) +\S+ +\S+ +([a-z][a-z ]*?)$", summary, re.MULTILINE):
        true = f"{means[run]:.{len(mean) - 2}f}"
        checked.claim(f"compare pairs, {run}", (mean, letters), (true, truth.letters[run]))
    found = ll.verdict(str(study.qrels), study.inputs[1:], study.measure)
    checked.claim("leadline.verdict", str(found), str(truth))
    scores = ll.evaluate(str(study.qrels), study.inputs[1:], study.measure)
    checked.claim("leadline.compare", ll.compare(scores, study.measure).letters(), truth.letters)
    checked.claim("verdicts of pairs", ll.compare(scores).verdicts().letters, truth.letters)
    assert not checked.wrong
    assert checked.claims > 8 * len(truth.verdicts)


def test_the_report(study: SomeStudy) -> None:
    truth, checked = study.truth, Checked(study.truth)
    evidence = Evidence.of(str(study.qrels), study.inputs[1:], study.measure)
    page = report(evidence, names=["recall_effort", "told_apart", "bump"])
    text = text_of(page)
    checked.words("report", text)
    assert re.search(rf"{re.escape(truth.outcome())}\.", text)
    assert " ".join((truth.leader, *filter(None, truth.written_mean(truth.leader)))) in text
    rows = re.findall(r'<tr data-run="([^"]*)">(.*?)</tr>', page, re.DOTALL)
    assert len(rows) == len(truth.pairs.runs)
    for run, row in rows:
        check_row(checked, "report, all systems", html.unescape(run), text_of(row))
    data = json.loads(re.search(r'id="data-told_apart">(.*?)</script>', page)[1])  # type: ignore[index]
    columns = {
        name: [values["of"][at] for at in values["at"]] if isinstance(values, dict) else values
        for name, values in data["rows"]["columns"]
    }
    for run, verdict in zip(columns["run"], columns["verdict"], strict=True):
        check_row(checked, "told apart", run, verdict)
    assert not checked.wrong
    assert checked.claims > 2 * len(truth.verdicts)


def check_row(checked: Checked, where: str, run: str, text: str) -> None:
    """On the row of a run that is behind, the chip says so; a solid mark stands beside no loser."""
    truth = checked.truth
    word = truth.words.get(run)
    wanted = "" if word is None else "◌ undecided" if word == "undecided" else f"↓ behind, {word}"
    assert wanted in text, (where, run, text)
    said = re.findall(r"(behind, )?\b(firm|fragile|undecided)\b", text)
    if run != truth.leader:
        checked.claim(f"{where}, {run}", said, [("" if word == "undecided" else "behind, ", word)])
        checked.claim(f"{where}, {run}, solid", "●" in text, False)


def client_of(lab: Lab, people: Path) -> Any:
    from fastapi.testclient import TestClient

    known = People(people)
    client = TestClient(lab_app(lab, known, Address.of("127.0.0.1", 80)), base_url="http://127.0.0.1")
    client.get(f"/in/{known.add('anna', 'organiser')}")
    return client


def answered(client: Any, path: str) -> Any:
    """The JSON of a page, once nothing of it is being computed."""
    end = time.monotonic() + 300
    while (answer := client.get(path).json()).get("working"):
        assert time.monotonic() < end
        time.sleep(0.1)
    return answer


def test_the_lab(study: SomeStudy, tmp_path: Path) -> None:
    truth, checked = study.truth, Checked(study.truth)
    lab = Lab.create(tmp_path / "lab", "One truth")
    lab.add(study.qrels)
    lab.add_all(study.runs)
    boards, results = Boards(lab), StoredResults(lab)
    standing_of(boards.board(), results, patience=None)
    client = client_of(Lab.open(lab.folder), tmp_path / "people")
    query = f"measure={study.measure}"

    home = answered(client, "/api/home")
    assert home["leads"]["measure"] == study.measure
    chips = {word: int(against.removeprefix("against ").replace(",", "")) for word, against in
             home["leads"]["screen"]["standing"]} if len(truth.verdicts) > 1 else {}  # fmt: skip
    checked.claim("home, chips", chips, {w: n for w in chips if (n := truth.count(w))})  # type: ignore[arg-type]
    checked.claim("home, samples", home["leads"]["samples"], truth.samples)
    for theme in ("light", "dark"):
        drawing = client.get(f"/figure.svg?{query}&figure=told_apart&theme={theme}").text
        words = {"undecided", *(f"behind, {word}" for word in ("firm", "fragile"))}
        shown = re.findall(r"(undecided|behind, \w+)", text_of(drawing))
        checked.claim(f"home, drawing {theme}", set(shown) <= words, True)

    board = answered(client, f"/api/leaderboard?{query}")
    checked.claim("leaderboard, sentence", board["sentence"], truth.headline())
    table = list(csv.DictReader(io.StringIO(client.get(f"/leaderboard.csv?{query}").text)))
    for row, line in zip(board["runs"], table, strict=True):
        run = row["run"]
        r = truth.pairs.runs.index(run)
        verdict = truth.against(run) or truth.verdicts[0]
        checked.claim(f"leaderboard, letters of {run}", (row["letters"], line["letters"]), (truth.letters[run],) * 2)
        checked.claim(f"leaderboard, {run}", (row["verdict"], line["verdict"]), (verdict.word,) * 2)
        checked.claim(f"leaderboard, p of {run}", row["p_corrected"], verdict.p_corrected)
        spans = (row["score"], row["low"], row["high"])
        true = (truth.pairs.means[r], truth.pairs.low_means[r], truth.pairs.high_means[r])
        assert np.allclose([np.nan if each is None else each for each in spans], true, equal_nan=True)
    page = client.get(f"/leaderboard?{query}").text
    for number, row in enumerate(re.findall(r'<tr id="run-\d+".*?</tr>', page, re.DOTALL)):
        check_row(checked, "leaderboard", board["runs"][number]["run"], text_of(row).replace("against the first", ""))

    answered(client, f"/api/trust?{query}")
    asked = [(truth.leader, each.other) for each in (*truth.verdicts[:2], *truth.verdicts[-1:])]
    asked += [tuple(pair) for pair in study.others]  # type: ignore[misc]
    addresses = [f"/compare?{query}&a={a}&b={b}" for a, b in asked]
    for (one, other), address in zip(asked, addresses, strict=True):
        pair = answered(client, f"/api{address}")
        verdict = truth.against(other) if one == truth.leader else study.others[frozenset((one, other))]
        assert verdict is not None
        checked.claim(address, (pair["verdict"], pair["criterion"]), (verdict.word, verdict.criterion))
        checked.claim(address, pair["sentence"], truth.about(verdict))
        numbers = {"p": verdict.p, "p_corrected": verdict.p_corrected}
        checked.claim(address, {name: pair["numbers"][name] for name in numbers}, numbers)
        checked.claim(address, pair["letters"], {run: truth.letters[run] for run in pair["letters"]})
        shared = set.intersection(*(set(letters.split() if " " in letters else letters) for letters in
                                    pair["letters"].values()))  # fmt: skip
        if len(truth.pairs.runs) <= 26:
            checked.claim(f"{address}, letters", bool(shared), verdict.word == "undecided")
    topic = board["miss"]["topic"] if board["miss"] else None
    paths = ["/", f"/leaderboard?{query}", f"/trust?{query}", *addresses, f"/run/{truth.leader}?{query}", "/reports"]
    for path in [*paths, *([f"/topic/{topic}?{query}"] if topic else [])]:
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert "being computed" not in answer.text, path
        checked.words(path, text_of(answer.text), study.others)
    for ending in ("tsv", "json", "tex", "md"):
        assert client.get(f"/leaderboard.{ending}?{query}").status_code == 200
    assert not checked.wrong
    assert checked.claims > 5 * len(truth.verdicts)


def test_letters_of_a_whole_track(track: SomeStudy, soak: bool) -> None:
    """Between 4,000 and 5,000 of 10,153 pairs differ, and letters say the same as the pairs."""
    pairs, letters = track.truth.pairs, track.truth.letters
    found = int(pairs.significant().sum())
    assert (4000 <= found <= 5000) if soak else found > 0
    groups = {run: set(said.split(" " if " " in "".join(letters.values()) else None)) for run, said in letters.items()}
    if " " not in "".join(letters.values()):
        groups = {run: set(said) for run, said in letters.items()}
    for a, b, differs in zip(pairs.first.tolist(), pairs.second.tolist(), pairs.significant().tolist(), strict=True):
        assert bool(groups[pairs.runs[a]] & groups[pairs.runs[b]]) is not differs
