"""The small tables that go beside runs and judgements: topics to keep, document lengths, what is known of runs."""

from __future__ import annotations

import csv
import os

from leadline.errors import InputError
from leadline.text.ids import decode_id
from leadline.text.source import read_text
from leadline.text.table import read_table


def read_topics(path: str | os.PathLike[str]) -> list[str]:
    """The names of the topics in a topic file: of TREC's markup, a table with a header, or the first field of lines."""
    # Most evaluations name no topics, and need not wait for what reads markup.
    from leadline.text.topic_sheet import TOPIC, is_headed, is_markup, topic_sheet

    text = read_text(path)
    if is_markup(text) or is_headed(text):
        sheet = topic_sheet(text)
        return sheet.labels(sheet.find(TOPIC) or 0)
    table = read_table(text, 1, 1, lambda _found: "a topic is missing")
    return [decode_id(name) for name in table.ids[0].as_bytes()]


def read_lengths(path: str | os.PathLike[str]) -> dict[str, float]:
    """Document lengths in words: two fields a line."""
    table = read_table(read_text(path), 2, 3, lambda found: f"{found} field, expected 2 (document words)")
    if table.columns > 2:
        line = next(i for i, length in enumerate(table.ids[2].lengths.tolist()) if length)
        raise table.error(line, "more than 2 fields, expected 2 (document words)")
    words = table.floats(1, "length")
    if (words < 0).any():
        raise table.error(int((words < 0).argmax()), "a document cannot have fewer than 0 words")
    return dict(zip(map(decode_id, table.ids[0].as_bytes()), words.tolist(), strict=True))


def read_runs_info(path: str | os.PathLike[str]) -> dict[str, dict[str, str]]:
    """Attributes of runs from a CSV or TSV with a header; the column `run`, or else the first, names the run."""
    text = read_text(path).bytes().decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InputError(os.fspath(path), "is empty")
    reader = csv.DictReader(lines, delimiter="\t" if "\t" in lines[0] else ",")
    columns = list(reader.fieldnames or [])
    key = next((name for name in columns if name.strip().lower() == "run"), columns[0])
    if len(columns) < 2:
        raise InputError(os.fspath(path), f"one column ({key}), expected a table with a header: run,team,...", line=1)
    return {
        record[key]: {name: record[name] or "" for name in columns if name != key and name is not None}
        for record in reader
    }
