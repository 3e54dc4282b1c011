"""People who judge: tokens hashed at rest, expiring, revocable."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.judge.assessors.people import People


def test_a_token_is_not_kept_and_finds_its_person(tmp_path: Path) -> None:
    people = People(tmp_path / "p")
    anna, ben = people.add("anna", "assessor"), people.add("ben", "expert")
    again = People(tmp_path / "p")
    for token, name, role in ((anna, "anna", "assessor"), (ben, "ben", "expert")):
        found = again.find(token)
        assert found is not None
        assert (found.name, found.role) == (name, role)
        assert token not in (tmp_path / "p").read_text()
    assert again.find(anna[:-1]) is None
    assert again.find("") is None
    assert again.find("\ud800") is None
    assert (tmp_path / "p").stat().st_mode & 0o777 == 0o600


def test_links_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = People(tmp_path / "p")
    token = people.add("anna", "assessor", days=1)
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=2)
    monkeypatch.setattr("leadline.judge.assessors.people._now", lambda: later)
    assert people.find(token) is None
    fresh = people.add("anna", "assessor")
    assert people.find(fresh) is not None
    assert people.find(token) is None
    people.revoke("anna")
    assert People(tmp_path / "p").find(fresh) is None


@pytest.mark.parametrize(
    ("name", "role", "days", "problem"),
    [
        ("", "assessor", 1, "must be 1 to 60"),
        ("a\nb", "assessor", 1, "must be 1 to 60"),
        ("anna", "boss", 1, "role"),
        ("anna", "assessor", 0, "days"),
        ("eve", "assessor", 1, "is expert already"),
    ],
)
def test_wrong_people_are_refused(tmp_path: Path, name: str, role: str, days: float, problem: str) -> None:
    people = People(tmp_path / "p")
    people.add("eve", "expert")
    with pytest.raises(InputError, match=problem):
        people.add(name, role, days=days)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="is not among the people: eve"):
        people.revoke("nobody")


def test_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    people = People(tmp_path / "p")
    people.add("anna", "assessor")
    (tmp_path / "p").write_text((tmp_path / "p").read_text().replace("assessor", "organiser"))
    with pytest.raises(InputError, match="its checksum does not fit: add the people again"):
        People(tmp_path / "p")
    (tmp_path / "p").write_text("[]")
    with pytest.raises(InputError, match="is not a JSON object"):
        People(tmp_path / "p")
