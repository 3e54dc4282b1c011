"""Check that the wheel and the sdist in a folder hold every file of the package: check_package.py FOLDER."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main(folder: Path) -> None:
    package = ROOT / "src"
    files = [path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    expected = {path.relative_to(package).as_posix() for path in files if not path.parent.name.endswith(".egg-info")}
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = set(archive.namelist())
    with tarfile.open(sdist) as opened:
        in_sdist = {name.partition("/src/")[2] for name in opened.getnames()}
    for name, held in ((wheel.name, in_wheel), (sdist.name, in_sdist)):
        if missing := sorted(expected - held):
            sys.exit(f"{name} lacks {', '.join(missing)}")
        print(f"{name}: all {len(expected)} files of the package")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
