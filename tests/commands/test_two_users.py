"""Two users on one machine: nothing that one plants is read, written or run by the other's leadline."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import leadline

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs Linux and root"
)
ALICE, BOB = 54_321, 54_322


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder in which everybody may write, as /tmp."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != Path("/") and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    for name, user in (("alice", ALICE), ("bob", BOB)):
        (tmp_path / name).mkdir()
        os.chown(tmp_path / name, user, user)
    return folder


@pytest.fixture(scope="module")
def python() -> Iterator[subprocess.Popen[str]]:
    """Python with all that is needed imported, which runs each program in a child: importing takes most of the time."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-B", "-c", IMPORTED + CHILDREN], env=environment, text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as started:  # fmt: skip
        yield started
        assert started.stdin is not None
        started.stdin.close()


@pytest.fixture
def as_user(tmp_path: Path, shared: Path, python: subprocess.Popen[str]) -> Callable[[int, str], str]:
    """Run Python as a user, in the shared folder; what it prints."""

    def run(user: int, program: str) -> str:
        home = tmp_path / ("alice" if user == ALICE else "bob")
        environment = {"HOME": str(home), "LEADLINE_CACHE": str(shared / "cache")}
        first = (BUILT if "main(" in program else "") + CHANGE_USER.format(user=user)
        asked = [first + textwrap.dedent(program), str(shared), environment, str(tmp_path / "printed")]
        assert python.stdin is not None
        assert python.stdout is not None
        print(json.dumps(asked), file=python.stdin, flush=True)
        assert python.stdout.readline() == "done\n"
        return (tmp_path / "printed").read_text().partition("ready\n")[2]

    source = Path(leadline.__file__).parent / "commands"
    if subprocess.run(["test", "-r", source], user=BOB, group=BOB, extra_groups=[], check=False).returncode:
        pytest.skip("another user cannot read the program here")
    return run


# The user may not be able to read the interpreter's library: whatever is needed is imported before.
IMPORTED = """
import os, pathlib, socket, tempfile
import leadline.retrieval.pipeline.pipeline, leadline.text.files
from leadline.cli import main
"""
CHILDREN = """
import json, sys, traceback
for line in sys.stdin:
    program, folder, environment, printed = json.loads(line)
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(environment)
        file = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(file, 1)
        os.dup2(file, 2)
        try:
            exec(program)
        except SystemExit:
            pass
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    os.waitpid(child, 0)
    print("done", flush=True)
"""
BUILT = """
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "p.jsonl").write_text('{"id": "US7000000B2", "title": "Nail"}')
    main(["collection", "build", folder + "/p.jsonl", "-o", folder + "/c", "--keep", "all", "-q"])
"""
CHANGE_USER = """
os.setgroups([])
os.setgid({user})
os.setuid({user})
print("ready", flush=True)
"""
LEADLINE = "main({})\n"
DOCUMENTS = '{"id": "US7000000B2", "title": "Nail", "abstract": "A nail.", "claims": ["A nail."]}\n'


def build(target: str) -> str:
    return LEADLINE.format(["collection", "build", "../alice/p.jsonl", "-o", target, "--keep", "all", "-q"])


@pytest.fixture
def sources(tmp_path: Path, shared: Path) -> Path:
    path = tmp_path / "alice" / "p.jsonl"
    path.write_text(DOCUMENTS)
    path.chmod(0o644)
    return path


def test_a_folder_that_another_user_made_is_not_written_to(
    as_user: Callable[[int, str], str], shared: Path, sources: Path
) -> None:
    """The other user can build the very same collection first, and change it whenever he likes."""
    as_user(BOB, "import os; os.umask(0); os.mkdir('empty')")
    copy = shared.parent / "bob" / "p.jsonl"
    copy.write_text(DOCUMENTS)
    copy.chmod(0o644)
    as_user(BOB, "import os; os.umask(0)\n" + build("made").replace("../alice", "../bob"))
    assert (shared / "made" / "manifest.json").is_file()
    for name in ("empty", "made"):
        before = sorted((shared / name).rglob("*"))
        assert f"{name}: belongs to another user" in as_user(ALICE, build(name))
        assert sorted((shared / name).rglob("*")) == before


def test_an_identity_that_another_user_planted_is_not_believed(
    as_user: Callable[[int, str], str], shared: Path, sources: Path
) -> None:
    folder = shared / "out"
    folder.mkdir()
    os.chown(folder, ALICE, ALICE)
    folder.chmod(0o1777)
    (folder / "building").mkdir()
    precious = folder / "building" / "thesis.tex"
    precious.write_text("years of work")
    for path in (folder / "building", precious):
        os.chown(path, ALICE, ALICE)
    planted = """
    import json
    lines = [{"kind": "collection", "format": 2, "id": "x"}, {"name": "building"}, {"name": "building/thesis.tex"}]
    open("out/leadline.jsonl", "w").write("\\n".join(map(json.dumps, lines)))
    """
    as_user(BOB, planted)
    assert "was put there by another user" in as_user(ALICE, build("out"))
    assert precious.read_text() == "years of work"


def test_links_and_pipes_at_the_names_of_outputs(as_user: Callable[[int, str], str], shared: Path) -> None:
    precious = shared.parent / "alice" / "precious.txt"
    precious.write_text("years of work")
    os.chown(precious, ALICE, ALICE)
    as_user(
        BOB,
        f"import os\nos.symlink({str(precious)!r}, 'a.csv')\nos.mkfifo('b.csv', 0o666)\nos.chmod('b.csv', 0o666)\n"
        f"os.symlink({str(precious)!r}, 'x.run.unfinished')\nos.mkfifo('y.run.unfinished', 0o666)\n",
    )
    write = (
        "from leadline.text.files import write_whole\ntry:\n    write_whole({!r}, b'new')\n"
        "except Exception as error:\n    print(repr(error))"
    )
    assert "a link that another user made" in as_user(ALICE, write.format("a.csv"))
    assert "a pipe or device of another user" in as_user(ALICE, write.format("b.csv"))
    journal = (
        "from pathlib import Path\nfrom leadline.retrieval.pipeline.pipeline import Journal, TopicResult\ntry:\n"
        "    Journal(Path({!r}), 1).add('1', (['d'], [1.0], []))\n    print('added')\nexcept Exception as error:\n"
        "    print(repr(error))"
    )
    for name in ("x.run.unfinished", "y.run.unfinished"):
        assert "cannot be" in as_user(ALICE, journal.format(name))
    assert precious.read_text() == "years of work"


def test_a_journal_that_another_user_planted_is_not_continued(as_user: Callable[[int, str], str], shared: Path) -> None:
    program = (
        "from pathlib import Path\nfrom leadline.retrieval.pipeline.pipeline import Journal, TopicResult\ntry:\n"
        "    journal = Journal(Path('r.unfinished'), 1)\n    print(len(journal))\n"
        "    journal.add('1', TopicResult(['d'], [1.0], []))\n"
        "except Exception as error:\n    print(repr(error))"
    )
    assert as_user(BOB, f"import os; os.umask(0)\n{program}") == "0\n"
    assert (shared / "r.unfinished").is_file()
    assert "was put there by another user" in as_user(ALICE, program)


def test_a_cache_that_another_user_planted_is_not_used(as_user: Callable[[int, str], str], shared: Path) -> None:
    program = """
    import os
    os.umask({umask})
    from pathlib import Path
    from leadline.text.files import cache_directory, read_cached, write_cached
    path = cache_directory() / "code.o"
    print(read_cached(path), write_cached(path, b"{content}"), read_cached(path))
    """
    assert as_user(BOB, program.format(umask=0, content="evil")) == "None None b'evil'\n"
    (shared / "cache").chmod(0o777)
    (shared / "cache" / "code.o").chmod(0o666)
    found = as_user(ALICE, program.format(umask=0o22, content="good"))
    assert found.startswith(("None other users can write to ", "None a link on the way to "))
    assert found.endswith(" None\n")
    private = shared.parent / "alice" / "private"
    private.mkdir(mode=0o700)
    os.chown(private, ALICE, ALICE)
    for path in (shared / "cache" / "code.o", shared / "cache"):
        path.unlink() if path.is_file() else path.rmdir()
    as_user(BOB, f"import os; os.symlink({str(private)!r}, 'cache')")
    again = as_user(ALICE, program.format(umask=0o22, content="good"))
    assert again.startswith(("None other users can write to ", "None a link on the way to "))
    assert not list(private.iterdir())
