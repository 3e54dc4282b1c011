"""The words users choose from when records are read."""

from __future__ import annotations

from typing import Literal

Order = Literal["score", "rank", "file"]  # what the ranking of a run follows
Format = Literal["plain", "strata", "subtopics", "prels", "passages"]  # of judgements
