"""The runs that a command was given. One bad file in a folder does not stop the others."""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from leadline.errors import InputError, LeadlineWarning

Result = TypeVar("Result")


def with_readable_runs(
    options: argparse.Namespace, given: Sequence[str], work: Callable[[list[str]], Result]
) -> Result:
    """Return work(paths) over the files that `given` names.

    A file of a folder that cannot be read is left out with a warning; with --strict, or outside a folder, it is an
    error.
    """
    from leadline.records.runs import run_paths, runs_folder

    paths = run_paths(given, strict=options.strict)
    folders = {str(runs_folder(name)) for name in given if os.path.isdir(name)}
    while True:
        try:
            return work(paths)
        except InputError as error:
            in_folder = error.where in paths and str(Path(error.where).parent) in folders
            if options.strict or not in_folder or len(paths) < 2:
                raise
            warnings.warn(f"{error}: left out", LeadlineWarning, stacklevel=2)
            paths = [path for path in paths if path != error.where]
