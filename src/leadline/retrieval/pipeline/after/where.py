"""Run a pipeline only if the fields, vectors and packages it needs are present."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import TYPE_CHECKING, Any, Literal

from leadline.errors import InputError
from leadline.options import Names
from leadline.retrieval.dense.vectors import stored_vectors
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

WHAT_IS_LOST = {  # what a search without the package has not, and how to get it
    "chemicals": 'whose synonyms and registry numbers `pip install "leadline[chemistry]"` adds',
}


@step("where")
class Where(Step):
    """Run `then` if the index has these fields and these packages are installed, else `otherwise`.

    Without `otherwise` the request is unchanged. A note says what was missing. With `vectors = "stored"` the index must
    also have vectors of titles and abstracts, and what reads them must be installed; no note says that it has not,
    since most indexes have none. With `collection = "there"` the collection of the index must be there, with its texts
    and citations.
    """

    fields: Names = ()
    packages: Names = ()
    vectors: Literal["stored", "any"] = "any"
    collection: Literal["there", "any"] = "any"
    then: Step | None = None
    otherwise: Step | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        asks = self.fields or self.packages or self.vectors == "stored" or self.collection == "there"
        if self.then is None or not asks:
            raise InputError("where", "name `fields` or `packages`, and with `then` the pipeline that needs them")

    @property
    def wants_patent(self) -> bool:
        return any(one is not None and one.wants_patent for one in (self.then, self.otherwise))

    def __call__(self, context: SearchContext, request: Request) -> Request:
        lacking = [f"the field {name} in the index" for name in self.fields if name not in context.index.fields]
        lacking += [_without(name) for name in self.packages if importlib.util.find_spec(name) is None]
        if lacking:
            request = request.with_note(f"searched without {' and '.join(lacking)}")
        moved = self.collection == "there" and not context.has_collection
        if lacking or moved or (self.vectors == "stored" and stored_vectors(context) is None):
            return request if self.otherwise is None else self.otherwise(context, request)
        assert self.then is not None
        return self.then(context, request)


def _without(package: str) -> str:
    """A package that is missing, and what it would give."""
    lost = WHAT_IS_LOST.get(package)
    return f"the package {package}" + (f", {lost}" if lost else "")


def chosen_packages(steps: Any) -> dict[str, str | None]:
    """The packages on which the steps of a pipeline, given as its settings, depend, with their versions.

    None is a package that is missing. Runs made with and without it differ, though their settings are the same.

    >>> chosen_packages([{"step": "where", "packages": ["no_such_package"], "then": [{"step": "nouns"}]}])
    {'no_such_package': None}
    """
    if isinstance(steps, (list, tuple)):
        found = [chosen_packages(each) for each in steps]
    elif isinstance(steps, dict):
        found = [chosen_packages(each) for each in steps.values()]
        if steps.get("step") == "where":
            found.append({name: _version(name) for name in steps.get("packages") or ()})
    else:
        return {}
    return {name: version for each in found for name, version in each.items()}


def _version(package: str) -> str | None:
    if importlib.util.find_spec(package) is None:
        return None
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:  # a module that no package manager installed
        return "unknown"
