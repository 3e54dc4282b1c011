"""People who judge: tokens hashed at rest, expiring, revocable."""

from __future__ import annotations

import datetime
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.judge.journal import People


def test_a_token_is_not_kept_and_finds_its_person(tmp_path: Path) -> None:
    people = People(tmp_path / "p")
    anna, ben = people.add("anna", "assessor"), people.add("ben", "expert")
    again = People(tmp_path / "p")
    for token, name, role in ((anna, "anna", "assessor"), (ben, "ben", "expert")):
        found = again.find(token)
        assert found is not None
        assert (found.name, found.role) == (name, role)
        assert token.encode() not in (tmp_path / "p").read_bytes()
    assert again.find(anna[:-1]) is None
    assert again.find("") is None
    assert again.find("\ud800") is None
    assert (tmp_path / "p").stat().st_mode & 0o777 == 0o600


def test_links_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = People(tmp_path / "p")
    token = people.add("anna", "assessor", days=1)
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=2)
    monkeypatch.setattr("leadline.judge.journal._this_moment", lambda: later)
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
    (tmp_path / "p").write_bytes((tmp_path / "p").read_bytes().replace(b'"assessor"', b'"superuse"'))
    with pytest.raises(InputError, match="the record anna was changed: add the people again"):
        People(tmp_path / "p")
    (tmp_path / "p").write_text("[]")
    with pytest.raises(InputError, match="is not a JSON object"):
        People(tmp_path / "p")


GOLDEN = Path(__file__).parents[2] / "golden" / "version-0.1" / "lab" / "people"
ANNAS, BENS = "prJucoHmEfgyHwYYhUzBws0mFOj5ra0OJDN3YoPkl_k", "s8OSGiKm4wjLN-GCFJIlX4RY4fAiAYgC-sEZPueXjsw"


def test_people_of_version_0_1_are_read_and_taken_over_by_the_first_change(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(GOLDEN.read_bytes())
    people = People(path)
    assert [(each.name, each.role, each.revoked) for each in people] == [
        ("anna", "organiser", False), ("ben", "runner", True),
    ]  # fmt: skip
    assert path.read_bytes() == GOLDEN.read_bytes()  # reading changes nothing
    new = people.add("carl", "assessor")
    assert path.read_bytes().startswith(b"SQLite format 3")
    assert path.stat().st_mode & 0o777 == 0o600
    for again in (people, People(path)):
        found = [again.find(token) for token in (ANNAS, new)]
        assert [each and each.name for each in found] == ["anna", "carl"]
        assert again.find(BENS) is None
    path.write_bytes(GOLDEN.read_bytes().replace(b"runner", b"expert"))
    damaged = path.read_bytes()
    with pytest.raises(InputError, match="its checksum does not fit: add the people again"):
        people.add("dora", "assessor")
    assert path.read_bytes() == damaged


def test_a_link_that_another_process_ended_is_refused_at_once(tmp_path: Path) -> None:
    here, other = People(tmp_path / "p"), People(tmp_path / "p")
    for number in range(20):
        token = other.add(f"p{number}", "assessor")
        here.refresh()
        assert here.find(token) is not None
        other.revoke(f"p{number}")
        here.refresh()
        assert here.find(token) is None


def test_a_change_is_made_to_what_the_file_says_by_now(tmp_path: Path) -> None:
    people = People(tmp_path / "p")
    token = people.add("anna", "assessor")
    code = (
        "import sys; from leadline.judge.journal import People; people = People(sys.argv[1]);"
        "print('read', flush=True); sys.stdin.readline(); people.add('ben', 'assessor')"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "p")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "read\n"
    people.revoke("anna")
    other.communicate("add\n")
    assert other.returncode == 0
    people.add("carl", "assessor")
    assert people.find(token) is None
    assert {(each.name, each.revoked) for each in People(tmp_path / "p")} == {
        ("anna", True), ("ben", False), ("carl", False),
    }  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["p"]
