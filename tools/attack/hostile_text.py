"""Names, lines and options made to harm: control codes, formulas, scripts, numbers and lines that nobody writes."""

from __future__ import annotations

import argparse
import importlib
import random
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from harness import Attempt, attempt, forked

NAMES = {
    "colour": "\x1b[31mred",
    "title": "\x1b]0;owned\x07",
    "bell": "a\x07b",
    "C1": "a\x9b31mb",
    "direction": "a\u202eb",
    "line": "a\u2028b",
    "delete": "a\x7fb",
    "backspace": "a\x08\x08b",
    "formula": "=1+1",
    "plus": "+1+1",
    "minus": "-1+1",
    "at": "@SUM(1)",
    "link": '=HYPERLINK("http://x","y")',
    "command": "=cmd|'/C_calc'!A0",
    "script": "<script>alert(1)</script>",
    "closing": "</script><script>alert(1)</script>",
    "image": "<img/src=x/onerror=alert(1)>",
    "quote": "\"'><b>x</b>",
    "markup": "[red]x[/red]",
    "template": "${7*7}{{7*7}}",
    "format": "%s%n{0}",
    "path": "../../x",
    "long": "x" * 5000,
}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SCRIPT = re.compile(r"<script>alert|<img/src=x", re.IGNORECASE)


def _in_files(there: Attempt, name: str) -> None:
    """Put a name wherever names are: topics, documents, tags, run files, titles."""
    document, topic = f"{name}1", f"{name}2"
    runs = {"a.run": 0, "b.run": 1}
    for file, shift in runs.items():
        lines = [
            f"{t} Q0 {d} 1 {9 - k - shift * (k % 2)} {name}"
            for t in (topic, "t3")
            for k, d in enumerate((document, "d2", "d3"))
        ]
        (there.work / file).write_text("\n".join(lines) + "\n")
    (there.work / "qrels.txt").write_text(f"{topic} 0 {document} 1\n{topic} 0 d3 0\nt3 0 d2 1\nt3 0 {document} 2\n")
    if "/" not in name and len(name) < 200:
        (there.work / f"{name}.run").write_bytes((there.work / "a.run").read_bytes())


def attack_names(base: Path) -> Iterator[tuple[str, str]]:
    """Names in outputs: no control codes for a terminal, no cell that a spreadsheet computes, no markup in a page."""
    commands = [
        "evaluate qrels.txt *.run -m AP --by-topic",
        "evaluate qrels.txt *.run -m AP --by-topic --format csv",
        "compare pairs qrels.txt *.run -m AP",
        "explain AP qrels.txt a.run",
        "compare verdict qrels.txt *.run -m AP",
        "report qrels.txt *.run --samples 2 -o page.html",
    ]
    for what, name in NAMES.items():
        for command in commands:
            with attempt(base) as there:
                _in_files(there, name)
                arguments = [
                    word
                    for each in shlex.split(command)
                    for word in (sorted(path.name for path in there.work.glob("*.run")) if each == "*.run" else [each])
                ]
                arguments = [f"./{word}" if word.startswith("-1") else word for word in arguments]
                done = forked(arguments, there.work)
                page = there.work / "page.html"
                shown = done.output.decode("utf-8", "replace")
                fault = done.fault() or there.touched(done.output)
                if not fault and _CONTROL.search(shown + done.errors.decode("utf-8", "replace")):
                    fault = f"control codes in the output: {_CONTROL.findall(shown)[:3]!r}"
                if not fault and "csv" in command and re.search(r"(?m)(^|,)\"?[=@]", shown):
                    fault = "a cell of the CSV begins as a formula"
                if not fault and page.exists() and _SCRIPT.search(page.read_text(errors="replace")):
                    fault = "the page holds the script"
                yield f"a name {name[:40]!r} ({what}) as topic, document and run; leadline {command}", fault
    yield from _titles(base)


def _titles(base: Path) -> Iterator[tuple[str, str]]:
    import json

    for what, name in NAMES.items():
        with attempt(base) as there:
            lines = [
                {"id": f"EP{n}B1", "title": f"{name} nail", "abstract": f"{name} nail", "claims": [name]}
                for n in range(5)
            ]
            (there.work / "bad.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            build = there.command(
                ["collection", "build", "bad.jsonl", "-o", "bad", "--keep", "all", "--processes", "1", "-q"]
            )
            build = build or there.command(["index", "bad", "-o", "bad.index", "--workers", "1", "-q"])
            yield f"a title {name[:40]!r}: collection build, index", build
            for command in ("search bad.index nail", "prior-art bad.index EP0B1", "collection info bad"):
                done = forked(command.split(), there.work)
                shown = (done.output + done.errors).decode("utf-8", "replace")
                fault = done.fault() or ("control codes in the output" if _CONTROL.search(shown) else "")
                yield f"a title {name[:40]!r} ({what}); leadline {command}", fault


def _lines() -> Iterator[tuple[str, bytes]]:
    yield "empty", b""
    yield "one zero byte", b"\0"
    yield "a line of 5 MB", b"1 Q0 d1 1 0.5 " + b"t" * (5 << 20) + b"\n"
    yield "500,000 fields", b"1 " * 500_000 + b"\n"
    yield "a number of 1 MB", b"1 Q0 d1 1 " + b"9" * (1 << 20) + b" t\n"
    yield "an exponent of 1 MB", b"1 Q0 d1 1 1e" + b"9" * (1 << 20) + b" t\n"
    yield "a grade of 1 MB", b"1 0 d1 " + b"9" * (1 << 20) + b"\n"
    yield "200,000 empty lines", b"\n" * 200_000
    yield "200,000 brackets", b"[" * 200_000
    yield "200,000 braces", b'{"a":' * 200_000
    yield "200,000 quotes", b'"' * 200_001
    yield "an open quote", b'run,topic,value\na,"1,2\n' + b"x,y,z\n" * 10_000
    yield "20,000 columns", b",".join(b"c%d" % n for n in range(20_000)) + b"\n" + b",".join([b"1"] * 20_000) + b"\n"
    yield "UTF-16", "1 Q0 d1 1 0.5 t\n".encode("utf-16")
    yield "UTF-32", "1 Q0 d1 1 0.5 t\n".encode("utf-32")
    yield "broken UTF-8", b"1 Q0 d\xff\xfe\xc3 1 0.5 t\n1 0 d\xff 1\n"
    yield "Parquet without an end", b"PAR1" + b"\0" * 100
    yield "Parquet of nothing", b"PAR1\0\0\0\0PAR1"
    yield "an archive", b"PK\x03\x04" + b"\0" * 100
    yield "gzip of nothing", b"\x1f\x8b\x08\0"
    yield "200,000 open elements", b"<top>" * 200_000
    yield "topics never closed", b"<top>\n<num> 1\n<title> x\n" * 20_000
    yield "only carriage returns", b"1 Q0 d1 1 0.5 t\r" * 1000
    yield "only a mark", b"\xef\xbb\xbf"
    yield (
        "infinities",
        b"".join(b"1 Q0 d%d 1 %s t\n" % (n, x) for n, x in enumerate((b"inf", b"-inf", b"nan", b"1e400"))),
    )
    yield "TOML nested deeply", b"a = " + b"[" * 50_000
    yield "TOML tables nested deeply", b"[" + b".".join([b"a"] * 20_000) + b"]\n"
    yield "a date of TOML", b"steps = 1979-05-27T07:32:00Z\n"


def attack_lines(base: Path) -> Iterator[tuple[str, str]]:
    """Files of the wrong shape and size, given to every command that reads such a file."""
    commands = [
        "evaluate bad a.run -q",
        "evaluate qrels.txt bad -q",
        "evaluate qrels.txt a.run --only bad -q",
        "evaluate qrels.txt a.run --runs-info bad --per team --best 1 -q",
        "run index bad -k 5 -o x.run -q",
        "run index topics.tsv --system bad.toml -o x.run -q",
        "grid index topics.tsv bad -o g -q",
        "compare pairs --scores bad -q",
        "collection build documents.jsonl --map bad -o c -q",
        "prior-art index bad -q",
        "ideal bad -q",
        "collection build bad -o c --keep all --processes 1 -q",
    ]
    for what, content in _lines():
        for command in commands:
            with attempt(base) as there:
                for name in ("bad", "bad.toml"):
                    (there.work / name).write_bytes(content)
                yield f"bad: {what}; leadline {command}", there.command(command.split())


VALUES = [
    "",
    " ",
    "0",
    "-1",
    "1.5",
    "nan",
    "inf",
    "1e999",
    "9" * 400,
    "x",
    "\x1b[31mred",
    "a\nb",
    "\udcff",
    "x" * 100_000,
    "/dev/null",
    "/",
    ".",
    "../outside/secret.txt",
    "no such file",
    "a,b,,",
    "=",
    "{}",
    "(((",
    "*",
    "-",
    "--",
    "0x10",
    "１",
    "1979-13-45",
]
BASES = {
    "evaluate": "qrels.txt a.run",
    "explain": "AP",
    "measures": "",
    "compare agreement": "qrels.txt a.run b.run",
    "compare correlation": "qrels.txt a.run b.run",
    "compare incomplete": "qrels.txt a.run b.run --samples 2",
    "compare pairs": "qrels.txt a.run b.run",
    "compare power": "qrels.txt a.run b.run",
    "compare slices": "qrels.txt a.run b.run",
    "compare verdict": "qrels.txt a.run b.run",
    "collection build": "documents.jsonl -o c --processes 1",
    "collection info": "collection",
    "topics sample": "collection -n 2 -o t",
    "qrels citations": "collection -o q",
    "qrels claims": "collection -o q",
    "index": "collection -o i --workers 1",
    "search": "index film",
    "prior-art": "index EP1000031B1",
    "ideal": "qrels.txt",
    "run": "index topics.tsv -o r -k 5",
    "grid": "index topics.tsv grid.toml -o g -k 5",
    "report": "qrels.txt a.run b.run -o p.html --samples 2",
    "simulate office": "-o o --patents 100",
}
UNBOUNDED = ("--processes", "--workers")  # ten thousand of these are what the user asked for


def _option_cases() -> Iterator[tuple[str, str, list[str]]]:
    """Each command with the arguments it needs, and one option or argument more."""
    for command, words in BASES.items():
        parser = argparse.ArgumentParser()
        module = f"leadline.commands.{command.replace(' ', '.').replace('-', '_')}"
        importlib.import_module(module).add_arguments(parser)
        takers = [
            action.option_strings[-1] for action in parser._actions if action.option_strings and action.nargs != 0
        ]
        for option in ["", *takers]:
            for value in VALUES:
                if option == "--output" and value.startswith("../outside"):
                    continue  # the user names the file that is written
                if option not in UNBOUNDED or len(value) <= 3:
                    joined = [f"{option}={value}"] if option.startswith("--") else [option, value]
                    yield command, words, joined if option else [value]


def attack_options(base: Path, most: int = 500, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Options of every command with values that nobody means; and the same as arguments. A sample of all of these."""
    cases = list(_option_cases())
    for command, words, given in random.Random(seed).sample(cases, min(most, len(cases))):
        with attempt(base) as there:
            fault = there.command([*command.split(), *words.split(), *given, "-q"], seconds=40)
            yield f"leadline {command} {words} {' '.join(given)[:80]!r} -q", fault


CLASSES = {
    "names in outputs": attack_names,
    "hostile lines": attack_lines,
    "hostile options": attack_options,
}
