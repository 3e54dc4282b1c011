"""The numbers of docs/reviewing.md are those that the program gives today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_document_has_todays_numbers(shared: Path) -> None:
    script = ROOT / "benchmarks" / "review.py"
    found = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
