"""What files say of documents: labels, as judgements and as reviews to try learners on, and a machine's opinions."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from leadline.collections.choices import LABELLED_FORMS
from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import grade, unpacked
from leadline.collections.documents.readers.review import chosen_label
from leadline.collections.documents.registry import READERS, Broken
from leadline.collections.documents.sources import find_sources, open_streams
from leadline.collections.documents.splitting import split
from leadline.errors import InputError, LeadlineWarning, nearest, visible
from leadline.judge.review.learners import TextFeatures
from leadline.judge.review.simulation import LabelledReview
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.result import counted
from leadline.text.sheet import is_missing, label, sheet_of_text
from leadline.text.source import read_text, stem

PathLike = str | os.PathLike[str]


def read_labels(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    column: str | None = None,
    topic: str | None = None,
    form: str | None = None,
) -> Qrels:
    """Read judgements from labels: an export of ASReview (CSV or RIS), or a table such as Cohen's.

    sources: exports with labels; may be compressed
    column: column of labels (default: the final decision, such as `included` or `label_included`)
    topic: name of the topic (default: the file's name)
    form: format of the files (default: detected)

    Each file is a topic, unless `topic` names one for all. Documents have the ids that `build_collection` gives them.
    Records without a label are left out; one listed twice is relevant if either is. Warnings count both.
    """
    listed = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    paths = find_sources(listed)
    if topic is not None and len(paths) > 1:
        raise InputError("topic", f"can be given for one file, got {len(paths)}")
    topics: list[str] = []
    documents: list[str] = []
    grades: list[int] = []
    for path in paths:
        judged = _labels_of(path, column, form)
        name = "_".join((topic or stem(path).removesuffix(".ris")).split())
        if name in topics:
            raise InputError(str(path), f"topic {name} is given twice: rename the file")
        topics += [name] * len(judged)
        documents += list(judged)
        grades += list(judged.values())
    return Qrels.from_columns(topics, documents, grades, str(paths[0]) if len(paths) == 1 else "labels")


def reviews_of_exports(source: PathLike, column: str | None = None) -> Iterator[LabelledReview]:
    """A labelled review of each export with labels, a file or those of a folder, read without making a collection."""
    for path in find_sources([source]):
        documents: dict[str, Document] = {}
        labels = _labels_of(path, column, None, documents)
        texts = [f"{documents[name].title} {documents[name].abstract}" for name in labels]
        relevant = np.array([grade > 0 for grade in labels.values()])
        if relevant.all() or not relevant.any():
            only = "relevant" if relevant.any() else "not relevant"
            raise InputError(str(path), f"all records are {only}: a learner needs both")
        yield LabelledReview(stem(path).removesuffix(".ris"), tuple(labels), TextFeatures.of(texts), relevant)


def _labels_of(
    path: Path, column: str | None, form: str | None, documents: dict[str, Document] | None = None
) -> dict[str, int]:
    """The grade of every labelled record of a file; its document is put among the `documents` that are given."""
    judged: dict[str, int] = {}
    unlabelled = twice = differing = 0
    problems: list[str] = []
    for stream in open_streams(path):
        chosen = column
        for raw in split(stream.pieces, form):
            if isinstance(raw, Broken):
                problems.append(f"byte {raw.offset}: {raw.reason}")
                continue
            if raw.form not in LABELLED_FORMS:
                raise InputError(str(path), f"is read as {raw.form}, which has no labels: give CSV or RIS of a review")
            fields, labels, row = unpacked(raw.content)
            if column is not None and raw.form == "review":
                if column not in fields:
                    problem = f"no column {column!r} among {', '.join(fields)}{nearest(column, fields)}"
                    raise InputError(str(path), problem)
                label = fields[column]
            else:
                chosen = chosen or (chosen_label(list(labels)) if raw.form == "review" else "N1")
                if chosen is None:
                    names = ", ".join(list(fields)[:12])
                    raise InputError(str(path), f"no column of labels among {names}; name it with column (--column)")
                label = labels.get(chosen, "")
            try:
                value = grade(label)
                read = READERS[raw.form].read(raw.content)
                document = read.id
            except ValueError as error:
                problems.append(f"record {row}: {error}")
                continue
            if documents is not None:
                documents.setdefault(document, read)
            if value is None:
                unlabelled += 1
            elif document in judged:
                twice += 1
                differing += judged[document] != value
                judged[document] = max(judged[document], value)
            else:
                judged[document] = value
    if not judged:
        raise InputError(str(path), "no record has a label" + (f"; {problems[0]}" if problems else ""))
    _warn(path, unlabelled, twice, differing, problems)
    return judged


def _warn(path: Path, unlabelled: int, twice: int, differing: int, problems: list[str]) -> None:
    said = [
        f"{counted(unlabelled, 'record')} without a label, left out" if unlabelled else "",
        f"{counted(twice, 'record')} listed again" if twice else "",
        f"{differing:,} of them with another label, taken as relevant" if differing else "",
        f"{counted(len(problems), 'problem')} in reading, first {problems[0]}" if problems else "",
    ]
    if any(said):
        warnings.warn(f"{path}: {'; '.join(filter(None, said))}", LeadlineWarning, stacklevel=4)


# Opinions of a machine from a file: a table, JSON lines, RIS, or judgements as TREC writes them.


IDS = ("document", "id", "record_id", "doc_id", "docno", "pubmedid", "pmid", "doi")
PROBABILITIES = ("probability", "p", "prob", "score", "confidence")
DECISIONS = ("label", "decision", "included", "relevant", "label_included", "asreview_label", "judgement", "grade")


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
