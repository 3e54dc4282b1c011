"""The score matrices that other people's tests were run on."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Rows = Callable[[str], list[dict[str, str]]]


def matrix_of(path: Path) -> np.ndarray:
    """A file of topics × systems as systems × topics."""
    return np.loadtxt(path, skiprows=1)[:, 1:].T.copy()


@pytest.fixture(scope="session")
def ap(golden: Path) -> np.ndarray:
    return matrix_of(golden / "inputs/scores/ap.matrix.tsv")


@pytest.fixture(scope="session")
def ap_rounded(golden: Path) -> np.ndarray:
    return matrix_of(golden / "inputs/scores/ap.rounded1.matrix.tsv")


@pytest.fixture(scope="session")
def drawn_topics(golden: Path) -> np.ndarray:
    """Saved samples of topics: draws × topics, from 0."""
    return np.loadtxt(golden / "inputs/scores/boot_replicates_t_x_B.txt.gz", dtype=np.int64).T - 1


@pytest.fixture(scope="session")
def arrangements(golden: Path, ap: np.ndarray) -> np.ndarray:
    """Saved arrangements: draws × topics × systems, whose score each system gets."""
    systems, topics = ap.shape
    cells = np.loadtxt(golden / "inputs/scores/tukey_replicates_B_x_ts.txt.gz", dtype=np.int64) - 1
    places = cells.reshape(-1, topics, systems)
    assert (places % topics == np.arange(topics)[:, None]).all()
    return places // topics


@pytest.fixture(scope="session")
def oracle(golden: Path) -> Rows:
    """A table of the folder `significance`, as records."""

    def rows(name: str) -> list[dict[str, str]]:
        with (golden / "significance" / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, delimiter="\t"))

    return rows
