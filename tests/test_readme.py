"""What README shows is what the command prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_first_table_is_what_evaluate_prints(golden: Path) -> None:
    text = README.read_text(encoding="utf-8")
    block = re.search(r"```console\n\$ leadline evaluate .*? -m \"(.*?)\"\n(.*?)```", text, re.DOTALL)
    assert block
    syn = golden / "inputs" / "syn"
    files = [syn / "syn.qrels", *(syn / f"run{name}.run" for name in "ABC")]
    command = [sys.executable, "-m", "leadline.cli", "evaluate", *map(str, files), "-m", block[1]]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert printed.stdout + printed.stderr == block[2]
