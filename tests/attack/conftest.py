"""The tools in tools/attack, importable; and their small inputs, made once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools" / "attack"


@pytest.fixture(scope="session")
def attack_materials(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if sys.platform == "win32":
        pytest.skip("the attacks need forks")
    folder = tmp_path_factory.mktemp("attack") / "base"
    code = "import sys; from pathlib import Path; from harness import materials; materials(Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=TOOLS, check=True)
    return folder


@pytest.fixture(scope="session")
def attack(attack_materials: Path):  # type: ignore[no-untyped-def]
    """Run Python code of the tools in a process of its own, which has not used Polars; `base` are the materials."""

    def run(code: str) -> str:
        opening = "from pathlib import Path\nfrom harness import preload\npreload()\n"
        opening += f"base = Path({str(attack_materials)!r})\n"
        done = subprocess.run(
            [sys.executable, "-c", opening + code], cwd=TOOLS, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout.strip()

    return run
