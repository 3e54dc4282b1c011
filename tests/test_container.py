"""The Dockerfile fits the program. `make soak` builds it, without network, where buildah and the base image are."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.cli import main

ROOT = Path(__file__).parents[1]
ALONE = ("--isolation", "chroot")
LINES = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()


def instructions(name: str) -> list[str]:
    return [line.removeprefix(name).strip() for line in LINES if line.startswith(f"{name} ")]


def words(name: str) -> list[str]:
    """The command of an instruction, written as JSON."""
    (line,) = instructions(name)
    return json.loads(line[line.index("[") :])


def buildah(*command: str) -> subprocess.CompletedProcess[str]:
    """What buildah says in a network of its own, in which nobody is reached."""
    return subprocess.run(["unshare", "--net", "buildah", *command], capture_output=True, text=True, check=False)


def test_only_wheels_go_into_the_image() -> None:
    assert instructions("COPY") == []
    assert "--mount=type=bind,source=wheels,target=/wheels " in instructions("RUN")[0]
    assert (ROOT / ".dockerignore").read_text(encoding="utf-8").split() == ["*", "!wheels"]
    assert "--find-links /wheels leadline " in instructions("RUN")[0]
    made = re.search(r"^wheels:.*\n(?:\t.*\n)*", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert made is not None
    assert "-w wheels .\n" in made[0]


def test_nobody_is_root_in_it() -> None:
    assert instructions("USER") == ["1000:1000"]
    assert "useradd --uid 1000" in instructions("RUN")[0]
    assert instructions("VOLUME") == ["/lab"]


def test_its_command_is_one_of_ours_and_its_ports_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    (port,) = instructions("EXPOSE")
    assert words("ENTRYPOINT") == ["leadline"]
    command = words("CMD")
    assert command[command.index("--port") + 1] == port
    assert command[command.index("--url") + 1] == f"http://127.0.0.1:{port}"
    assert f"//127.0.0.1:{port}/" in words("HEALTHCHECK")[-1]
    with pytest.raises(SystemExit) as ended:  # an empty volume: all options are known, and the line says what to do
        main([*command[:1], str(ROOT / "docs"), *command[2:]])
    assert ended.value.code == 1
    assert "leadline lab init" in capsys.readouterr().err


@pytest.mark.parametrize("is_served", [True, False])
def test_its_health_is_that_of_the_server(is_served: bool, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="needs uvicorn")
    main(["lab", "init", str(tmp_path / "lab"), "-q"])
    command = [sys.executable, "-m", "leadline.cli", "serve", str(tmp_path / "lab"), "--no-open", "--port", "0", "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = next(found[1] for line in server.stdout if (found := re.search(r"(http://[^/]+)/in/", line)))
        if not is_served:
            server.terminate()
            server.wait(20)
        program, *arguments = words("HEALTHCHECK")
        assert program == "python"
        (port,) = instructions("EXPOSE")
        asked = [word.replace(f"http://127.0.0.1:{port}", url) for word in arguments]
        done = subprocess.run([sys.executable, *asked], capture_output=True, check=False)
        server.terminate()
    assert (done.returncode == 0) == is_served


@pytest.mark.soak
def test_it_is_built_and_runs(soak: bool) -> None:
    base = instructions("ARG")[0].partition("=")[2]
    if not soak:
        pytest.skip("only with LEADLINE_SOAK")
    if shutil.which("buildah") is None or os.geteuid() != 0 or not (ROOT / "wheels").is_dir():
        pytest.skip("needs buildah, root, and wheels/ that `make wheels` makes")
    if buildah("inspect", "--type", "image", base).returncode:
        pytest.skip(f"needs the image {base}")
    built = buildah("bud", "--format", "docker", "--pull-never", *ALONE, "-t", "leadline-test", str(ROOT))
    assert built.returncode == 0, built.stderr
    container = buildah("from", "--pull-never", "localhost/leadline-test").stdout.strip()
    try:
        for command in (["leadline", "--version"], ["leadline", "lab", "init", "/lab/brakes"], ["id", "-u"]):
            done = buildah("run", *ALONE, container, "--", *command)
            assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == "1000"
    finally:
        buildah("rm", container)
        buildah("rmi", "localhost/leadline-test")
