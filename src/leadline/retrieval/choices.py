"""The words and numbers users choose from for prior art and tuning: a module that costs nothing."""

from __future__ import annotations

from typing import Literal

BEARING = 0.25  # the share of a claim's terms from which a passage bears on it
DEFAULT_SYSTEM = "best"  # of a search for prior art
Learner = Literal["logistic", "lambdamart"]
