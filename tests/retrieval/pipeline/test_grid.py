"""Grids: every combination or some, files that are whole, and going on after a kill."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import leadline as ll
from leadline.commands import grid as command
from leadline.errors import InputError
from leadline.records.inputs import read_runs_info
from leadline.records.runs import read_run
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.grid import GridRuns, plan, read_grid
from leadline.retrieval.pipeline.named_systems import settings, system
from leadline.retrieval.pipeline.steps import RM3, Search, Text
from leadline.text.owned_folder import OwnedFolder

TOPICS = ["EP1000000A1", "US5000009A", "US5000001A", "US5000006A"]
GRID = """
[choices.query]
whole = "text"
title = {step = "text", fields = ["abstract"]}
[choices.model]
bm25 = {step = "search", model = {each = ["bm25(k1=0.9)", "bm25(k1=1.2, b=0.4)"]}}
dph = {step = "search", model = "dph"}
[choices.after]
nothing = []
rm3 = ["rm3", {again = "model"}]
"""


def written(text: str, more: str = ""):
    return tomllib.loads(text + more)


def grid(*arguments: str) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    command.run(parser.parse_args(arguments))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "grid.toml").write_text(GRID)
    (tmp_path / "topics.txt").write_text("\n".join(TOPICS))
    return tmp_path


def arguments(context: SearchContext, files: Path, output: str = "out") -> list[str]:
    return [str(context.index.folder), *(str(files / name) for name in ("topics.txt", "grid.toml")), "-o",
            str(files / output)]  # fmt: skip


def test_every_combination_in_the_order_of_the_tables() -> None:
    runs = plan(written(GRID))
    assert len(runs) == 2 * 3 * 2
    assert runs[0].name == "whole-bm25_bm25_k1=0.9-nothing"
    assert runs[-1].choices == {"query": "title", "model": "dph", "after": "rm3"}
    twice = next(run for run in runs if run.name == "whole-dph-rm3")
    assert twice.pipeline.steps == (Text(), Search("dph"), RM3(), Search("dph"))


def test_some_combinations() -> None:
    runs = plan(written(GRID, '[[runs]]\nmodel = "all"\n[[runs]]\nquery = ["whole", "title"]\nafter = "rm3"'))
    assert [run.name for run in runs] == [
        "whole-bm25_bm25_k1=0.9-nothing", "whole-bm25_bm25_k1=1.2_b=0.4-nothing", "whole-dph-nothing",
        "whole-bm25_bm25_k1=0.9-rm3", "title-bm25_bm25_k1=0.9-rm3",
    ]  # fmt: skip


def test_systems_are_choices() -> None:
    systems = '[choices.system]\nb = {system = "bitem"}\nc = {system = "cmu"}\n'
    (run, other) = plan(written(systems, '[choices.end]\nk = "cut"'))
    assert (run.name, other.name) == ("b-k", "c-k")
    assert settings(run.pipeline)[0] == settings(system("bitem"))[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[choice.a]", "'choice' is not one of about, choices, runs, parts; did you mean choices?"),
        ("about = 'x'", "has no choices"),
        ("[choices.a]", "[choices.a] has no options: add at least one"),
        ("[choices.run]\na = 'text'", "`run` names the run itself"),
        ("[choices.a]\nb = 'txt'", "'txt' is not one of"),
        ("[choices.a]\nb = {again = 'a'}", "again: 'a' is not one of nothing"),
        ("[choices.a]\nb = []", "the run b has no steps"),
        ("[choices.a]\nb = 'text'\n[[runs]]\nc = 'b'", "[[runs]]: 'c' is not one of a"),
        ("[choices.a]\nbm25 = 'text'\n[[runs]]\na = 'bm52'", "did you mean bm25?"),
        ("runs = 7\n[choices.a]\nb = 'text'", "`runs` must be a list of tables"),
        ("[choices.a]\n'b/c' = 'text'\n'b c' = 'text'", "two runs would be called b_c"),
        ("[choices.a]\nb = {step = 'search', model = 'bm52'}", "did you mean bm25?"),
        ("[choices.a]\nb = {step = 'search', model = {each = [1]}}", "search: model must be text, got 1"),
        ("[choices.a]\nb = {step = 'search', model = {each = []}}", "each takes a list of at least one value"),
        ("[choices.a]\nb = {step = 'search', model = {each = 'dph'}}", "each takes a list of at least one value"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(text: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        plan(tomllib.loads(text))
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_example_makes_the_33_runs_of_the_paper() -> None:
    runs = read_grid(str(Path(__file__).parents[3] / "examples" / "grid.toml"))
    assert len(runs) == 33
    assert len({str(settings(run.pipeline)) for run in runs}) == 33


def test_runs_and_their_table(context: SearchContext, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid(*arguments(context, files))
    out = files / "out"
    runs = plan(written(GRID))
    assert "12 runs made" in capsys.readouterr().err
    assert {path.stem for path in (out / "runs").iterdir()} == {run.name for run in runs}
    assert {path.name for path in out.iterdir()} == {"runs", "runs.tsv", "manifest.json", "leadline.jsonl"}
    info = read_runs_info(out / "runs.tsv")
    assert info == {run.name: run.choices for run in runs}
    for run in (runs[0], runs[-1]):
        made = read_run(out / "runs" / f"{run.name}.run")
        assert made.ranking(TOPICS[0]) == run.pipeline.run(context, TOPICS).ranking(TOPICS[0])
    judged = {topic: {"US5000001A": 1, "EP0500002A1": 1} for topic in TOPICS}
    scores = ll.evaluate(judged, out / "runs", "AP", runs_info=out / "runs.tsv")
    assert len(scores.best_per(1, "model").runs) == 3
    grid(*arguments(context, files), "--plan")
    assert capsys.readouterr().out == (out / "runs.tsv").read_text()


def test_what_is_there_stays_unless_something_changed(context, files: Path, capsys) -> None:
    grid(*arguments(context, files))
    before = {path: path.stat().st_mtime_ns for path in (files / "out" / "runs").iterdir()}
    damaged, missing, *_ = sorted(before)
    damaged.write_bytes(damaged.read_bytes()[:-20])
    missing.unlink()
    (files / "grid.toml").write_text(GRID.replace('model = "dph"', 'model = "tfidf"'))
    capsys.readouterr()
    grid(*arguments(context, files))
    assert "6 runs made" in capsys.readouterr().err  # the two, and four of another model
    assert sum(path.stat().st_mtime_ns == time for path, time in before.items()) == 6
    grid(*arguments(context, files), "-k", "2")
    assert "12 runs made" in capsys.readouterr().err
    (files / "grid.toml").write_text(GRID.replace('title = {step = "text", fields = ["abstract"]}', ""))
    grid(*arguments(context, files), "-k", "2")
    assert "6 runs in" in capsys.readouterr().err  # that are not of this grid


KILLING = """
import argparse, os, signal, sys
from leadline.retrieval.pipeline.steps import Search
from leadline.commands.grid import add_arguments, run
searched, count = Search.__call__, 0
def dying(self, context, request):
    global count
    count += 1
    if count > int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    return searched(self, context, request)
Search.__call__ = dying
parser = argparse.ArgumentParser()
add_arguments(parser)
run(parser.parse_args(sys.argv[2:]))
"""


def test_a_killed_grid_goes_on(context: SearchContext, files: Path, monkeypatch, capsys) -> None:
    grid(*arguments(context, files, "whole"))
    environment = os.environ | {"PYTHONPATH": str(Path(ll.__file__).parents[1])}
    (files / "kill.py").write_text(KILLING)
    for searches in (14, 11):  # in the second run, and in the middle of a later one
        command = [sys.executable, str(files / "kill.py"), str(searches), *arguments(context, files)]
        died = subprocess.run(command, env=environment, capture_output=True, check=False)
        assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    out = files / "out"
    done = {path: path.stat().st_mtime_ns for path in (out / "runs").glob("*.run")}
    assert 2 <= len(done) < 12
    assert len(list(out.glob("*.unfinished"))) == 1
    asked: list[str] = []
    searched = Search.__call__

    def counting(self, context, request):
        asked.append(request.topic.id)
        return searched(self, context, request)

    monkeypatch.setattr(Search, "__call__", counting)
    capsys.readouterr()
    grid(*arguments(context, files))
    assert f"{12 - len(done)} runs made" in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert len(asked) == 72 - 14 - 11  # no search is made twice
    assert not list(out.glob("*.unfinished"))
    for path in (files / "whole" / "runs").iterdir():
        assert (out / "runs" / path.name).read_bytes() == path.read_bytes()


def test_an_index_is_no_place_for_a_grid(context: SearchContext, files: Path) -> None:
    before = (context.index.folder / "manifest.json").read_bytes()
    with pytest.raises(InputError, match="does not hold a grid of runs"):
        GridRuns(context.index.folder, context, ll.Topics.of(TOPICS), 10)
    assert (context.index.folder / "manifest.json").read_bytes() == before


def test_a_run_that_fails_is_named(context: SearchContext, files: Path) -> None:
    (files / "grid.toml").write_text("[choices.a]\nphrases = [{step = 'text', fields = 'phrases'}, 'search']")
    with pytest.raises(InputError, match="run phrases: field: 'phrases' is not one of"):
        grid(*arguments(context, files))


def test_a_run_that_finds_nothing_stops_no_grid(context, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "grid.toml").write_text("""
        [choices.where]
        nowhere = ["text", {step = "only", offices = "XX"}, "search"]
        anywhere = ["text", "search"]
    """)
    grid(*arguments(context, files))
    told = capsys.readouterr().err
    assert "1 run made" in told
    assert "the run nowhere found nothing and is left out; 4 topics for which nothing was found: EP1000000A1" in told
    assert [path.name for path in (files / "out" / "runs").iterdir()] == ["anywhere.run"]
    grid(*arguments(context, files))
    assert "0 runs made" in capsys.readouterr().err  # nor is nothing looked for again


def test_a_strangers_folder_and_a_strangers_run_are_left_alone(context: SearchContext, files: Path) -> None:
    (files / "grid.toml").write_text('[choices.where]\nanywhere = ["text", "search"]')
    (files / "out" / "runs").mkdir(parents=True)
    (files / "out" / "runs" / "anywhere.run").write_text("mine")
    with pytest.raises(InputError, match="has other things in it"):
        grid(*arguments(context, files))
    assert [path.name for path in (files / "out").iterdir()] == ["runs"]
    (files / "out" / "runs" / "anywhere.run").unlink()
    (files / "out" / "runs").rmdir()
    grid(*arguments(context, files))
    (files / "out" / "runs" / "other.run").write_text("mine")
    (files / "grid.toml").write_text('[choices.where]\nother = ["text", "search"]')
    with pytest.raises(InputError, match=r"other\.run: is not of this grid"):
        grid(*arguments(context, files))
    assert (files / "out" / "runs" / "other.run").read_text() == "mine"


def test_a_second_grid_in_one_folder_waits_for_no_one(context: SearchContext, files: Path) -> None:
    (files / "grid.toml").write_text('[choices.where]\nanywhere = ["text", "search"]')
    with (
        OwnedFolder.locked(files / "out", "grid", 1),
        pytest.raises(InputError, match=r"process \d+ on .* is writing in this folder"),
    ):
        grid(*arguments(context, files))
