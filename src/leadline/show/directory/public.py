"""The public function that makes a directory."""

from __future__ import annotations

import os
from collections.abc import Mapping

from leadline.collections.directory.class_titles import read_class_titles
from leadline.collections.directory.tree import Directory
from leadline.collections.directory.tree import directory as directory_of
from leadline.collections.documents.store import Collection
from leadline.records.inputs import Path
from leadline.text.files import write_whole


def directory(
    collection: Path | Collection,
    *,
    under: str = "",
    titles: Path | Mapping[str, str] | None = None,
    output: Path | None = None,
    index: str = "INDEX",
) -> Directory:
    """A collection as a tree of its classes with counts, or what is `under` one of them.

    Documents without a class are gathered in clusters, named by their words. `titles` of classes are a mapping or a
    file of lines such as `C07D,Heterocyclic compounds`. With `output`, the tree is also written as one HTML page, whose
    line to search in a branch names the folder `index`.
    """
    source = collection if isinstance(collection, Collection) else Collection.open(collection)
    named = read_class_titles(titles) if isinstance(titles, (str, os.PathLike)) else titles
    made = directory_of(source, under=under, titles=named)
    if output is not None:
        from leadline.show.directory.page import directory_page

        write_whole(output, directory_page(made, index=index).encode())
    return made
