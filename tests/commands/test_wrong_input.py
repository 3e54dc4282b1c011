"""Everyday faults: each gives one line and the right status, and nothing is lost."""

from __future__ import annotations

import argparse
import csv
import importlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from leadline.cli import main
from leadline.commands import command_files

LONG = "9" * 31

OUT_OF_RANGE = f"""
evaluate qrels.txt a.run --rel {LONG}
evaluate qrels.txt a.run --best {LONG}
evaluate qrels.txt a.run -m P@1e400
evaluate qrels.txt a.run -m P@-5
evaluate qrels.txt a.run -m PRES@100 AP
search i film -k 1e400
search i film -k {LONG}
search i film --before 2020-13-45
search i film --before 2021-02-29
search i film --model dirichlet(mu=-5)
search i film --model bm25(b=7)
search i film --model bm25(k1=-1)
run i t -k {LONG}
compare verdict qrels.txt a.run --samples 1000000000
compare incomplete qrels.txt a.run --samples 1000000000
compare pairs qrels.txt a.run --seed {LONG}
compare pairs qrels.txt a.run --draws=--
compare pairs qrels.txt a.run -m--
search i film --fields=--
report qrels.txt a.run --samples 1000000000
demo --samples 1000000000
demo --topics {LONG}
topics sample c -o t.tsv -n {LONG}
topics sample c -o t.tsv --before 2020-13-45
collection build a.xml -o c --processes 1000000000
index c -o i --workers 1000000000
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n")
    Path("a.run").write_text("1 Q0 d1 1 3.0 tag\n1 Q0 d2 2 2.0 tag\n2 Q0 d1 1 1 tag\n")
    return tmp_path


def refusal(words: list[str], capsys: Any, status: int = 1) -> str:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    out, err = capsys.readouterr()
    assert (stopped.value.code, out, err.count("\n")) == (status, "", 1), err
    return str(err)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", OUT_OF_RANGE.strip().splitlines())
def test_a_value_out_of_range_is_wrong_usage(line: str, capsys: Any) -> None:
    refusal(line.split(), capsys, status=2)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", command_files())
def test_every_option_with_a_type_refuses_a_wrong_value(name: str, capsys: Any) -> None:
    command = importlib.import_module(f"leadline.commands.{name.replace(' ', '.').replace('-', '_')}")
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    required: list[str] = []
    for action in parser._actions:
        if action.option_strings and action.required:
            required += [action.option_strings[0], "out"]
        elif not action.option_strings:
            required += {"*": ["qrels.txt", "a.run"] if name.startswith(("compare", "report")) else [], "?": []}.get(
                str(action.nargs), ["AP"]
            )
    for action in parser._actions:
        takes_any_text = getattr(action.type, "_convert", str) is str  # a word or a path
        if action.option_strings and not takes_any_text:
            refusal([*name.split(), *required, action.option_strings[-1], "@@wrong@@"], capsys, status=2)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "line",
    [
        "evaluate qrels.txt a.run --runs-info info.csv --best 1 --per teem",
        "compare incomplete qrels.txt a.run --unique --runs-info info.csv --per teem",
        "compare slices qrels.txt a.run -m AP --topics topics.csv --by teem",
        "report qrels.txt a.run --baseline teem",
    ],
)
def test_a_column_or_run_that_is_not_there_is_wrong_usage(line: str, capsys: Any) -> None:
    Path("info.csv").write_text("run,team\na,1\n")
    Path("topics.csv").write_text("topic,team\n1,x\n2,y\n")
    error = refusal(line.split(), capsys, status=2)
    assert "teem" in error
    assert "team" in error or "not one of a" in error


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/random", "/dev/null", "pipe", "folder"])
@pytest.mark.parametrize(
    "line", ["evaluate {} a.run", "evaluate qrels.txt a.run --topics {}", "compare pairs --scores {}"]
)
def test_what_is_not_a_file_is_refused(name: str, line: str, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.text.source.PIPE_WAIT", 0.1)
    Path("folder").mkdir()
    os.mkfifo("pipe")
    assert name in refusal(line.format(name).split(), capsys)


def test_an_unquoted_measure_gets_a_hint(folder: Path, capsys: Any) -> None:
    words = ["evaluate", "qrels.txt", "a.run", "-m", "PRES@100", "AP"]
    assert '-m "PRES@100 AP"' in refusal(words, capsys, status=2)


@pytest.mark.parametrize(
    ("content", "fix"),
    [
        ("1 Q0 d1 1 0,5 t\n", "write 0.5"),
        ("1 Q0 d1 1 3.0\n", "add the name of the run"),
        ("1 d1 1 3.0 t\n", "add Q0"),
        ("topic Q0 document rank score tag\n1 Q0 d1 1 3.0 t\n", "remove the header line"),
        ("1 Q0 d1 1 3 t\n1 Q0 d1 2 2 t\n", "keep one of the two"),
        ("401 Q0 d1 1 3 t\n402 Q0 d1 1 3 t\n", "another year"),
        ("CLEF-1 Q0 d1 1 3 t\nCLEF-2 Q0 d1 1 3 t\n", "'CLEF-' before the topic"),
    ],
)  # fmt: skip
def test_a_wrong_run_gets_its_fix(folder: Path, content: str, fix: str, capsys: Any) -> None:
    Path("b.run").write_text(content)
    assert fix in refusal(["evaluate", "qrels.txt", "b.run"], capsys)


def test_some_topics_with_leading_zeros_are_noticed(folder: Path, capsys: Any) -> None:
    Path("b.run").write_text("1 Q0 d1 1 3 t\n02 Q0 d1 1 3 t\n")
    main(["evaluate", "qrels.txt", "b.run"])
    assert "leading zeros" in capsys.readouterr().err


def test_the_order_of_the_file_needs_no_score(folder: Path, capsys: Any) -> None:
    Path("b.run").write_text("1 Q0 d1 1 high t\n2 Q0 d1 1 low t\n")
    main(["evaluate", "qrels.txt", "b.run", "-m", "RR", "--order", "file", "-f", "tsv"])
    assert capsys.readouterr().out.endswith("\t1\n")


def test_one_bad_file_does_not_stop_a_folder(folder: Path, capsys: Any) -> None:
    runs = folder / "runs"
    runs.mkdir()
    good = Path("a.run").read_text()
    (runs / "a.run").write_text(good)
    (runs / "a.run.manifest.json").write_text("{}")
    (runs / "late.run").write_text(good * 1 + "".join(f"1 Q0 x{n} 1 0 t\n" for n in range(900)) + "broken\n")
    main(["evaluate", "qrels.txt", "runs", "-m", "AP", "-f", "tsv"])
    out, err = capsys.readouterr()
    assert [line.split("\t")[0] for line in out.splitlines()[1:]] == ["a"]
    assert "runs/a.run.manifest.json: left out" in err
    assert "runs/late.run:904: 1 field" in err
    refusal(["evaluate", "qrels.txt", "runs", "--strict"], capsys)


def test_a_table_of_other_runs_is_refused(folder: Path, capsys: Any) -> None:
    Path("info.csv").write_text("run,team\nx,1\n")
    assert "names none of the runs" in refusal(["evaluate", "qrels.txt", "a.run", "--runs-info", "info.csv"], capsys)


def test_a_run_with_two_rows_is_refused(folder: Path, capsys: Any) -> None:
    Path("info.csv").write_text("run,team\na,1\na,2\n")
    said = refusal(["evaluate", "qrels.txt", "a.run", "--runs-info", "info.csv"], capsys)
    assert "info.csv:3: run a is given twice" in said


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("run,team\na,1\nb,2\n", ""),
        ("run,team\na,1\nb,2\nc,2\nd,2\n", "2 rows of runs that are not among the runs: c, d"),
        ("run,team\nb,2\n", "1 run without a row: a"),
        ("run,team\nb,2\nc,2\n", "1 row of runs that are not among the runs: c; 1 run without a row: a"),
        ("run,file\nBM25,a.run\nb,runs/b.run\n", "column file has their names: the names and the files look swapped"),
        ("run,file\na,b.run\nb,runs/a.run\n", "column file has other runs than the names beside it: a, b"),
        ("run,file\na,a.run\nb,runs/b.run\n", ""),
        ("run,team\na.run,1\nb.run,2\n", "it has names of files: write them without folder and ending"),
    ],
)
def test_a_table_of_runs_is_compared_with_the_runs(folder: Path, capsys: Any, table: str, said: str) -> None:
    Path("b.run").write_bytes(Path("a.run").read_bytes())
    Path("info.csv").write_text(table)
    words = ["evaluate", "qrels.txt", "a.run", "b.run", "-m", "AP", "--runs-info", "info.csv"]
    if "ending" in said:
        assert said in refusal(words, capsys)
        return
    main(words)
    _, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if "info.csv" in line]
    assert (len(lines), said in "".join(lines)) == (bool(said), True)


def test_names_are_safe_in_every_output(folder: Path, capfdbinary: Any) -> None:
    name = os.fsdecode(b"=a\x1b[31m\xff\xe2\x80\xae.run")
    Path(name).write_bytes(Path("a.run").read_bytes())
    for format in ("table", "tsv", "csv", "json", "markdown", "latex"):
        main(["evaluate", "qrels.txt", name, "-m", "AP", "-f", format, "-q"])
        out = capfdbinary.readouterr().out.decode()  # valid UTF-8
        assert not {"\x1b", "\u202e", "\udcff"} & set(out)
        if format == "json":
            assert json.loads(out)[0]["run"].startswith("=a\x1b[31m\\xff\u202e")
        if format == "csv":
            assert next(csv.reader(io.StringIO(out.splitlines()[1])))[0] == "'=a\\x1b[31m\\xff\\u202e"
    main(["evaluate", "qrels.txt", name, "-m", "AP", "-f", "csv", "--keep-formulas"])
    assert capfdbinary.readouterr().out.splitlines()[1].startswith(b"=a")


@pytest.mark.skipif(os.name != "posix", reason="shells of other systems close no streams")
@pytest.mark.parametrize(
    ("closed", "status", "lines"), [("<&-", 0, 1), (">&-", 1, 1), ("2>&-", 0, 0), ("<&- >&- 2>&-", 1, 0)]
)
def test_closed_streams(folder: Path, closed: str, status: int, lines: int) -> None:
    command = f"{sys.executable} -m leadline.cli evaluate qrels.txt a.run -m AP {closed}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert (result.returncode, result.stderr.count(b"\n")) == (status, lines), result.stderr


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is a signal")
def test_ctrl_c_ends_with_one_line(folder: Path) -> None:
    words = ["simulate", "office", "-o", "office", "--patents", "200000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "leadline.cli", *words],
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    while not Path("office").exists():  # it has begun
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"leadline: stopped\n")


def test_a_bomb_is_refused(folder: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip

    monkeypatch.setattr("leadline.text.source.RATIO_CHECK_MIN_BYTES", 1 << 20)
    Path("bomb.run.gz").write_bytes(gzip.compress(bytes(16 << 20)))
    assert "archive bomb" in refusal(["evaluate", "qrels.txt", "bomb.run.gz"], capsys)
