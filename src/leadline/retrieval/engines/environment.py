"""Secrets from the environment: `${NAME}` in a text of an engine file. They are never printed or stored."""

from __future__ import annotations

import os
import re

from leadline.errors import InputError

_SECRET = re.compile(r"\$\{(\w+)\}")


def with_environment(text: str) -> str:
    """The text with environment variables in their places; InputError where one is not set."""
    for name in _SECRET.findall(text):
        if name not in os.environ:
            raise InputError(f"${{{name}}}", "is not set: set this environment variable")
    return _SECRET.sub(lambda found: os.environ[found[1]], text)
