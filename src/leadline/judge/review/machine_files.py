"""Opinions of a machine from a file: a table, JSON lines, RIS, or judgements as TREC writes them."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Mapping, Sequence

from leadline.collections.documents.fields.record_fields import grade
from leadline.errors import InputError, LeadlineWarning, visible
from leadline.judge.review.labels import read_labels
from leadline.records.qrels import read_qrels
from leadline.records.result import counted
from leadline.text.sheet import is_missing, label, sheet_of_text
from leadline.text.source import read_text

IDS = ("document", "id", "record_id", "doc_id", "docno", "pubmedid", "pmid", "doi")
PROBABILITIES = ("probability", "p", "prob", "score", "confidence")
DECISIONS = ("label", "decision", "included", "relevant", "label_included", "asreview_label", "judgement", "grade")
PathLike = str | os.PathLike[str]


def read_opinions(path: PathLike, column: str | None = None) -> dict[str, float]:
    """The probability that each document is relevant: as the file says, or 1 and 0 for labels.

    `column` is the column of a table that has them, by default one with a usual name: probabilities before labels.
    """
    text = read_text(path)
    head = text.bytes()[: 1 << 16].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"TY  -"):
        return _labels(path, None)
    lines = [line.split() for line in head.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines:
        raise InputError(os.fspath(path), "has no opinions, it is empty")
    if not head.startswith((b"{", b"[")) and len(lines[0]) in (4, 5) and _is_whole(lines[0][-1]):
        return _judgements(path)
    sheet = sheet_of_text(text)
    place = sheet.find(IDS)
    wanted = [column.lower()] if column else []
    value = sheet.find(wanted) if wanted else sheet.find(PROBABILITIES)
    if column and value is None:
        raise InputError(sheet.name, f"no column {column!r} among {', '.join(sheet.columns[:12])}")
    if value is None:
        value = sheet.find(DECISIONS)
    if value is None or place is None:
        missing = "of documents, such as `document` or `id`" if place is None else "of probabilities or labels"
        if place is None and value is not None and sheet.find(("title",)) is not None:
            return _labels(path, column)
        raise InputError(
            sheet.name, f"no column {missing}, among {', '.join(sheet.columns[:12])}: name it with --column"
        )
    found: dict[str, float] = {}
    silent = 0
    for number, row in enumerate(sheet.rows):
        name = "" if is_missing(row[place]) else label(row[place])
        opinion = None if is_missing(row[value]) else _opinion(row[value])
        if isinstance(opinion, str):
            raise sheet.error(
                number, f"{opinion} is neither a probability from 0 to 1 nor a label such as 1, 0, yes, no"
            )
        if not name or opinion is None:
            silent += 1
            continue
        if found.setdefault(name, opinion) != opinion:
            raise sheet.error(number, f"{visible(name)} has another opinion in an earlier row")
    if not found:
        raise InputError(sheet.name, "has no opinion on any document")
    if silent:
        said = f"{sheet.name}: {counted(silent, 'row')} without an id or an opinion, left out"
        warnings.warn(said, LeadlineWarning, stacklevel=2)
    return found


def _opinion(cell: object) -> float | str | None:
    """A probability, None where there is none, or what is wrong."""
    text = label(cell).strip()
    try:
        number = float(text)
    except ValueError:
        try:
            decided = grade(text)
        except ValueError:
            return repr(visible(text[:40]))
        return None if decided is None else float(decided)
    if number == -1:  # as exports of reviews write what is not decided
        return None
    return number if math.isfinite(number) and 0 <= number <= 1 else repr(text[:40])


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _labels(path: PathLike, column: str | None) -> dict[str, float]:
    """Labels of an export of a review."""
    found: dict[str, float] = {}
    for grades in read_labels(path, column=column, form="ris" if column is None else None).to_dict().values():
        found.update({name: float(value > 0) for name, value in grades.items()})
    return found


def _judgements(path: PathLike) -> dict[str, float]:
    """Judgements of one topic; what is not judged, below 0, is no opinion."""
    qrels = read_qrels(path)
    if len(qrels.topics) > 1:
        problem = f"has {len(qrels.topics)} topics, first {qrels.topics[0]}: keep the one that is this review"
        raise InputError(os.fspath(path), problem)
    return {
        name: float(value > 0) for grades in qrels.to_dict().values() for name, value in grades.items() if value >= 0
    }


def opinions_by_row(
    found: Mapping[str, float], row_of: Mapping[str, int], units: Sequence[Sequence[str]]
) -> dict[int, float]:
    """The opinions on the units of a review: of a family, or of records with the same text, the largest."""
    by_row: dict[int, float] = {}
    for name, p in found.items():
        row = row_of.get("_".join(name.split()))
        if row is not None:
            by_row[row] = max(by_row.get(row, 0.0), p)
    if not by_row:
        first = next(iter(found))
        raise InputError(
            "machine", f"names no document of this review: it has {visible(first)}, the review {units[0][0]}"
        )
    return by_row
