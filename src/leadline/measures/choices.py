"""The words users choose from where judgements are by subtopic: a module that costs nothing."""

from __future__ import annotations

from typing import Literal

IdealKind = Literal["coverage", "single"]
Theta = Literal["equal", "claims", "decay", "halving", "given"]
