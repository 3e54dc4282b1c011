"""What holds for every command: help, one line of meaning, and one line for every error."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline.cli import main
from leadline.commands import ORDER, command_files, summary

COMMANDS = command_files()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module(f"leadline.commands.{name.replace(' ', '.').replace('-', '_')}")
    assert callable(module.add_arguments)
    assert callable(module.run)
    assert 20 < len(summary(COMMANDS[name])) < 90
    with pytest.raises(SystemExit, match="0"):
        main([*name.split(), "--help"])
    shown = capsys.readouterr().out
    assert "Examples:" not in shown
    assert "\nexamples:\n  leadline " in shown
    assert not re.search("unless said|is none|no number of| told", shown)


def test_help_lists_every_command_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    lines = [line.split("  ")[1] for line in capsys.readouterr().out.splitlines() if line.startswith("  leadline ")]
    assert [line.removeprefix("leadline ").strip() for line in lines] == list(COMMANDS)
    assert next(iter(COMMANDS)) == "evaluate"
    assert set(ORDER) <= {name.split()[0] for name in COMMANDS}


def test_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["help", "compare", "pairs"])
    assert capsys.readouterr().out.startswith("usage: leadline compare pairs")
    main(["compare", "--help"])
    assert capsys.readouterr().out.count("\n  leadline compare ") == 10
    for words, hint in (
        (["help", "evalute"], "evaluate"),
        (["compare", "pair"], "compare pairs"),
        (["verdict"], "compare verdict"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main(words)
        assert hint in capsys.readouterr().err


def test_help_imports_no_command() -> None:
    code = (
        "import sys; from leadline.cli import main; main(['--help'])\n"
        "assert not {'numpy', 'polars'} & set(sys.modules), 'too much was imported'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--version"])
    assert re.fullmatch(r"leadline \d\S*\n", capsys.readouterr().out)


USAGE = """
nosuch
evalute qrels.txt a.run
compare
compare pair qrels.txt a.run
prior_art i EP1
shared options
__init__
../cli
evaluate
evaluate qrels.txt
evaluate qrels.txt a.run --nosuch
evaluate qrels.txt a.run -m PRSE@100
evaluate qrels.txt a.run -m
evaluate qrels.txt a.run --best 0
evaluate qrels.txt a.run --best two
evaluate qrels.txt a.run --rel one
evaluate qrels.txt a.run --like trek_eval
evaluate qrels.txt a.run --unjudged maybe
evaluate qrels.txt a.run --order up
evaluate qrels.txt a.run --qrels-format columns
evaluate qrels.txt a.run --format xml
evaluate qrels.txt a.run --format parquet
evaluate qrels.txt a.run --per team
evaluate - -
explain
explain NoSuch
explain AP qrels.txt
explain AP qrels.txt a.run 1 2
explain AP --order up
measures --format xml
compare pairs
compare pairs qrels.txt
compare pairs qrels.txt a.run --test z
compare pairs qrels.txt a.run --correction some
compare pairs qrels.txt a.run --draws 0
compare pairs qrels.txt a.run --draws 99999999999
compare pairs qrels.txt a.run --alpha 2
compare pairs qrels.txt a.run --alpha nan
compare pairs qrels.txt a.run --seed -1
compare pairs qrels.txt a.run --seed x
compare pairs qrels.txt a.run --scores s.tsv
compare pairs --scores s.tsv --only t.txt
compare pairs --scores s.tsv --columns rows
compare power qrels.txt a.run --test t
compare power qrels.txt a.run --alpha 0
compare agreement qrels.txt
compare correlation
compare incomplete qrels.txt a.run --keep 0
compare incomplete qrels.txt a.run --keep ,
compare incomplete qrels.txt a.run --samples 0
compare incomplete qrels.txt a.run --depths 0
compare incomplete qrels.txt a.run --depths 1.5
compare incomplete qrels.txt a.run --unique --depths 5
compare incomplete qrels.txt a.run --runs-info i.csv
compare incomplete qrels.txt a.run --unique --per team
compare slices qrels.txt a.run
compare slices qrels.txt a.run --by office
compare verdict qrels.txt a.run -m "AP PRES@10"
compare verdict qrels.txt a.run --alpha 1
compare verdict --scores s.tsv --lengths w.tsv
compare verdict --scores s.tsv --reads w.tsv
compare incomplete qrels.txt a.run --keep half
compare slices qrels.txt a.run --by office --order up
collection build a.xml
collection build -o c
collection build a.xml -o c --keep clams
collection build a.xml -o c --form greenbok
collection build a.xml -o c --processes 0
collection info
collection info c --by colour
collection info c --figure c.gif
collection info c --format xml
collection lengths
collection lengths c d
check
check c --format xml
check c --format parquet
topics sample c
topics sample c -o t.tsv -n 0
topics sample c -o t.tsv --fewest 0
topics sample c -o t.tsv --office Europe
topics sample c -o t.tsv --before soon
topics sample c -o t.tsv --per-family two
topics sample c -o t.tsv --claims
topics sample c -o t.tsv --format parquet
qrels citations -o q
qrels citations c -o q
qrels citations c t -o q --from w
qrels citations c t -o q --rules 4
qrels citations c t -o q --origin ,
qrels citations c t -o q --dates filing
qrels citations c t -o q --grades three
qrels claims c t -o q --share 0
qrels claims c t -o q --share half
qrels claims c t -o q --largest none
simulate office
simulate office -o o --patents 7
simulate office -o o --patents many
simulate office -o o --years 1990
simulate office -o o --set colour=1
simulate office -o o --set synonymy
simulate office -o o --seed -1
index c
index c -o i --fields titel
index c -o i --stem no
index c -o i --language xx
index c -o i --stop german
index c -o i --workers 0
index c -o i --words no
index c -o i --unit word
index c -o i --members none
index c -o i --add --stem none
search i
search i film --model bm26
search i film --model bm25(k2=1)
search i film --model bm25(
search i film --class chemistry
search i film --office Europe
search i film --before then
search i film -k 0
search i film -k -1
search i film --after then
search i film --format xml
prior-art i
prior-art i EP1 --system nosuch
prior-art i EP1 --date soon
prior-art i EP1 -k 0
run i t --system nosuch
run i t -k 0
grid i t g
grid i t g -o d -k 0
ideal
ideal q --kind best
ideal q --theta most
ideal q --qrels-format plain
report qrels.txt
report qrels.txt a.run -o r.pdf
report qrels.txt a.run --samples 0
report qrels.txt a.run -m NoSuch
report qrels.txt a.run -m "AP PRES@10"
report qrels.txt a.run --seed -1
report qrels.txt a.run --qrels-format columns
reproduce -o p.pdf
reproduce a b
demo --patents 7
demo --topics 0
demo --samples 0
demo --seed -1
"""

INPUT = """
evaluate nosuch.txt a.run
evaluate qrels.txt nosuch.run
evaluate qrels.txt . --strict
evaluate . a.run
evaluate qrels.txt a.run --topics nosuch.txt
evaluate qrels.txt a.run --topics binary
evaluate qrels.txt a.run --lengths nosuch.txt
evaluate qrels.txt a.run --lengths qrels.txt
evaluate qrels.txt a.run --reads nosuch.txt
evaluate qrels.txt a.run --runs-info nosuch.csv
evaluate qrels.txt a.run --runs-info binary --per team
evaluate qrels.txt a.run --qrels-format strata
evaluate qrels.txt binary
evaluate binary a.run
evaluate a.run qrels.txt
evaluate qrels.txt a.run -o nosuch/out
evaluate qrels.txt a.run -o .
explain AP qrels.txt a.run 99
explain AP qrels.txt nosuch.run 1
compare pairs qrels.txt a.run
compare pairs --scores nosuch.tsv
compare pairs --scores binary
compare pairs --scores qrels.txt
compare power --scores empty
compare incomplete qrels.txt a.run --sources nosuch.txt
compare incomplete qrels.txt a.run --sources binary
compare slices qrels.txt a.run --topics nosuch.csv --by office
compare slices qrels.txt a.run --topics binary --by office
compare verdict qrels.txt a.run
collection build nosuch.xml -o c
collection build binary -o c
collection build empty -o c
collection build - -o c
collection build text.jsonl -o c --map nosuch.toml
collection build text.jsonl -o c --map binary
collection info nosuch
collection info .
topics sample nosuch -o t.tsv
qrels citations nosuch t.tsv -o q
qrels citations --from nosuch.tsv -o q
qrels citations --from binary -o q
qrels claims nosuch t.tsv -o q
simulate office -o .
simulate office -o qrels.txt --patents 300
index nosuch -o i
index . -o i
search nosuch film
search . film
prior-art nosuch EP1
run nosuch qrels.txt
run . qrels.txt
run nosuch qrels.txt --system nosuch.toml
run nosuch qrels.txt --system binary.toml
grid nosuch qrels.txt nosuch.toml -o d
grid nosuch qrels.txt binary.toml -o d
ideal nosuch
ideal binary
ideal qrels.txt --qrels-format passages
report nosuch.txt a.run
report qrels.txt nosuch.run
report qrels.txt a.run -o nosuch/r.html
report qrels.txt a.run --topics nosuch.csv
report qrels.txt a.run --runs-info nosuch.csv
reproduce nosuch
demo -o qrels.txt
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("1 0 d1 1\n1 0 d2 0\n")
    Path("a.run").write_text("1 Q0 d1 1 3.0 tag\n1 Q0 d2 2 2.0 tag\n")
    Path("text.jsonl").write_text("{}\n")
    Path("empty").write_bytes(b"")
    for name in ("binary", "binary.toml"):
        Path(name).write_bytes(bytes(range(256)) * 4)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("line", "status"),
    [(line, 2) for line in USAGE.strip().splitlines()] + [(line, 1) for line in INPUT.strip().splitlines()],
)
def test_every_error_is_one_line(line: str, status: int, capsys: Any) -> None:
    words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]
    with pytest.raises(SystemExit) as stopped:
        main(words)
    out, err = capsys.readouterr()
    assert err.startswith("leadline")
    assert err.count("\n") == 1, err
    assert (stopped.value.code, out) == (status, ""), err


def test_an_interrupt_that_numpy_hides_ends_as_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from leadline import cli

    def hidden(_arguments: list[str]) -> None:
        raise ImportError('Original error was: PyCapsule_Import could not import module "datetime"')

    monkeypatch.setattr(cli, "_run", hidden)
    with pytest.raises(SystemExit) as ended:
        cli.main(["measures"])
    assert ended.value.code == 130
    assert capsys.readouterr().err == "leadline: stopped\n"


def test_an_empty_argument_too_many_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["run", "index", "topics.tsv", ""])
    assert capsys.readouterr().err == "leadline run: unexpected argument ''\n"
