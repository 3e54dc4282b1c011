"""Judgements, and reviews to try learners on, from exports with labels: included is relevant, excluded is not."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from leadline.collections.choices import LABELLED_FORMS
from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import grade, unpacked
from leadline.collections.documents.readers.review import chosen_label
from leadline.collections.documents.registry import READERS, Broken
from leadline.collections.documents.sources import find_sources, open_streams
from leadline.collections.documents.splitting import split
from leadline.errors import InputError, LeadlineWarning, nearest
from leadline.judge.review.learners import TextFeatures
from leadline.judge.review.simulation import LabelledReview
from leadline.records.qrels import Qrels
from leadline.records.result import counted
from leadline.text.source import stem


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


def reviews_of_exports(source: str | os.PathLike[str], column: str | None = None) -> Iterator[LabelledReview]:
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
