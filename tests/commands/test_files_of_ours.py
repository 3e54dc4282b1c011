"""No output of a command replaces what it reads, or any file that is ours."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leadline.cli import main
from leadline.commands import command_files
from leadline.commands.shared.argument_kinds import ArgumentKind, OutputFile, OutputFolder, UpdatedFile, check_outputs
from leadline.errors import InputError
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import ReviewSettings
from leadline.records.runs import read_run
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab_store import CAMPAIGNS
from leadline.text.owned_folder import OwnedFolder

FILES = {
    "q.txt": "1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n",
    "a.run": "1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n2 Q0 d1 1 1 a\n",
    "b.run": "1 Q0 d2 1 2 b\n1 Q0 d3 2 1 b\n2 Q0 d2 1 1 b\n",
    "c.run": "1 Q0 d4 1 2 c\n",
    "titles.csv": "C08J,Working up\n",
    "topics.tsv": "id\ttext\n1\tsilver film\n",
    "grid.toml": 'runs = [{query = ["words"]}]\n[choices.query]\nwords = ["survey", "search"]\n',
    "articles.ris": "".join(f"TY  - JOUR\nID  - a{n}\nTI  - trial {n} of asthma\nER  -\n" for n in range(12)),
    "marks.txt": "1 0 d1 1\n1 0 d2 0\n",
}


@pytest.fixture(scope="module")
def made(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with something small of every kind of ours, made by the commands themselves where that is quick."""
    folder = tmp_path_factory.mktemp("ours")
    with contextlib.chdir(folder):
        for name, text in FILES.items():
            Path(name).write_text(text)
        for name in ("collection", "index"):
            shutil.copytree(made / name, name)
        for line in (
            "simulate office -o office --patents 100 --topics 2 --years 1990-2010 -q",
            "pool a.run -o p.txt -q",
            "judge import p.txt marks.txt --person anna",
            "judge import p.txt marks.txt --person ben",
            "judge people p.txt add anna -q",
            "pool a.run b.run -o fresh.txt -q",
            "lab init lab",
            "lab add lab a.run q.txt p.txt -q",
            "search index silver --history session.json -q -o hits.txt",
            "judge backup p.txt -o monday.journal",
        ):
            main(shlex.split(line))
        begin_review(Path("review"), [Path("articles.ris")], ReviewSettings("Asthma"), known=["a1"])
        for kind, name in (("crawl", "site"), ("demo", "demo"), ("grid", "runs-of-grid")):
            with OwnedFolder.locked(name, kind, 1) as owned:
                owned.reserve("manifest.json", "inner")
                Path(name, "manifest.json").write_text("{}")
                Path(name, "inner").mkdir()
        shutil.copy("p.txt.journal", "p.txt.journal-wal")
        shutil.copy("p.txt.journal", "p.txt.journal-shm")
    return folder


@pytest.fixture
def ours(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, in which the test runs."""
    folder = tmp_path / "here"
    shutil.copytree(made, folder, symlinks=True)
    monkeypatch.chdir(folder)
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line in which a command is refused."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main(shlex.split(line))
    out, err = capsys.readouterr()
    assert (stopped.value.code, out, err.count("\n")) == (1, "", 1), (line, out, err)
    return err.strip()


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for name in command_files():
        module: Any = importlib.import_module(f"leadline.commands.{name.replace(' ', '.').replace('-', '_')}")
        parser = argparse.ArgumentParser(prog=name, allow_abbrev=False)
        module.add_arguments(parser)
        yield name, parser


def test_every_argument_says_what_it_is() -> None:
    wrong = [
        f"{name} {action.option_strings or action.dest}"
        for name, parser in parsers()
        for action in parser._actions
        if action.nargs != 0 and not isinstance(action.type, ArgumentKind)
    ]
    assert wrong == []


def test_what_is_made_for_a_lab_has_a_folder_there() -> None:
    kinds = [action.type for _, parser in parsers() for action in parser._actions]
    makes = {name for kind in kinds if isinstance(kind, (OutputFile, OutputFolder)) for name in kind._makes}
    assert makes <= {CAMPAIGNS, *(kind.folder for kind in KINDS.values())}
    assert len(makes) > 6


def is_output(action: argparse.Action) -> bool:
    return isinstance(action.type, (OutputFile, OutputFolder))


OUTPUTS = [
    (name, action.dest, action.option_strings[0])
    for name, parser in parsers()
    for action in parser._actions
    if is_output(action) and action.option_strings
]


@pytest.mark.parametrize(("command", "dest", "flag"), OUTPUTS)
def test_no_output_of_any_command_may_be_a_file_of_ours(
    command: str, dest: str, flag: str, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All pairs of an output and a file of ours, each with three spellings, at the border alone."""
    monkeypatch.chdir(made)
    parser = dict(parsers())[command]
    action = next(action for action in parser._actions if action.dest == dest and flag in action.option_strings)
    folders = ("collection", "index", "office", "review", "lab", "site", "demo", "runs-of-grid")
    inside = [str(path) for name in folders for path in sorted(Path(name).rglob("*")) if path.is_file()]
    new = [f"{name}/new" for name in folders] + [f"{name}/deep/new.json" for name in folders]
    pool = [f"p.txt{ending}" for ending in ("", ".journal", ".journal-wal", ".journal-shm", ".people", ".json")]
    others = ["fresh.txt.people", "fresh.txt.journal", "monday.journal"]
    if isinstance(action.type, UpdatedFile):
        others.remove("monday.journal")  # the command reads it first, and refuses it then
    elif isinstance(action.type, OutputFile):
        others.append("session.json")
    files = [] if isinstance(action.type, OutputFolder) else [*pool, *others]
    for path in (*inside, *new, *files):
        for spelling in (path, f"./{path}", f"office/../{path}", str(made / path)):
            with pytest.raises(InputError, match=r"name another (file|folder) for the output$") as error:
                check_outputs(parser, argparse.Namespace(**{dest: spelling}))
            assert error.value.where.startswith(f"{flag} {spelling}")


SEEN = [
    "judge export p.txt -o p.txt.journal",
    "judge export p.txt -o p.txt",
    "judge export p.txt -o p.txt.people",
    "judge export p.txt -o p.txt.json",
    "judge status p.txt -f tsv -o p.txt.journal",
    "judge agreement p.txt -f tsv -o p.txt.journal",
    "check review -f tsv -o review/journal",
    "check collection -f tsv -o collection/manifest.json",
    "lab status lab -f tsv -o lab/pools/p.txt.journal",
    "lab status lab -f tsv -o lab/lab.json",
    "pool b.run --judged q.txt -o q.txt",
    "pool a.run --simulate q.txt -o q.txt",
    "pool b.run --judged q.txt -o fresh.txt",
    "pool c.run --extend fresh.txt -o fresh.txt",
    "pool a.run -o p.txt.json",
    "pool a.run -o p.txt",
    "evaluate q.txt a.run -o index/manifest.json",
    "evaluate q.txt a.run -o p.txt.people",
    "evaluate q.txt a.run -o fresh.txt",
    "evaluate q.txt a.run -o lab/runs/scores.tsv",
    "evaluate q.txt a.run -o monday.journal",
    "evaluate q.txt a.run -o leadline.jsonl",
    "directory collection --titles titles.csv -o titles.csv",
    "review export review -o fresh.txt",
    "review export review --as pool -o p.txt",
    "review status review -f tsv -o review/review.json",
    "search index silver --history session.json -o session.json",
    "search index silver --history index/session.json",
    "collection info collection -o x.svg --figure x.svg",
    "index collection -o collection/words",
    "index collection -o lab/runs/words",
    "grid index topics.tsv grid.toml -o office/grid",
    "collection build articles.ris -o office/collection --keep all",
    "lab init review/lab",
]


@pytest.mark.parametrize("line", SEEN)
def test_a_file_of_ours_stays_as_it_is(line: str, ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = content(ours)
    assert refused(line, capsys).endswith(
        (": name another file for the output", ": name another folder for the output")
    )
    assert content(ours) == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("judge export p.txt -o p.txt.journal", "-o p.txt.journal: is the journal of the pool p.txt:"),
        ("evaluate q.txt a.run -o index/manifest.json", "-o index/manifest.json: is inside the index index:"),
        ("evaluate q.txt a.run -o p.txt", "-o p.txt: is a pool, with its record or its journal beside it:"),
        ("evaluate q.txt a.run -o session.json", "is a search history:"),
        ("evaluate q.txt a.run -o lab/runs/a.run", "-o lab/runs/a.run: is inside the lab lab:"),
        ("pool a.run -o p.txt", "is a pool that was judged already"),
    ],
)
def test_the_line_says_what_the_file_is(line: str, said: str, ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refused(line, capsys)


def test_other_names_of_a_file_of_ours(ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("link.tsv").symlink_to("index/manifest.json")
    Path("folder").symlink_to("index")
    Path("twin").hardlink_to("p.txt.journal")
    part = next(Path("collection").rglob("*.parquet"))
    Path("part").hardlink_to(part)
    Path("index/outside").symlink_to(ours / "free.tsv")
    before = content(ours)
    for name in ("link.tsv", "folder/manifest.json", "folder/../index/manifest.json", "twin", "index/outside"):
        refused(f"evaluate q.txt a.run -o {name}", capsys)
    assert "is in collection, which is an input" in refused("check collection -f tsv -o part", capsys)
    assert content(ours) == before


@pytest.mark.parametrize("line", ["evaluate - a.run -o q.txt", "pool - -o a.run", "ideal - -o q.txt"])
def test_standard_input_may_be_the_output(ours: Path, line: str) -> None:
    read = line.rsplit(maxsplit=1)[-1]
    before = content(ours)
    with open(read, "rb") as given:
        words = [sys.executable, "-m", "leadline.cli", *line.split()]
        done = subprocess.run(words, stdin=given, capture_output=True, text=True, check=False)
    assert (done.returncode, f"-o {read}: is an input as well as the output" in done.stderr) == (1, True), done.stderr
    assert content(ours) == before


def test_a_journal_that_is_not_there_yet_is_refused(ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("fresh.txt.journal", "fresh.txt.people", "fresh.txt.journal-wal"):
        refused(f"evaluate q.txt a.run -o {name}", capsys)
        assert not Path(name).exists()
    Path("lost.db").write_bytes(Path("p.txt.journal").read_bytes())  # of a pool that was moved
    assert "is a journal of judgements" in refused("evaluate q.txt a.run -o lost.db", capsys)


def test_a_folder_whose_identity_is_damaged_stays_ours(ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("index/leadline.jsonl").write_text("{")
    said = refused("evaluate q.txt a.run -o index/manifest.json", capsys)
    assert "is inside index, a folder of ours whose leadline.jsonl is damaged" in said


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_an_identity_file_that_another_user_planted_stops_nobody(ours: Path) -> None:
    Path("leadline.jsonl").write_text(Path("index/leadline.jsonl").read_text())
    os.chown("leadline.jsonl", 54_321, 54_321)
    main(["evaluate", "q.txt", "a.run", "-m", "AP", "-q", "-o", "out.tsv"])
    assert Path("out.tsv").exists()


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("evaluate q.txt a.run -m AP -q -o out.tsv", "out.tsv"),
        ("evaluate q.txt a.run -m AP -q -o index.tsv", "index.tsv"),
        ("evaluate q.txt a.run -m AP -q -o scores.json -f json", "scores.json"),
        ("evaluate q.txt a.run -m AP -q -o /dev/null", ""),
        ("evaluate q.txt a.run -m AP -q -o /dev/stdout", ""),
        ("evaluate q.txt a.run -m AP -q -o -", ""),
        ("index collection -o index -q", "index/manifest.json"),
        ("index collection -o lab/indexes/words -q", "lab/indexes/words/manifest.json"),
        ("run index topics.tsv -k 5 -q -o lab/runs/mine.run", "lab/runs/mine.run.manifest.json"),
        ("pool a.run b.run -q -o fresh.txt --depth 1", "fresh.txt.json"),
        ("pool a.run b.run -q -o lab/pools/new.txt", "lab/pools/new.txt.json"),
        ("pool b.run --extend p.txt -q -o more.txt", "more.txt.json"),
        ("judge export p.txt -q -o lab/qrels/judged.txt", "lab/qrels/judged.txt"),
        ("judge export p.txt -q -o judged.txt", "judged.txt"),
        ("judge people p.txt add ben -q -o links.txt", "p.txt.people"),
        ("review export review -q -o asthma.qrels", "asthma.qrels"),
        ("review export review --as pool -q -o asthma.txt", "asthma.txt.json"),
        ("search index silver --history session.json -q -o found.txt", "session.json"),
        ("simulate office -o office --patents 100 --topics 2 --years 1990-2011 -q", "office/manifest.json"),
        ("grid index topics.tsv grid.toml -o grid -q", "grid/manifest.json"),
    ],
)
def test_what_may_be_written_is_written_twice(
    line: str, written: str, ours: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second time the output is there already."""
    for _ in range(2):
        main(shlex.split(line))
        assert not written or Path(written).is_file()


def test_a_word_that_names_an_old_output_is_no_input(ours: Path) -> None:
    for _ in range(2):
        main(shlex.split("run index topics.tsv --system york -k 5 -q -o york"))
    assert Path("york").stat().st_size > 0


def test_a_nested_folder_of_the_users_own_is_written_to_again(ours: Path) -> None:
    """One that an earlier version let them make there."""
    shutil.copytree("index", "office/words")
    main(shlex.split("index collection -o office/words -q"))


def test_python_writes_over_no_file_of_ours(ours: Path) -> None:
    run = read_run("a.run")
    before = content(ours)
    for name in ("index/manifest.json", "p.txt", "p.txt.journal", "lab/runs/a.run", "review/new"):
        with pytest.raises(InputError, match="name another file for the output"):
            run.write(name)
    assert content(ours) == before
    run.write("lab/runs/mine.run")
    run.write("free.run")
    assert Path("free.run").read_bytes() == Path("lab/runs/mine.run").read_bytes()


def test_journals_are_known_by_what_sqlite_keeps_in_their_head(ours: Path) -> None:
    with contextlib.closing(sqlite3.connect("other.db")) as other:
        other.execute("create table t (a)")
        other.commit()
    main(["evaluate", "q.txt", "a.run", "-m", "AP", "-q", "-o", "other.db"])  # somebody's own database is no concern
    assert Path("other.db").read_bytes()[:6] != b"SQLite"
