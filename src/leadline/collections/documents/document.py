"""Documents: patents and articles with their claims, classes, dates and citations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Origin = Literal["applicant", "examiner", "opposition", "third party", "unknown"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)


# Kinds of documents that are not patents: they have no number to normalise, and no claims.
OTHER_KINDS = ("article", "record", "page", "text")
INDEPENDENT_WEIGHT, DEPENDENT_WEIGHT = 1.0, 0.5  # of a claim, where claims are subtopics


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: its number, its text, and the claims it refers to.

    >>> Claim(1, "A nail."), Claim(2, "The nail of claim 1, bent.", (1,)).independent
    (Claim(number=1, text='A nail.', parents=()), False)
    """

    number: int
    text: str
    parents: tuple[int, ...] = ()

    @property
    def independent(self) -> bool:
        return not self.parents

    @property
    def weight(self) -> float:
        """The weight of the claim among the claims of its patent."""
        return INDEPENDENT_WEIGHT if self.independent else DEPENDENT_WEIGHT


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation of a patent by its normalised number, or of literature by its text."""

    number: str = ""  # "US5793966A", without a kind when none is printed; "" for literature
    origin: Origin = "unknown"  # "examiner" includes search reports
    category: str = ""  # of a search report: X, Y, A, D ...
    date: str = ""  # when the cited document was published, as far as printed: "1998-08"
    text: str = ""  # literature, as printed


@dataclass(frozen=True, slots=True)
class Priority:
    """An earlier application whose date this one claims. Documents with the same priorities are a simple family."""

    number: str
    date: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Document:
    """A patent, an application, or an article.

    Dates are `YYYY-MM-DD`, shorter when less is known, empty when unknown.
    Class symbols are written without blanks, `C07D401/04`.
    """

    id: str  # in runs and qrels: the source's own id, or the normalised number
    office: str = ""  # two letters; empty for an article
    serial: str = ""  # the normalised number between office and kind
    kind: str = ""  # B2, A1 ...; or one of OTHER_KINDS. A "record" is a title with or without its abstract
    language: str = ""  # of the text, two lower-case letters
    title: str = ""
    abstract: str = ""
    description: str = ""
    claims: tuple[Claim, ...] = ()
    ipc: tuple[str, ...] = ()  # the first is the main class
    cpc: tuple[str, ...] = ()
    national: tuple[str, ...] = ()  # the office's own scheme, in its spelling: "709/204"
    priorities: tuple[Priority, ...] = ()
    application: str = ""  # when it was filed
    application_number: str = ""  # normalised; the priority that later filings claim
    publication: str = ""  # when it was published or granted
    citations: tuple[Citation, ...] = ()
    citers: tuple[str, ...] = ()  # normalised numbers of documents that the source says cite this one
    family: str = ""  # the source's name for the simple family
    relatives: tuple[str, ...] = ()  # normalised numbers the source lists as family members
    applicants: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """The id and the title, not the whole text.

        >>> Document("EP1", title="A valve", description="..." * 1000)
        Document('EP1', title='A valve')
        """
        title = self.title if len(self.title) <= 60 else f"{self.title[:59]}…"
        return f"Document({self.id!r}{f', title={title!r}' if title else ''})"

    @property
    def priority(self) -> str:
        """The latest of its priority dates, which filters by date use; empty when it claims none.

        >>> Document("X", priorities=(Priority("EP1", "1999-01-02"), Priority("EP2", "1998-05-06"))).priority
        '1999-01-02'
        """
        return max((priority.date for priority in self.priorities), default="")
