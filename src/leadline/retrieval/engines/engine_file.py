"""A search service as a file describes it.

    kind = "http"                     # or sql, command, python, pyterrier: the other keys are those of the kind
    about = "the search of our intranet"
    url = "http://localhost:9200/patents/_search"
    body = {query = {match = {text = "{query}"}}, size = "{k}"}
    hits = "hits.hits"
    id = "_id"
    score = "_score"

    [query]                           # what is asked
    fields = ["title", "description"] # of a topic; of a patent: title, abstract, claims, description
    most_words = 1024                 # the service's limit: longer queries are cut to so many words
    each_word = '"{word}"'            # only words are asked, each written so: no sign of a topic is an operator
    between_words = " OR "            # what stands between them

    [limits]
    at_once = 4                       # queries at the same time; 1 where times are to be compared
    per_second = 10                   # queries in a second
    seconds = 30                      # for an answer
    retries = 3                       # after failures that may pass
    most_documents = 10000            # that the service gives for a query
    cost = 0.002                      # of a request, in any currency

Relative files in it are those of the folder in which the command runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, TypeVar, get_type_hints

from leadline.errors import InputError, checked_choice
from leadline.options import Bounds, NotNegative, Positive, checked
from leadline.retrieval.engines.engine import ENGINES, SearchEngine
from leadline.retrieval.pipeline.pipeline import Pipeline, pipeline_of
from leadline.text.toml import read_toml

Count = Annotated[int, Bounds(1)]
OWN = ("kind", "about", "query", "limits")


@dataclass(frozen=True)
class QuerySettings:
    """What of a topic is asked."""

    fields: tuple[str, ...] = ("title", "description", "narrative")
    patent_fields: tuple[str, ...] = ("title", "abstract", "claims")
    most_words: Count | None = None
    most_characters: Count | None = None
    each_word: str | None = None  # how a word is written; None: the text is sent as it is
    between_words: str | None = None  # what stands between words, by default a blank
    steps: Any = None  # query steps of a pipeline, which choose and weigh the words of a patent

    def pipeline(self, where: str) -> Pipeline | None:
        return None if self.steps is None else pipeline_of(self.steps, where)


@dataclass(frozen=True)
class Limits:
    """How a service is asked."""

    at_once: Annotated[int, Bounds(1, 256)] | None = None  # None: what is usual for the kind
    per_second: Positive | None = None
    seconds: Positive = 30.0
    retries: Annotated[int, Bounds(0, 100)] = 3
    most_documents: Count | None = None
    cost: NotNegative | None = None  # of a request


@dataclass(frozen=True)
class EngineFile:
    """A service with how it is asked."""

    engine: SearchEngine
    about: str = ""
    query: QuerySettings = field(default_factory=QuerySettings)
    limits: Limits = field(default_factory=Limits)
    path: str = "engine"  # of the file

    @property
    def at_once(self) -> int:
        """How many queries are asked at the same time."""
        usual = self.engine.usual_at_once()
        return usual if self.engine.one_at_a_time else self.limits.at_once or usual

    def described(self) -> dict[str, Any]:
        """Everything that the answers depend on, for the record beside a run."""
        asked = {option.name: getattr(self.query, option.name) for option in fields(self.query)}
        return {"kind": self.engine.kind, **self.engine.described(), "query": asked}


def read_engine(path: str, *, run_code: bool = False) -> EngineFile:
    """The service that a TOML file describes. One that names a program to run is refused unless `run_code` is set."""
    written = read_toml(path)
    if not isinstance(written.get("kind"), str):
        raise InputError(path, f'has no `kind`: write kind = "http", or one of {", ".join(ENGINES)}')
    checked_choice(path, written["kind"], list(ENGINES))
    engine_type = ENGINES.named(written["kind"])
    if engine_type.runs_code and not run_code:
        problem = f"names a program to run (kind {engine_type.kind}): add --run-code if you trust the file"
        raise InputError(path, problem)
    names = [option.name for option in fields(engine_type)]  # type: ignore[arg-type]
    for name in written:
        checked_choice(path, name, [*OWN, *names])
    try:
        engine = engine_type(**{name: value for name, value in written.items() if name in names})
    except InputError as error:
        raise InputError(path, f"{error.where}: {error.problem}") from None
    about = written.get("about", "")
    if not isinstance(about, str):
        raise InputError(path, "`about` is not a text")
    query = _settings(path, "query", written.get("query", {}), QuerySettings)
    query.pipeline(path)  # wrong steps are refused before any query
    if query.each_word is not None and "{word}" not in query.each_word:
        raise InputError(path, "query: each_word must have {word}, the place of the word")
    return EngineFile(engine, about, query, _settings(path, "limits", written.get("limits", {}), Limits), path)


Settings = TypeVar("Settings", QuerySettings, Limits)


def _settings(path: str, table: str, written: Any, kind: type[Settings]) -> Settings:
    """The settings of a table, each checked against its type."""
    if not isinstance(written, Mapping):
        raise InputError(path, f"`{table}` is not a table")
    hints = get_type_hints(kind, include_extras=True)
    values = {}
    for name, value in written.items():
        checked_choice(f"{path}: {table}", name, list(hints))
        try:
            values[name] = value if hints[name] is Any else checked(name, value, hints[name])
        except ValueError as error:
            raise InputError(path, f"{table}: {error}") from None
    return kind(**values)
