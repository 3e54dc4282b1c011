"""The words and numbers users choose from when collections, copies and links are read: a module that costs nothing."""

from __future__ import annotations

import pkgutil
from pathlib import Path
from typing import Literal, get_args

# Documents.
READER_FORMS = tuple(
    sorted(file.name for file in pkgutil.iter_modules([str(Path(__file__).parent / "documents/readers")]))
)
LABELLED_FORMS = ("nbib", "review", "ris")  # the readers whose records may have labels
DEFAULT_RULE = ("claims", "description|abstract")  # the fields that a document must have
VIEWS = ("office", "kind", "year", "section", "class", "subclass", "origin", "category", "family size", "language")
Origin = Literal["applicant", "examiner", "opposition", "third party", "unknown"]  # of a citation
ORIGINS: tuple[Origin, ...] = get_args(Origin)
JudgementDates = Literal["priority", "none"]  # of judgements: the rule `publication`, or `none`

# Near-duplicates.
Keep = Literal["earliest", "longest", "best-linked"]
By = Literal["words", "letters", "lines"]
COMPARED_FIELDS = ("title", "abstract", "claims", "description")
WIDEST_SHINGLE = 1000  # tokens
PLACES = 128  # numbers in a sketch

# Links.
DAMPING = 0.85
IN_LINKS = 50  # of a root page that enter the query's own graph, as Kleinberg chose
ROOTS = 200  # pages of the root set, as Kleinberg chose
WalkMethod = Literal["metropolis", "reweighted", "walk", "uniform"]
WALK_METHODS: tuple[WalkMethod, ...] = get_args(WalkMethod)
WALK_STEPS = 200

# The simulated office.
OFFICE_WORDS = ("chemistry", "invented")
