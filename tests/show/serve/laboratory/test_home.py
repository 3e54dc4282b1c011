"""The first page: an empty lab asks for one thing and takes it; then it is the report's first screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.show.serve.laboratory.boards import copied_lab, until_computed

from leadline.show.lab.lab import Lab

QRELS = "".join(f"{topic} 0 d{n} {int(n < 2)}\n" for topic in "123456" for n in range(4))
RUN = "".join(f"{topic} Q0 d{n} {n + 1} {9 - n} good\n" for topic in "123456" for n in range(3))


def send(client: Any, name: str, content: str) -> Any:
    """Send a file from the first page, and say yes to what it is."""
    csrf = re.search(r'name="csrf" value="([^"]+)"', client.get("/").text)
    assert csrf is not None
    offered = client.post("/add", data={"csrf": csrf[1]}, files={"file": (name, content)})
    assert offered.status_code == 200
    client.post(offered.url.path, data={"csrf": csrf[1], "do": "add"})
    return offered


def test_an_empty_lab_asks_for_judgements_then_for_runs(tmp_path: Path, visit: Callable[..., Any]) -> None:
    lab = Lab.create(tmp_path / "lab", "New")
    client = visit(lab)
    page = client.get("/").text
    assert "First, add judgements" in page
    assert "Leaderboard</a>" not in page, "there is nothing to show on it"
    assert "add <code>" not in page
    assert "<code>leadline lab add lab COLLECTION INDEX</code>" in page
    refused = send(client, "nothing.txt", "what is this\n")
    assert "Nothing that was sent can be added" in refused.text
    assert "judgements: 6 topics, 24 judgements" in send(client, "mine.qrels", QRELS).text
    assert "Now add runs" in client.get("/").text
    send(client, "good.run", RUN)
    assert "There is only one run" in client.get("/").text
    send(client, "poor.run", RUN.replace(" d0 ", " x0 ").replace("good", "poor"))
    home = until_computed(client, "/api/home")
    assert home["first"] == ""
    assert home["leads"]["screen"]["leader"] == "good"
    assert [entry.name for entry in lab.entries()] == ["mine.qrels", "good", "poor"]


def test_it_compares_with_the_system_used_today(small_lab: Path, tmp_path: Path, visit: Callable[..., Any]) -> None:
    lab = Lab.open(copied_lab(small_lab, tmp_path))
    client = visit(lab)
    until_computed(client, "/api/home")
    page = client.get("/").text
    assert '<details class="here"><summary>What is here' in page
    csrf = re.search(r'action="/baseline".*?name="csrf" value="([^"]+)"', page, re.DOTALL)
    assert csrf is not None
    wrong = client.post("/baseline", data={"csrf": csrf[1], "baseline": "nobody"})
    assert wrong.status_code == 400
    client.post("/baseline", data={"csrf": csrf[1], "baseline": "system0"})
    found = until_computed(client, "/api/home")["leads"]
    assert found["baseline"] == "system0"
    assert found["screen"]["baseline"].startswith("The present system (baseline), system0, finds")
    assert Lab.open(lab.folder).baseline == "system0"
    reader = visit(lab, "reader")
    assert 'action="/baseline"' not in reader.get("/").text
