"""A damaged simulated office is found by a check, and simulating it again repairs it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import leadline as ll
from leadline.collections.simulate.settings import Settings
from leadline.errors import InputError
from leadline.judge.simulated_office import write_office
from leadline.text.owned_folder import IDENTITY

sys.path.insert(0, str(Path(__file__).parents[1]))
from damage import damages, parsed, wrong_shapes

SMALL = Settings(patents=300, seed=7, topics=5, length=30)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged") / "office"
    write_office(SMALL, folder)
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.soak
def test_every_damage_is_found(office: Path, soak: bool) -> None:
    assert ll.check(office) == []
    for name, before in content(office).items():
        for what, damaged in list(damages(before, soak=soak, seed=name))[:: 1 if soak else 3]:
            (office / name).write_bytes(damaged)
            try:
                found = ll.check(office)
            except InputError:
                continue
            assert found or values(before) == values(damaged), f"{name}, {what}"
            assert all("\n" not in f"{each.path}{each.problem}{each.mend}" for each in found)
        (office / name).write_bytes(before)
    assert ll.check(office) == []


def values(content: bytes) -> object:
    try:
        lines = content.split(b"\n") if b'"kind"' in content else [content]
        return [json.loads(line) for line in lines if line]
    except ValueError:
        return content


def test_simulating_again_repairs(office: Path) -> None:
    fresh = content(office)
    names = [name for name in fresh if not name.endswith(IDENTITY)]
    for name in names:
        (office / name).write_bytes(fresh[name][:-1] + b"?")
    write_office(SMALL, office)
    made = content(office)
    assert {name: made[name] for name in names} == {name: fresh[name] for name in names}
    assert ll.check(office) == []


def test_a_manifest_of_the_wrong_shape_is_a_finding(office: Path) -> None:
    before = (office / "manifest.json").read_bytes()
    for what, damaged in list(wrong_shapes(parsed(office / "manifest.json")))[::6]:
        (office / "manifest.json").write_bytes(damaged)
        assert all(isinstance(finding.problem, str) for finding in ll.check(office)), what
    (office / "manifest.json").write_bytes(before)


def test_a_newer_office_is_refused_by_its_number(office: Path) -> None:
    before = (office / "manifest.json").read_bytes()
    (office / "manifest.json").write_bytes(before.replace(b'"version": 2', b'"version": 9'))
    assert "has format 9, this version reads up to 2" in ll.check(office)[0].problem
    (office / "manifest.json").write_bytes(before)
