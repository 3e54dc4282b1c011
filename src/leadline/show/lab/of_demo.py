"""The lab of a demo: what the demo made, where it is, in a lab beside it."""

from __future__ import annotations

from pathlib import Path

from leadline.errors import InputError
from leadline.judge.simulated_office import JUDGED
from leadline.show.demo.build import KIND as DEMO
from leadline.show.demo.build import VERSION as DEMO_VERSION
from leadline.show.demo.demo import MEASURE, REPORT, TRUE_REPORT
from leadline.show.lab.lab import Lab
from leadline.text.owned_folder import OwnedFolder, identity_of

NAME = "lab"  # in the folder of the demo


def open_lab(folder: str | Path) -> Lab:
    """The lab in a folder, or that of a demo; the first time, what the demo made is added to it."""
    place = Path(folder)
    try:
        owned = identity_of(place)
    except InputError:
        owned = None  # Lab.open says what is wrong with it
    return _of_demo(place) if owned is not None and owned.kind == DEMO else Lab.open(place)


def demo_measure(lab: Lab) -> str | None:
    """The measure that a demo speaks of, if a lab is that of a demo."""
    if lab.folder.name != NAME:
        return None
    try:
        owned = identity_of(lab.folder.resolve().parent)
    except InputError:
        return None
    return MEASURE if owned is not None and owned.kind == DEMO else None


def _of_demo(folder: Path) -> Lab:
    """The lab of a demo. Its runs are added again when the demo was made again."""
    with OwnedFolder.locked(folder, DEMO, DEMO_VERSION) as owned:
        owned.reserve(NAME)
    place = folder / NAME
    lab = Lab.open(place) if (place / "lab.json").exists() else Lab.create(place, "A simulated patent office")
    lab.add(folder / "office" / "collection", name="office", replaced=True)
    lab.add(folder / "index", name="words", replaced=True)
    for name in JUDGED:
        kind = "topics" if name.startswith("topics") else "qrels"
        lab.add(folder / "office" / name, kind=kind, replaced=True)  # the reasons of judgements are beside them
    for path in sorted((folder / "runs").glob("*.run")):
        lab.add(path, kind="run", replaced=True)
    for name in (REPORT, TRUE_REPORT):
        if (folder / name).exists():
            lab.add(folder / name, replaced=True)
    return lab
