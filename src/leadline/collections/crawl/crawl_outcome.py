"""What a run of a crawl did, in a sentence and notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from leadline.collections.crawl.traps import CHAIN
from leadline.collections.documents.fields.web_page import PDF_TYPE
from leadline.collections.documents.markup.pdf import reads_pdf
from leadline.records.scores.result import Result, counted


@dataclass(repr=False)
class CrawlOutcome(Result):
    """What a run of a crawl did."""

    folder: Path
    asked: int = 0  # requests for pages in this run
    rate: float = 0.0
    documents: int = 0
    unreadable: int = 0  # pages without a document: damaged PDF files
    links: int = 0
    states: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)  # by kind
    refused: dict[str, int] = field(default_factory=dict)  # by reason
    passed_over: dict[str, int] = field(default_factory=dict)  # links that were not followed, by reason
    changes: dict[str, int] = field(default_factory=dict)  # of a crawl that looked for changes
    asked_again: list[str] = field(default_factory=list)  # pages on their way when the last run was killed
    recovered: int = 0  # pages that a killed run had stored and not noted
    stopped: bool = False
    finished: bool = False  # nothing is left to ask
    private: list[str] = field(default_factory=list)  # private hosts that were allowed

    def _finding(self) -> str:
        done = f"{counted(self.asked, 'page')} asked for, {self.rate:,.1f} a second"
        if not self.asked and self.finished:
            done = "nothing is left to ask for"
        return f"{done}; {counted(self.documents, 'document')} and {counted(self.links, 'link')} in {self.folder}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was refused, what failed, and how to go on."""
        notes = []
        if self.private:
            notes.append(f"private addresses that were allowed, since a seed names them: {', '.join(self.private)}")
        if self.recovered:
            stored = counted(self.recovered, "page")
            notes.append(f"{stored} had been stored when the last run was killed, and not asked for again")
        if self.asked_again:
            named = ", ".join(self.asked_again[:3]) + ", …" * (len(self.asked_again) > 3)
            pages = counted(len(self.asked_again), "page")
            notes.append(f"{pages} on the way when the last run was killed; asked for again: {named}")
        if self.changes:
            notes.append(f"since the last time: {_counts(self.changes)}")
        if self.failed:
            notes.append(f"failed: {_counts(self.failed)}")
        if f"type {PDF_TYPE}" in self.failed and not reads_pdf():
            notes.append("text of PDF files needs the package pypdf: pip install pypdf, then --again")
        if self.unreadable:
            notes.append(f"{counted(self.unreadable, 'page')} without a text that can be read: damaged PDF files")
        if self.refused:
            notes.append(f"refused: {_counts(self.refused)}")
        if f"trap: {CHAIN}" in self.refused:
            notes.append("pages in a row that only lead on to the next were given up; --chain 0 follows them on")
        if self.passed_over:
            notes.append(f"links not followed: {_counts(self.passed_over)}")
        waiting = self.states.get("queued", 0)
        again = f"`leadline crawl -o {self.folder}` goes on"
        if self.stopped:
            notes.append(f"stopped with {counted(waiting, 'page')} queued; {again}")
        elif waiting:
            notes.append(f"a limit was reached with {counted(waiting, 'page')} queued; {again} with a larger --pages")
        elif not self.asked:
            missing = ", but what failed or was refused is missing" if self.failed or self.refused else ""
            notes.append(f"the crawl is complete{missing}; --again asks for what changed since")
        return tuple(notes)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items())
