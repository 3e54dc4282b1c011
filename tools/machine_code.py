"""Compile all kernels for wheels, into src/leadline/machine_code; only for Linux on x86-64, elsewhere there are none.

python tools/machine_code.py
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path

from leadline.text.engine import SHIPPED_FOR, KernelLibrary
from leadline.text.files import with_checksum

PACKAGE = Path(__file__).parents[1] / "src/leadline"


def main() -> None:
    os.environ |= {"NUMBA_CPU_NAME": SHIPPED_FOR, "NUMBA_CPU_FEATURES": ""}  # read when Numba is imported
    shutil.rmtree(PACKAGE / "machine_code", ignore_errors=True)
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        print("no machine code for this system: it will be compiled where it is used")
        return
    (PACKAGE / "machine_code").mkdir()
    for path in sorted(PACKAGE.rglob("kernels.py")):
        library = KernelLibrary(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        into = PACKAGE / "machine_code" / library.shipped_file.name
        into.write_bytes(with_checksum(into, library.compiled(SHIPPED_FOR)))
        print(f"{into.name}: {into.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
