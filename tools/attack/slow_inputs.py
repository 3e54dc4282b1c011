"""Inputs that grow: reading twice as much must not take four times as long.

Each input is read at sizes n, 2n and 4n, and the processor times are compared. Below a tenth of a second nothing can be
said.
(Readers of documents have measurements of their own.)
"""

from __future__ import annotations

import contextlib
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from harness import forked

FIRST = 4_000  # repetitions at the smallest size
WORST = 9.0  # times as long for four times as much: 4 is linear, 16 is quadratic
TOO_SHORT = 0.15  # seconds

# Each is repeated: a text that begins, one that is repeated, and one that ends; and who reads it.
INPUTS: list[tuple[str, str, str, str]] = [
    ("query", "", "(", "a"),
    ("query", "", '"', ""),
    ("query", "", "a OR ", "b"),
    ("query", "", "a NEAR/3 ", "b"),
    ("query", "", "NOT ", "a"),
    ("query", "", "-", "a"),
    ("query", "", "title:", "a"),
    ("query", "a", "*", ""),
    ("query", '"', "film ", '"'),
    ("query", "", "polymer film ", ""),
    ("query", "", "a^", "2"),
    ("query", "class:", "C07D,", ""),
    ("topics", "", "<top>", ""),
    ("topics", "", "<top><num>1<title>", ""),
    ("topics", "<top>", "<title>x", "</top>"),
    ("topics", "", "<", ""),
    ("topics", "<topics>", '<topic number="1">', ""),
    ("topics", "", "1\n", ""),
    ("topics", "topic,title\n", '1,"', ""),
    ("scores", "run,topic,AP\n", 'a,"', "\n"),
    ("scores", "run,topic,AP\n", "a,1,0.5,", "\n"),
    ("scores", "", "[", ""),
    ("scores", "", '{"a":', ""),
    ("scores", "run", ",a", "\n"),
    ("scores", "", "\n", "x"),
    ("scores", "", " ", "x"),
    ("scores", "", ";,\t", "\n1"),
    ("run", "", "1 Q0 d 1 1 t ", "\n"),
    ("run", "1 Q0 d 1 ", "9", " t\n"),
    ("run", "", "#\n", "1 Q0 d 1 1 t\n"),
    ("run", "", " \t", ""),
    ("qrels", "", "1 0 d 1 ", "\n"),
    ("qrels", "1 0 d ", "9", "\n"),
    ("qrels", "", "\n", "1 0 d 1\n"),
    ("toml", "a = ", "[", ""),
    ("toml", "", "[[a.b]]\n", ""),
    ("toml", 'a = """', '"" ', ""),
    ("measures", "", "AP(", ")"),
    ("measures", "", "AP ", ""),
    ("dates", "", "1", ""),
    ("dates", "", "a ", "1998"),
    ("dates", "1", " ", "Aug"),
    ("keep", "", "a|", "a"),
]


def readers(folder: Path) -> dict[str, Callable[[str], Any]]:
    from leadline.collections.documents.document import checked_rule
    from leadline.measures.definition import parse_measures
    from leadline.records.qrels import read_qrels
    from leadline.records.runs import read_run
    from leadline.records.scores import read_scores
    from leadline.records.topics import Topics
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.language.language import Language
    from leadline.retrieval.pipeline.grid import read_grid
    from leadline.text.days import iso

    def by_path(function: Callable[[str], Any]) -> Callable[[str], Any]:
        def read(text: str) -> Any:
            (folder / "file").write_text(text)
            return function(str(folder / "file"))

        return read

    texts = [{"id": f"EP{n}", "title": "polymer film", "abstract": "a film of metal"} for n in range(50)]
    language = Language(Index.build(texts, folder / "index", fields=["title", "abstract"], positions=True, workers=1))
    return {
        "query": language.search,
        "topics": by_path(Topics.read),
        "scores": by_path(read_scores),
        "run": by_path(read_run),
        "qrels": by_path(read_qrels),
        "toml": by_path(read_grid),
        "measures": parse_measures,
        "dates": iso,
        "keep": checked_rule,
    }


def seconds(read: Callable[[str], Any], text: str) -> float:
    """The processor time that reading takes, the best of two: a busy machine makes no difference."""
    from leadline.errors import LeadlineError

    best = float("inf")
    for _ in range(2):
        begin = time.process_time()
        with contextlib.suppress(LeadlineError):
            read(text)
        best = min(best, time.process_time() - begin)
    return best


def growth(read: Callable[[str], Any], begin: str, middle: str, end: str, first: int = FIRST) -> str:
    """Why an input is read too slowly; empty if it is not."""
    times = [seconds(read, begin + middle * (first * size) + end) for size in (1, 2, 4)]
    if times[2] > TOO_SHORT and times[2] > WORST * max(times[0], 0.001):
        return f"{times[0]:.2f} s, {times[1]:.2f} s, {times[2]:.2f} s at 1, 2 and 4 times {first:,} repetitions"
    return ""


def attack_growth(base: Path) -> Iterator[tuple[str, str]]:
    for kind, begin, middle, end in INPUTS:

        def measure(kind: str = kind, begin: str = begin, middle: str = middle, end: str = end) -> None:
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                print(growth(readers(Path(folder))[kind], begin, middle, end))

        done = forked(measure, base, seconds=60)
        fault = done.output.decode().strip() if done.status == 0 else done.fault() or f"status {done.status}"
        yield f"{kind}: {begin!r} + {middle!r} * n + {end!r}", fault


CLASSES = {"inputs that grow": attack_growth}
