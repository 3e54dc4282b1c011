"""Evidence that several tests draw from: small runs that stand beside the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from leadline.show.charts import Figure
from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence


@pytest.fixture(scope="session", autouse=True)
def one_loop() -> Iterator[None]:
    """All test clients share a loop: each request would begin one of its own, with its threads, which is most of it."""
    try:
        from anyio.from_thread import start_blocking_portal
        from fastapi.testclient import TestClient
    except ImportError:
        yield
        return
    with start_blocking_portal() as portal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(TestClient, "portal", portal)
        yield


@pytest.fixture(scope="session")
def golden_sig(golden: Path) -> Evidence:
    """Six runs on 25 topics."""
    folder = golden / "inputs" / "scores"
    return Evidence.of(folder / "sig.qrels", [folder / f"sys{place}.run" for place in range(6)], "PRES@100")


@pytest.fixture(scope="session")
def golden_syn(golden: Path) -> Evidence:
    """Three runs on 12 topics, one of them without a relevant document; grades, ties and unjudged documents."""
    folder = golden / "inputs" / "syn"
    return Evidence.of(folder / "syn.qrels", [folder / f"run{name}.run" for name in "ABC"], "PRES@100")


@pytest.fixture(scope="session")
def golden_div(golden: Path) -> Evidence:
    """Two runs judged by subtopic, in grades."""
    folder = golden / "inputs" / "div"
    return Evidence.of(folder / "div.graded.qrels", [folder / "dA.run", folder / "dB.run"], "PRES@100")


@pytest.fixture(scope="session")
def draw_once() -> Callable[[str, Evidence], Figure]:
    """Draw a figure, once for each evidence: some take a second."""
    drawn: dict[tuple[str, int], tuple[Evidence, Figure]] = {}  # with the evidence, so that its id stays its own

    def draw(name: str, evidence: Evidence) -> Figure:
        if (name, id(evidence)) not in drawn:
            drawn[name, id(evidence)] = evidence, FIGURES.named(name).draw(evidence)
        return drawn[name, id(evidence)][1]

    return draw
