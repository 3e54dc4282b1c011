"""Data frames: from Parquet, CSV and JSON files, and from Polars, pandas and Arrow."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from leadline.errors import InputError
from leadline.text.ids import decode_id
from leadline.text.source import COMPRESSED, SourceText

if TYPE_CHECKING:
    import polars

TOPIC = ("topic", "query_id", "qid", "q_id", "topic_id", "query", "query-id")
DOCUMENT = ("document", "doc_id", "docno", "docid", "document_id", "doc", "corpus-id")
SCORE = ("score", "sim", "similarity")
GRADE = ("grade", "relevance", "rel", "label", "score", "judgement", "judgment")
SUBTOPIC = ("subtopic", "iteration", "intent", "aspect", "subtopic_id")
STRATUM = ("stratum",)
WEIGHT = ("weight", "theta")


def is_frame(value: object) -> bool:
    """Whether this is a data frame of Polars, pandas or Arrow; none of them is imported for it."""
    return type(value).__module__.split(".")[0] in ("polars", "pandas", "pyarrow") and hasattr(value, "shape")


def named_kind(text_name: str, head: bytes) -> str | None:
    """`parquet`, `csv` or `json` for a file of that kind, known by its first bytes or its name; None for TREC text."""
    if head.startswith(b"PAR1"):
        return "parquet"
    name = _without_compression(text_name)
    if name.endswith((".json", ".jsonl")):
        return "json"
    if name.endswith((".csv", ".tsv")):
        first = head.split(b"\n", 1)[0].decode("utf-8", "replace").lower().lstrip("\ufeff")
        separator = "\t" if name.endswith(".tsv") else ","
        names = {word.strip().strip('"') for word in first.split(separator)}
        if (names & set(TOPIC) and names & set(DOCUMENT)) or name.endswith(".csv"):
            return "csv"
    return None


def _without_compression(name: str) -> str:
    name = name.lower()
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return name


def frame_of_text(text: SourceText, kind: str) -> polars.DataFrame:
    """Return the data frame in a Parquet, CSV or JSON file."""
    import polars

    content = text.bytes()
    try:
        if kind == "parquet":
            return polars.read_parquet(io.BytesIO(content))
        if kind == "csv":
            separator = "\t" if b"\t" in content.split(b"\n", 1)[0] else ","
            return polars.read_csv(io.BytesIO(content), infer_schema=False, separator=separator)
        return frame_of_json(content, text.name)
    except (polars.exceptions.PolarsError, ValueError, OSError, RecursionError) as error:
        raise InputError(text.name, f"is not readable {kind}: {' '.join(str(error).split())[:120]}") from None


def frame_of_json(content: bytes, name: str) -> polars.DataFrame:
    """Return the frame that {topic: {document: value}}, a list of records or a record per line makes."""
    import polars

    value = json_value(content, name)
    if isinstance(value, list):
        if not all(isinstance(record, dict) for record in value):
            raise InputError(name, "a JSON list must hold records such as {topic, document, score}")
        return polars.DataFrame(value, infer_schema_length=None)
    return frame_of_mapping(value, name)


def json_value(content: bytes, name: str) -> Any:
    """Return the one JSON value of a text, or the list of the values that stand one per line."""
    import json

    if not _without_compression(name).endswith(".jsonl"):
        try:
            return json.loads(content, object_pairs_hook=lambda pairs: _without_repeats(pairs, name))
        except (ValueError, RecursionError) as error:
            if getattr(error, "msg", "") != "Extra data":
                raise InputError(name, f"is not readable JSON: {' '.join(str(error).split())[:100]}") from None
    values = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise InputError(name, f"is not readable JSON: {error}", line=number) from None
    return values


def _without_repeats(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    """A JSON object; one with a key twice is an error, since only the last would be kept."""
    content = dict(pairs)
    if len(content) < len(pairs):
        seen: set[str] = set()
        again = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InputError(name, f"{again!r} stands twice in one object")
    return content


def frame_of_mapping(nested: Mapping[Any, Any], name: str) -> polars.DataFrame:
    """Return {topic: {document: value}} as a frame with the columns topic, document, score."""
    import polars

    topics, documents, values = columns_of_mapping(nested, name, "value")
    return polars.DataFrame({"topic": topics, "document": documents, "score": values}, strict=False)


def columns_of_mapping(nested: Mapping[Any, Any], name: str, what: str) -> tuple[list[str], list[str], list[Any]]:
    """Return {topic: {document: value}} as three columns.

    >>> columns_of_mapping({7: {"d1": 0.5, "d2": 0.25}}, "run", "score")
    (['7', '7'], ['d1', 'd2'], [0.5, 0.25])
    """
    topics: list[str] = []
    documents: list[str] = []
    values: list[Any] = []
    for topic, by_document in nested.items():
        if not isinstance(by_document, Mapping):
            held = type(by_document).__name__
            raise InputError(name, f"topic {topic!r} holds {held}, expected {{document: {what}}}")
        topics.extend([str(topic)] * len(by_document))
        documents.extend(map(str, by_document))
        values.extend(by_document.values())
    return topics, documents, values


def as_polars(frame: Any) -> polars.DataFrame:
    import polars

    if isinstance(frame, polars.LazyFrame):
        return frame.collect()
    if isinstance(frame, polars.DataFrame):
        return frame
    try:
        return polars.DataFrame(frame)
    except Exception as error:  # pandas and Arrow have errors of their own for mixed columns
        raise InputError("data frame", f"cannot be read: {' '.join(str(error).split())[:120]}") from None


def find_column(frame: polars.DataFrame, names: Sequence[str]) -> str | None:
    """Return the column with one of these names, in any case; None if there is none."""
    by_lower = {column.lower(): column for column in frame.columns}
    return next((by_lower[name] for name in names if name in by_lower), None)


def pick(frame: polars.DataFrame, names: Sequence[str], where: str) -> str:
    column = find_column(frame, names)
    if column is None:
        raise InputError(
            where, f"no column {names[0]} (or {', '.join(names[1:4])}) among {', '.join(frame.columns[:8])}"
        )
    return column


def strings(frame: polars.DataFrame, column: str, where: str) -> list[str]:
    """Return a column of ids as strings, whole floats without `.0`; a missing id or another float is an error."""
    import polars

    series = frame[column]
    if series.dtype.is_nested():
        raise InputError(where, f"{column} holds {series.dtype}, expected names")
    if series.null_count():
        row = int(series.is_null().arg_true()[0])
        raise InputError(where, f"row {row + 1}: {column} is missing")
    if series.dtype.is_float():
        if not series.is_finite().all():
            raise InputError(where, f"{column} holds a number that is not finite, expected names")
        whole = series.cast(polars.Int64, strict=False)
        wrong = (whole.is_null() | (whole.cast(series.dtype) != series)).arg_true()
        if len(wrong):
            row = int(wrong[0])
            raise InputError(where, f"row {row + 1}: {column} {series[row]} is not a whole number, expected names")
        series = whole
    return [decode_id(value) if isinstance(value, bytes) else str(value) for value in series.to_list()]


def numbers(frame: polars.DataFrame, column: str, where: str) -> Iterable[float]:
    """Return a column of numbers; a missing value, a word or NaN is an error that names the row."""
    import polars

    kind = frame[column].dtype
    if not (kind.is_numeric() or kind in (polars.String, polars.Boolean, polars.Null)):
        raise InputError(where, f"{column} holds {kind}, expected numbers")
    series = frame[column].cast(polars.Float64, strict=False)
    wrong = (series.is_null() | series.is_nan()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise InputError(where, f"row {row + 1}: {column} {frame[column][row]!r} is not a number")
    return series.to_list()
