"""People are added and revoked by several processes at once, and nobody is lost or let in again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.at_once import CommandsAtOnce

from leadline.cli import main
from leadline.judge.journal import People
from leadline.show.lab.lab import Lab
from leadline.show.serve.laboratory.lab_app import lab_app
from leadline.show.serve.security import Address, Guard

NAMES = [f"person {number}" for number in range(8)]


def adding(command: str, place: Path) -> CommandsAtOnce:
    """Add everybody at once, each with a command of its own."""
    lines = [[command, "people", str(place), "add", name, "-f", "json"] for name in NAMES]
    return CommandsAtOnce(lines, ["leadline.show.lab.lab", "leadline.judge.review.project"])


def links_of(added: CommandsAtOnce) -> list[str]:
    links = []
    for status, out, error in added.ended():
        assert status == 0, error
        links += [row["link"] for row in json.loads(out)]
    return links


@pytest.mark.parametrize("command", ["lab", "judge", "review"])
def test_all_of_eight_people_added_at_once_are_kept(
    example_files: Path, tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "place"
    if command == "lab":
        Lab.create(place)
    elif command == "review":
        shutil.copytree(example_files / "asthma", place)
    else:
        for ending in ("", ".json"):
            shutil.copy(f"{example_files / 'pool.txt'}{ending}", f"{place}{ending}")
    links = links_of(adding(command, place))
    assert len(set(links)) == 8
    main([command, "people", str(place), "list", "-f", "json"])
    listed = json.loads(capsys.readouterr().out)
    assert sorted(row["person"] for row in listed) == NAMES
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".leadline-") or path.name == "lock"]


def test_a_link_that_the_server_ended_stays_ended_while_others_are_added(tmp_path: Path) -> None:
    lab = Lab.create(tmp_path / "lab")
    people = People(lab.people_file())
    address = Address.of("127.0.0.1", 8398)
    client = TestClient(Guard(lab_app(lab, people, address), address), base_url=address.url)
    client.get(f"/in/{people.add('olga', 'organiser')}")
    ended = {f"reader {number}": people.add(f"reader {number}", "reader") for number in range(20)}
    csrf = client.get("/api/csrf").json()["csrf"]
    added = adding("lab", lab.folder)
    for name in ended:
        answer = client.post("/people/revoke", data={"csrf": csrf, "person": name}, follow_redirects=False)
        assert answer.status_code == 303, answer.text
    links = links_of(added)
    now = People(lab.people_file())
    assert [name for name, token in ended.items() if now.find(token) is not None] == []
    assert all(now.find(link.rpartition("/")[2]) is not None for link in links)
