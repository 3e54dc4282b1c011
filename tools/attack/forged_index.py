"""Indexes whose values are absurd and whose checksums fit: an answer, whatever it is, or one clear line.

    python tools/attack/forged_index.py [--count N] [--seed S]

Each case gives one array of a segment, or the order of the documents, wild values, writes it with its checksums and
those of the manifest, and asks the index everything, with the compiled engine and the plain one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import Tally, copy_of, forked, materials, preload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COMMANDS = (
    'search index "polymer film" -f json -q',
    "search index polymer --newest -q",
    "search index film --why -q",
    "search index metal before:2000 class:F16B -q",
    "run index topics.tsv -k 10 -o x.run -q",
    "run index topics.tsv --system mine.toml -k 10 -o x.run -q",
    "index collection -o index --add --workers 1 -q",
    "check index",
)


def _wild(values: NDArray[Any], chance: random.Random) -> tuple[NDArray[Any], str]:
    """An array with some or all values changed, or of another length, and in words what was done."""
    import numpy as np

    spoilt, limits = values.copy(), np.iinfo(values.dtype)
    numbers = (limits.min, limits.max, 0, 1, len(values), limits.max - 1, limits.min + 1, limits.max // 2)
    value = chance.choice(numbers)
    kind = chance.randrange(6)
    if kind == 0 or not len(values):
        spoilt[:] = value
        return spoilt, f"all {value}"
    if kind == 1:
        return spoilt[: chance.randrange(len(values))], "cut"
    if kind == 2:
        return np.concatenate([spoilt, spoilt[:3]]), "three values more"
    if kind == 3:
        return spoilt[::-1].copy(), "in reverse"
    if kind == 4:
        at = chance.randrange(len(values))
        spoilt[at] = value
        return spoilt, f"value {at} is {value}"
    return np.full(0, 0, values.dtype), "empty"


def forge(index: Path, chance: random.Random) -> str:
    """Give an array of an index wild values, with checksums that fit; returns what was done."""
    from leadline.retrieval.index import arrays
    from leadline.retrieval.index.manifest import described_file
    from leadline.text.checksums import sealed

    manifest = json.loads((index / "manifest.json").read_text())
    known = chance.choice((manifest["segments"][0], manifest["segments"][0], manifest["order"]))
    path = index / known["file"]
    file = arrays.read(path)
    content: dict[str, np.ndarray[Any, Any]] = {name: file[name].copy() for name in file.names()}
    name = chance.choice(list(content))
    content[name], words = _wild(content[name], chance)
    path.unlink()
    with arrays.create(path, {each: (array.dtype, len(array)) for each, array in content.items()}) as into:
        for each, array in content.items():
            into[each][:] = array
    known.update(described_file(path))
    (index / "manifest.json").write_bytes(sealed(manifest))
    return f"{name} of {path.name.partition('-')[0]}: {words}"


def forged(base: Path, count: int, seed: int) -> Tally:
    """Forge an index so many times."""
    tally = Tally("forged index")
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        with copy_of(base) as work:
            words = forge(work / "index", chance)
            command = chance.choice(COMMANDS)
            engine = chance.choice(("compiled", "plain"))

            def choose(engine: str = engine) -> None:
                os.environ["LEADLINE_ENGINE"] = engine

            done = forked(command.split(), work, before=choose)
            found = command.startswith("check") and done.status == 1 and not done.errors  # what it prints is the answer
            what = f"case {seed} {number}: {words}; LEADLINE_ENGINE={engine} leadline {command}"
            tally.note(what, "" if found else done.fault())
    return tally


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="attack-") as place:
        base = materials(Path(place) / "base")
        preload()
        tally = forged(base, options.count, options.seed)
        print(tally.row())
        print("".join(f"    {failure}\n" for failure in tally.failures[:60]), end="")
    sys.exit(bool(tally.failures))


if __name__ == "__main__":
    main()
