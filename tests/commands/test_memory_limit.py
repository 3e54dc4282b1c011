"""Under a limit of memory, what libraries would end with a crash is one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of address space, as Linux has them")


@pytest.mark.parametrize("megabytes", [64, 128, 1000])
def test_memory_that_runs_out_is_one_line(tmp_path: Path, megabytes: int) -> None:
    (tmp_path / "documents.jsonl").write_text('{"id": "EP1", "title": "film", "abstract": "a film"}\n')
    command = "collection build documents.jsonl --keep all -o c"
    command = f"ulimit -v {megabytes << 10}; exec {sys.executable} -m leadline.cli {command}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("leadline: not enough memory")
    assert len(done.stderr.splitlines()) == 1
