"""Judging, reviews and labs at a place where nothing can be written: they are read as they are, and called sound."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import leadline.cli
from leadline.cli import main
from leadline.errors import InputError
from leadline.judge.journal import Event, JudgingJournal
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import AuditLog

NOBODY = 65_534
MARK = Event("event-of-the-end", "anna", "assessor", "mark", "abstract", "1", "1")
CODE = (
    "import os, sys; from leadline.judge.journal import Event, JudgingJournal;"
    "JudgingJournal(sys.argv[1]).append(Event('event-of-the-end', 'anna', 'assessor', 'mark', 'abstract', '1', '1'));"
    "os._exit(1)"
)


@pytest.fixture(scope="module")
def made(example_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judged pool, a review, and a lab; `killed` has the same with a journal that a killed process left open."""
    folder = tmp_path_factory.mktemp("written")
    (folder / "sound").mkdir()
    for ending in ("", ".json", ".journal"):
        shutil.copy(f"{example_files / 'pool.txt'}{ending}", folder / "sound" / f"pool.txt{ending}")
    shutil.copytree(example_files / "asthma", folder / "sound" / "asthma")
    lab = Lab.create(folder / "sound" / "lab")
    lab.add(example_files / "pool.txt")
    AuditLog(lab.store).add("olga", "organiser", "opened the results")
    shutil.copytree(folder / "sound", folder / "killed")
    shutil.copytree(folder / "sound", folder / "alone")
    for name in ("pool.txt.journal", "asthma/journal", "lab/pools/pool.txt.journal"):
        for place in ("killed", "alone"):
            subprocess.run([sys.executable, "-c", CODE, str(folder / place / name)], check=False)
        Path(f"{folder / 'alone' / name}-shm").unlink()  # as a copy of the journal and its log alone has it
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


@pytest.fixture
def mounted(made: Path, tmp_path: Path) -> Iterator[Path]:
    """The same folder on a file system that is mounted for reading only."""
    place = tmp_path / "mounted"
    place.mkdir()
    for words in (["mount", "--bind", str(made), str(place)], ["mount", "-o", "remount,bind,ro", str(place)]):
        if shutil.which("mount") is None or subprocess.run(words, capture_output=True, check=False).returncode:
            subprocess.run(["umount", str(place)], capture_output=True, check=False)
            pytest.skip("needs to mount a folder for reading only, which this user or machine does not allow")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)  # -l: files may still be mapped into memory


def check_all(place: Path, capsys: pytest.CaptureFixture[str], marks: int) -> None:
    """Read everything in a folder with the commands that read."""
    before = sorted(path for path in place.rglob("*"))
    main(["check", str(place / "asthma"), str(place / "lab")])
    said = capsys.readouterr().out
    assert f"the review {place / 'asthma'} is sound" in said
    assert f"the lab {place / 'lab'} is sound" in said
    main(["review", "check", str(place / "asthma")])
    main(["review", "status", str(place / "asthma")])
    main(["judge", "status", str(place / "pool.txt")])
    capsys.readouterr()
    main(["lab", "status", str(place / "lab"), "-f", "json"])
    assert {row["state"] for row in json.loads(capsys.readouterr().out)} == {"sound"}
    for path in (
        place / "pool.txt.journal",
        place / "lab" / "pools" / "pool.txt.journal",
        place / "asthma" / "journal",
    ):
        with contextlib.closing(JudgingJournal(path, write=False)) as journal:
            assert sum(event.uid == MARK.uid for event in journal.events()) == marks
        with pytest.raises(InputError, match=f"{path.name}: .*read-only"):
            JudgingJournal(path)
    assert [line.did for line in AuditLog(Lab.open(place / "lab").store).lines()] == ["opened the results"]
    assert sorted(path for path in place.rglob("*")) == before


@pytest.mark.parametrize(("name", "marks"), [("sound", 0), ("killed", 1), ("alone", 1)])
def test_what_lies_on_a_disk_that_is_mounted_for_reading(
    mounted: Path, name: str, marks: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(OSError, match="Read-only"):
        (mounted / "letter").touch()
    check_all(mounted / name, capsys, marks)


def test_damage_on_a_disk_that_is_mounted_for_reading_is_told(
    made: Path, mounted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(made / "sound" / "asthma", made / "damaged")
    path = made / "damaged" / "journal"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(SystemExit):
        main(["check", str(mounted / "damaged")])
    assert f"{mounted / 'damaged' / 'journal'}: " in capsys.readouterr().out


# That user may not be able to read the interpreter's library: the commands run once before, and import what they need.
AS_NOBODY = f"""
import os, sys
from leadline.cli import main
from leadline.judge.journal import JudgingJournal

def read(place):
    main(["check", f"{{place}}/asthma", f"{{place}}/lab"])
    main(["judge", "status", f"{{place}}/pool.txt"])
    journal = JudgingJournal(f"{{place}}/pool.txt.journal", write=False)
    print("marks", sum(event.uid == "{MARK.uid}" for event in journal.events()))
    journal.close()

read(sys.argv[2])
os.setgroups([])
os.setgid({NOBODY})
os.setuid({NOBODY})
os.umask(0)
assert not os.access(sys.argv[1], os.W_OK)
print("ready", flush=True)
read(sys.argv[1])
"""


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="needs root, to become a user who may only read"
)
@pytest.mark.parametrize(("name", "marks"), [("sound", 0), ("killed", 1), ("alone", 1)])
def test_what_belongs_to_another_user(made: Path, tmp_path: Path, name: str, marks: int) -> None:
    shutil.copytree(made / "sound", tmp_path / "own")
    with tempfile.TemporaryDirectory() as outside:  # pytest's own folders are for their user alone
        Path(outside).chmod(0o755)
        place = Path(shutil.copytree(made / name, Path(outside) / name))
        for needed in (place, Path(leadline.cli.__file__).parent):
            look = ["test", "-r", str(needed)]
            if subprocess.run(look, user=NOBODY, group=NOBODY, extra_groups=[], check=False).returncode:
                pytest.skip(f"another user cannot read {needed}")
        before = sorted(place.rglob("*"))
        words = [sys.executable, "-B", "-c", AS_NOBODY, str(place), str(tmp_path / "own")]
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/")
        assert done.returncode == 0, done.stderr[-3000:]
        said = done.stdout.partition("ready\n")[2]
        assert f"the review {place / 'asthma'} is sound" in said
        assert f"the lab {place / 'lab'} is sound" in said
        assert f"marks {marks}" in said
        assert sorted(place.rglob("*")) == before
