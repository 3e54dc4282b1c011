"""Secrets from the environment: `${NAME}` in a text of an engine file. They are never printed or stored."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from leadline.errors import InputError

_SECRET = re.compile(r"\$\{(\w+)\}")
SHORTEST = 6  # letters of a secret that are recognised where a message was cut


def with_environment(text: str) -> str:
    """The text with environment variables in their places; InputError where one is not set."""
    for name in _SECRET.findall(text):
        if name not in os.environ:
            raise InputError("environment", f"the variable {name} is not set; ${{{name}}} stands for its value")
    return _SECRET.sub(lambda found: os.environ[found[1]], text)


def variables_in(texts: Iterable[str]) -> list[str]:
    """The names of the environment variables that texts of an engine file use.

    >>> variables_in(["Bearer ${TOKEN}", "json"])
    ['TOKEN']
    """
    return list(dict.fromkeys(name for text in texts for name in _SECRET.findall(text)))


def without_secrets(message: str, texts: Iterable[str]) -> str:
    """A message in which the values of the environment variables of these texts are replaced by their names.

    A service may repeat in an error what it was sent. Messages are cut, so the beginning of a value counts as well.
    """
    for name in variables_in(texts):
        value = os.environ.get(name, "").strip()
        for length in range(len(value), min(len(value), SHORTEST) - 1, -1):
            if length and value[:length] in message:
                message = message.replace(value[:length], f"${{{name}}}")
                break
    return message
