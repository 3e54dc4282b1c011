"""A case as a file: a report as Word or PDF, references, a table, judgements, a strategy, and all of it as an archive.

The archive is a zip with the journal of the case, what follows from it in plain files, and a manifest with the hash of
each file and the head of the journal's chain; `leadline check` reads all of it.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.errors import InputError, LeadlineError, system_reason, visible
from leadline.records.result import Table
from leadline.show.lab.case import CASE_STORE, ENDING, REPAIR, Case, CaseFile, check_case
from leadline.show.lab.case_judgements import judgement_table, judgements_text, strategy_text
from leadline.show.lab.case_search import features_of, queries_found, topic_of
from leadline.show.lab.opened import OpenedLab
from leadline.show.pages.environment import rendered
from leadline.show.pages.printing import PrintedPages
from leadline.text.checksums import Finding, check_seal, finding_of, parsed_object, sealed
from leadline.text.store.store import Store
from leadline.version import __version__

FORMS: Mapping[str, str] = {  # ending and media type
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
    "ris": "application/x-research-info-systems",
    "csv": "text/csv; charset=utf-8",
    "qrels": "text/plain; charset=utf-8",
    "strategy": "text/plain; charset=utf-8",
    "zip": "application/zip",
}
ARCHIVE, ARCHIVE_FORMAT, MANIFEST, JOURNAL = "an archive of a case", 1, "manifest.json", f"journal{ENDING}"
_LARGEST = 256 << 20  # bytes of a file in an archive
_NAME = re.compile(r"[a-z]+\.[a-z]+")
_WRONG = (  # what reading a damaged zip raises
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError, NotImplementedError, RuntimeError, ValueError
)  # fmt: skip
_MOMENT = (1980, 1, 1, 0, 0, 0)  # of every file in a zip: the same case gives the same bytes


def exported(opened: OpenedLab, file: CaseFile, form: str) -> bytes:
    """A case in one of `FORMS`."""
    case = file.read()
    if form == "zip":
        return archived(opened, file)
    writers: dict[str, Callable[[], bytes]] = {
        "docx": lambda: word_document(case_report(opened, case)),
        "pdf": lambda: printed(case_report(opened, case)),
        "ris": lambda: references(opened, case),
        "csv": lambda: judgement_table(case).encoded("csv"),
        "qrels": lambda: judgements_text(case),
        "strategy": lambda: strategy_text(case),
    }
    return writers[form]()


# The report: what it says, in the order in which a colleague would read it.


@dataclass(frozen=True)
class CasePart:
    """A part of a report: a heading with sentences and a table."""

    heading: str
    sentences: tuple[str, ...] = ()
    table: Table | None = None


@dataclass(frozen=True)
class CaseReport:
    """What the Word file and the PDF say."""

    title: str
    about: tuple[str, ...]
    parts: tuple[CasePart, ...]

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by the words that `leadline case show --part` takes."""
        headings = {"Queries": "queries", "Documents": "documents", "Claim chart": "chart"}
        return {headings[part.heading]: part.table for part in self.parts if part.table is not None}


def case_report(opened: OpenedLab, case: Case) -> CaseReport:
    """The report of a case: what was searched and how, what was found, the claim chart, and who signed it."""
    signature = case.signature
    about = [f"Of {'patent ' + case.patent if case.patent else 'a question'}, begun by {case.begun} (UTC)."]
    about += [case.question] if case.question else []
    if signature is None:
        about.append("This case is not signed: work on it goes on.")
    else:
        about.append(f"Signed by {signature.act} (UTC). {signature.statement}".strip())
        about.append(f"The signature is over {signature.head.label.removeprefix('Journal, ')}: {signature.head.hash}")
    parts = [
        CasePart("Queries", ("Run on the index as it is now.",), _query_table(opened, case)),
        CasePart("Documents", (_grades_said(case),), _document_table(opened, case)),
        CasePart("Claim chart", _chart_said(case), _chart_table(opened, case)),
    ]
    if case.notes:
        parts.append(CasePart("Notes", tuple(f"{text} ({act})" for text, act in case.notes)))
    people = ", ".join(f"{name} (last {act.at[:16].replace('T', ' ')})" for name, act in case.people.items())
    parts.append(CasePart("Record", (f"Worked on it: {people}.", f"{case.head}", f"Leadline {__version__}.")))
    return CaseReport(case.title, tuple(about), tuple(parts))


MOST_SAID = 300  # characters of what an event says, in a table


def history_table(case: Case) -> Table:
    """What was done, the last first."""
    rows = [
        [
            each.at[:19].replace("T", " "),
            each.said["person"],
            each.said["kind"],
            visible(_what(each.said)),
            "taken back" if each.uid in case.undone else "",
        ]
        for each in reversed(case.events)
    ]
    return Table(["at", "person", "did", "what", "state"], rows)


def _what(said: Mapping[str, Any]) -> str:
    """What an event says, in a line."""
    if "lines" in said:
        return "; ".join(f"#{line['number']} {line['text']}" for line in said["lines"])[:MOST_SAID]
    if said["kind"] == "features":
        return f"{len(said['features'])} rows of the chart"
    known = ("feature", "document", "documents", "grade", "tag", "text", "where", "number", "statement", "why", "what")
    parts = [str(said[name]) for name in known if said.get(name)]
    return " ".join([*parts, *([] if said.get("on", True) else ["taken away"])])[:MOST_SAID]


def _query_table(opened: OpenedLab, case: Case) -> Table:
    rows = [
        [f"#{each.query.number}", each.query.text, each.line.documents if each.line else None, str(each.query.act)]
        for each in queries_found(opened, case)
    ]
    return Table(["no.", "query", "documents", "by"], rows)


def _grades_said(case: Case) -> str:
    used = {each.grade for each in case.documents.values()}
    return "; ".join(f"{each.name}: {each.means}" for each in case.grades if each.name in used) or "None is graded yet."


def _document_table(opened: OpenedLab, case: Case) -> Table:
    names = [each.id for each in case.shortlist]
    collection = opened.collection_of(case.index)
    known = opened.collection(collection).documents_there(names) if collection and names else [None] * len(names)
    rows = [
        [
            each.id,
            each.grade,
            document.title if document else "",
            document.publication if document else "",
            "; ".join(document.applicants) if document else "",
            str(each.graded) if each.graded else "",
            " · ".join(text for text, _ in each.notes),
        ]
        for each, document in zip(case.shortlist, known, strict=True)
    ]
    return Table(["document", "grade", "title", "published", "applicant", "by", "notes"], rows)


def _chart_said(case: Case) -> tuple[str, ...]:
    accepted = sum(bool(each.suggested) for each in case.ticks.values())
    said = "Every row was decided by the person it names; what the machine suggests and nobody accepted is not in it."
    return (
        said,
        *([f"{accepted} of {len(case.ticks)} were suggested by the machine, and accepted."] if accepted else []),
    )


def _chart_table(opened: OpenedLab, case: Case) -> Table:
    texts = {each.key: each.text for each in features_of(case, topic_of(opened, case))}
    order = list(texts)
    ticks = sorted(
        case.ticks.values(),
        key=lambda each: (order.index(each.feature) if each.feature in order else len(order), each.document),
    )
    rows = [
        [
            each.feature,
            texts.get(each.feature, ""),
            each.document,
            each.where,
            each.passage,
            f"{each.act}{', suggested' if each.suggested else ''}",
        ]
        for each in ticks
    ]
    return Table(["claim", "feature", "document", "where", "passage", "by"], rows)


def printed(report: CaseReport) -> bytes:
    """The report as pages of A4."""
    pages = PrintedPages()
    pages.text(report.title, "h1", 32, 46)
    for sentence in report.about:
        pages.text(sentence, "p", 18, 104)
    for part in report.parts:
        pages.room(90)
        pages.y += 16
        pages.rule()
        pages.y += 6
        pages.text(part.heading, "h2", 26, 66)
        for sentence in part.sentences:
            pages.text(sentence, "p", 18, 104)
        for row in part.table.rows if part.table else ():  # whole texts: a passage that is cut proves nothing
            assert part.table is not None
            cells = [
                (name, _shown(value)) for name, value in zip(part.table.columns, row, strict=True) if _shown(value)
            ]
            pages.room(40)
            pages.y += 5
            pages.text(" · ".join(value for _, value in cells[:2]), "caption", 16, 100)
            for name, value in cells[2:]:
                pages.text(f"{name}: {value}", "p", 16, 104)
    return pages.pdf(report.title)


def _shown(value: Any) -> str:
    return "" if value is None else visible(f"{value:,}" if isinstance(value, int) else str(value), "\n")


# A file of Word: parts of XML in a zip, made by templates.


_WORD_PARTS = {
    "[Content_Types].xml": "word_types.xml",
    "_rels/.rels": "word_links.xml",
    "word/styles.xml": "word_styles.xml",
    "word/document.xml": "word_document.xml",
}


def word_document(report: CaseReport) -> bytes:
    """The report as a file that Word and LibreOffice open."""
    parts = [
        {
            "heading": visible(part.heading),
            "sentences": [_shown(each) for each in part.sentences],
            "columns": list(part.table.columns) if part.table else [],
            "rows": [[_shown(cell).split("\n") for cell in row] for row in part.table.rows] if part.table else [],
        }
        for part in report.parts
    ]
    content = {"title": visible(report.title), "about": [_shown(each) for each in report.about], "parts": parts}
    return _zipped(
        {name: rendered(template, **content).encode("utf-8", "replace") for name, template in _WORD_PARTS.items()}
    )


def _zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            about = zipfile.ZipInfo(name, _MOMENT)
            about.compress_type, about.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            archive.writestr(about, content)
    return out.getvalue()


def references(opened: OpenedLab, case: Case) -> bytes:
    """The shortlist as RIS, with grades, tags and notes."""
    collection = opened.collection_of(case.index)
    names = [each.id for each in case.shortlist]
    known = opened.collection(collection).documents_there(names) if collection and names else [None] * len(names)
    out = []
    for each, document in zip(case.shortlist, known, strict=True):
        fields = [("TY", "PAT"), ("ID", each.id), ("M1", each.id)]
        if document is not None:
            fields += [("TI", document.title), ("AB", document.abstract), ("LA", document.language)]
            fields += [("AU", name) for name in document.inventors] + [("A2", name) for name in document.applicants]
            fields += [("PY", document.publication[:4]), ("DA", document.publication.replace("-", "/"))]
        fields += [("KW", tag) for tag in sorted(each.tags)]
        fields += [("N1", f"{each.grade} by {each.graded}")] if each.grade and each.graded else []
        fields += [("N1", f"{text} ({act})") for text, act in each.notes]
        out += [f"{tag}  - {' '.join(visible(text).split())}\n" for tag, text in fields if text]
        out.append("ER  - \n\n")
    return "".join(out).encode("utf-8", "replace")


# The archive.


def archived(opened: OpenedLab, file: CaseFile) -> bytes:
    """All of a case: its journal, what follows from it, and a manifest of hashes."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / JOURNAL
        with Store.open(file.path, CASE_STORE) as store:
            store.copy_to(copy)
        case = CaseFile(copy).read()
        files: dict[str, bytes] = {JOURNAL: copy.read_bytes(), "events.jsonl": _events(case)}
    writers: dict[str, Callable[[], bytes]] = {
        "judgements.csv": lambda: judgement_table(case).encoded("csv"),
        "judgements.qrels": lambda: judgements_text(case),
        "queries.txt": lambda: strategy_text(case),
        "documents.ris": lambda: references(opened, case),
        "chart.csv": lambda: _chart_table(opened, case).encoded("csv"),
        "report.docx": lambda: word_document(case_report(opened, case)),
    }
    for name, make in writers.items():
        try:
            files[name] = make()
        except LeadlineError:  # no judgement, no query yet; or the index is gone, and what it says with it
            continue
    listed = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()} for name, content in files.items()
    }
    about = {"case": file.name, "events": case.head.events, "head": case.head.hash, "leadline": __version__}
    manifest = sealed({"what": ARCHIVE, "format": ARCHIVE_FORMAT, **about, "files": listed})
    return _zipped({MANIFEST: manifest, **files})


def _events(case: Case) -> bytes:
    lines = [{"seq": each.seq, "id": each.uid, "at": each.at, **each.said} for each in case.events]
    return "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines).encode()


def is_archive(path: Path) -> bool:
    """Whether a zip is an archive of a case."""
    try:
        with zipfile.ZipFile(path) as archive:
            return MANIFEST in archive.namelist() and JOURNAL in archive.namelist()
    except (zipfile.BadZipFile, OSError, EOFError):
        return False


def check_archive(path: Path) -> Iterator[Finding]:
    """Everything that is wrong with an archive of a case: each file against its hash, the journal against its chain."""
    try:
        with zipfile.ZipFile(path) as archive:
            listed = _manifest(archive, str(path))
            for name, about in listed["files"].items():
                content = _content(archive, name, about, str(path))
                if name == JOURNAL:
                    yield from _check_journal(content, listed, path)
    except InputError as error:
        yield finding_of(error, REPAIR)
    except _WRONG as error:
        yield Finding(str(path), f"is damaged ({visible(str(error))[:200]})", REPAIR)
    except OSError as error:
        yield Finding(str(path), f"cannot be read: {system_reason(error)}", REPAIR)


def _manifest(archive: zipfile.ZipFile, where: str) -> dict[str, Any]:
    if archive.getinfo(MANIFEST).file_size > _LARGEST:
        raise InputError(where, "is damaged, its manifest is too large")
    listed = parsed_object(archive.read(MANIFEST), where, REPAIR)
    check_seal(listed, where, REPAIR)
    if listed.get("what") != ARCHIVE or JOURNAL not in listed["files"]:
        raise InputError(where, f"is not {ARCHIVE}")
    if listed["format"] > ARCHIVE_FORMAT:
        problem = f"has format {listed['format']}, this version reads up to {ARCHIVE_FORMAT}: update leadline"
        raise InputError(where, problem)
    if sorted(archive.namelist()) != sorted([MANIFEST, *listed["files"]]):
        raise InputError(where, "is damaged, its files are not those of its manifest")
    return listed


def _content(archive: zipfile.ZipFile, name: str, about: Mapping[str, Any], where: str) -> bytes:
    if not _NAME.fullmatch(name) or archive.getinfo(name).file_size > _LARGEST:
        raise InputError(where, f"is damaged, it has a file {visible(name)[:100]}")
    content = archive.read(name)
    if len(content) != about["bytes"] or hashlib.sha256(content).hexdigest() != about["sha256"]:
        raise InputError(where, f"is damaged, {name} is not what was written")
    return content


def _check_journal(content: bytes, listed: Mapping[str, Any], path: Path) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / JOURNAL
        copy.write_bytes(content)
        for each in check_case(copy):
            yield Finding(str(path), each.problem, each.mend)
            return
        head = CaseFile(copy).read().head
    if (head.events, head.hash) != (listed["events"], listed["head"]):
        yield Finding(str(path), "is damaged, its journal does not end as its manifest says", REPAIR)
