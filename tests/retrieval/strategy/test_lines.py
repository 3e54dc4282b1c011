"""Sixty lines and more of each search system, written from its public documentation, with the documents they find."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.retrieval.language.syntax import OWN, SYNTAXES
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.strategy.lines import StrategyLine, StrategyText
from leadline.retrieval.strategy.running import run_lines

TABLES = Path(__file__).parent / "lines"
FEWEST = 60


def rows(name: str) -> list[tuple[str, str]]:
    lines = (TABLES / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return [tuple(line.split("\t")) for line in lines]  # type: ignore[misc]


def test_every_syntax_has_its_table() -> None:
    assert sorted(path.stem for path in TABLES.glob("*.tsv")) == sorted(SYNTAXES)
    assert OWN not in SYNTAXES
    assert all(len(rows(name)) >= FEWEST for name in SYNTAXES)


@pytest.mark.parametrize("name", sorted(SYNTAXES))
def test_lines_find_what_their_system_finds(records: SearchContext, name: str) -> None:
    asked = rows(name)
    text = StrategyText(tuple(StrategyLine(n, query) for n, (query, _) in enumerate(asked, 1)), name)
    found = run_lines(records, text)
    wrong = []
    for line, (query, documents) in zip(found.lines, asked, strict=True):
        names = [] if line.matching is None else records.names(line.matching.nonzero()[0])
        if sorted(names) != sorted(documents.split()) or line.status == "not understood":
            wrong.append(f"{query}: found {sorted(names)}, not {documents}; {line.understood} {line.notes}")
    assert not wrong, "\n".join(wrong)
