"""What may stand in records, and the words users choose from when records are read."""

from __future__ import annotations

from typing import Literal

Order = Literal["score", "rank", "file"]  # what the ranking of a run follows
Format = Literal["plain", "strata", "subtopics", "prels", "passages"]  # of judgements

LARGEST_GRADE = 999_999_999
