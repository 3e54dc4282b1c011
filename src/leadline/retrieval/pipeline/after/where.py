"""Run a pipeline only if the fields, vectors and packages it needs are present."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Literal

from leadline.errors import InputError
from leadline.retrieval.dense.stored_vectors import stored_vectors
from leadline.retrieval.pipeline.options import Names
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.retrieval.pipeline.request import Request

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("where")
class Where(Step):
    """Run `then` if the index has these fields and these packages are installed, else `otherwise`.

    Without `otherwise` the request is unchanged. A note says what was missing. With `vectors = "stored"` the index must
    also have vectors of titles and abstracts, and what reads them must be installed; no note says that it has not,
    since most indexes have none.
    """

    fields: Names = ()
    packages: Names = ()
    vectors: Literal["stored", "any"] = "any"
    then: Step | None = None
    otherwise: Step | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.then is None or not (self.fields or self.packages or self.vectors == "stored"):
            raise InputError("where", "name `fields` or `packages`, and with `then` the pipeline that needs them")

    @property
    def wants_patent(self) -> bool:
        return any(one is not None and one.wants_patent for one in (self.then, self.otherwise))

    def __call__(self, context: SearchContext, request: Request) -> Request:
        lacking = [f"the field {name} in the index" for name in self.fields if name not in context.index.fields]
        lacking += [f"the package {name}" for name in self.packages if importlib.util.find_spec(name) is None]
        if lacking:
            request = request.with_note(f"searched without {' and '.join(lacking)}")
        if lacking or (self.vectors == "stored" and stored_vectors(context) is None):
            return request if self.otherwise is None else self.otherwise(context, request)
        assert self.then is not None
        return self.then(context, request)
