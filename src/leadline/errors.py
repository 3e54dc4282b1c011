"""The errors and warnings of the package.

    LeadlineError
    ├── InputError        a file, an object or an option that is wrong; says which
    │   └── UsageError    a wrong command line
    ├── MeasureError      a measure that does not exist, or does not work with these options or judgements
    └── MismatchError     inputs that are valid alone but do not belong together

The command line prints the message as one line and exits with status 1, or with 2 for a UsageError.
"""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


class LeadlineError(Exception):
    """An error that the user can fix. The message, one line, says what is wrong, where, and how to fix it."""

    def __init__(self, message: str = "") -> None:
        super().__init__(visible(message))  # it quotes names and values that anyone may have written


class InputError(LeadlineError):
    """A file, stream, object or option that is wrong."""

    def __init__(self, where: str, problem: str, *, line: int | None = None) -> None:
        self.where, self.problem, self.line = where, problem, line
        super().__init__(f"{where}:{line}: {problem}" if line is not None else f"{where}: {problem}")

    def __reduce__(self) -> tuple[Any, ...]:  # so that a worker process can hand it on
        return functools.partial(type(self), line=self.line), (self.where, self.problem)


class UsageError(InputError):
    """A command line with a wrong, missing or contradictory option or argument."""


class MeasureError(LeadlineError):
    """A measure's name or options are wrong, or the judgements lack what it needs."""


class MismatchError(LeadlineError):
    """Runs and judgements that do not belong together."""


class LeadlineWarning(UserWarning):
    """Something was done in another way than usual; the result is still correct. The message is one line."""

    def __init__(self, message: str = "") -> None:
        super().__init__(visible(message))


def checked_choice(option: str, value: str, choices: Sequence[str]) -> str:
    """Return the value if it is one of the choices; raise InputError with the nearest choice otherwise.

    >>> checked_choice("--order", "rank", ["score", "rank"])
    'rank'
    """
    if value in choices:
        return value
    raise not_a_choice(option, value, choices)


def not_a_choice(option: str, value: object, choices: Sequence[str]) -> InputError:
    """The error for a value that is not one of the choices."""
    return InputError(option, f"{value!r} is not one of {', '.join(choices)}{nearest(value, choices)}")


def nearest(name: object, choices: Iterable[str], *, most: int = 1) -> str:
    """The end of an error message that suggests the closest choices; empty if none is close.

    >>> nearest("pres", ["PRES", "AP"]), nearest("qqq", ["PRES", "AP"])
    ('; did you mean PRES?', '')
    """
    import difflib

    known = {choice.lower(): choice for choice in choices}
    near = difflib.get_close_matches(str(name).lower(), known, n=most, cutoff=0.5 if most > 1 else 0.6)
    return f"; did you mean {' or '.join(known[each] for each in near)}?" if near else ""


def in_sentence(words: Sequence[str], last: str = "and") -> str:
    """Words as a sentence lists them.

    >>> in_sentence("abc"), in_sentence("ab", "or"), in_sentence("a"), in_sentence("")
    ('a, b and c', 'a or b', 'a', '')
    """
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def system_reason(error: OSError) -> str:
    """Why the system refused, in lower case, as the end of an error message; a limit that was reached is named.

    >>> system_reason(PermissionError(13, "Permission denied", "qrels.txt"))
    'permission denied'
    """
    reason = (error.strerror or str(error)).lower()
    if error.errno == errno.ENOSPC:
        return "the disk is full"
    if error.errno not in (errno.EMFILE, errno.EFBIG):
        return reason
    try:
        import resource
    except ImportError:  # Windows, which has no such limits
        return reason
    name, words, option = {
        errno.EMFILE: (resource.RLIMIT_NOFILE, "this process may open {:,}", "-n"),
        errno.EFBIG: (resource.RLIMIT_FSIZE, "this process may write files of {:,} bytes", "-f"),
    }[error.errno]
    limit, _ = resource.getrlimit(name)
    return reason if limit == resource.RLIM_INFINITY else f"{reason}, {words.format(limit)}: raise `ulimit {option}`"


# What the system and libraries say when something is short.
_WORDS_OF_SHORTAGE = {
    errno.ENOSPC: ("no space left on device", "database or disk is full"),
    errno.EMFILE: ("too many open files",),
    errno.EFBIG: ("file too large",),
    errno.ENOMEM: ("cannot allocate memory", "failed to map segment", "can't start new thread"),
}


def shortage_in(error: BaseException) -> OSError | None:
    """What was short where a library says it in an error of its own, such as a panic of Polars; None for all others.

    >>> shortage_in(ValueError("Os { code: 24, message: 'Too many open files' }"))
    OSError(24, 'Too many open files')
    """
    if isinstance(error, (LeadlineError, MemoryError, UnicodeError)):
        return None
    said = str(error).lower()
    for code, words in _WORDS_OF_SHORTAGE.items():
        if any(each in said for each in words):
            return OSError(code, os.strerror(code))
    return None


def shortage_reason(error: BaseException) -> str:
    """What was short, in words, by Python's error or a library's; empty for an error of another kind.

    >>> shortage_reason(MemoryError("Unable to allocate 8 GiB")), shortage_reason(ValueError("7"))
    ('not enough memory (unable to allocate 8 GiB)', '')
    """
    said, short = " ".join(str(error).split()), shortage_in(error)
    if isinstance(error, MemoryError) or (short is not None and short.errno == errno.ENOMEM):
        return f"not enough memory ({said[:1].lower()}{said[1:]})" if said else "not enough memory"
    return "" if short is None else system_reason(short)


def is_panic(error: BaseException) -> bool:
    """Whether this is a panic of a library in Rust, which is no Exception."""
    return type(error).__name__ == "PanicException"


_PLACES = r"""(?<![\w/.])/(?:[^/\s'"`<>]+/)+"""  # the folders of an absolute path


def without_places(value: Any) -> Any:
    """A text, or all texts in a value, without the folders of this machine: of a path only its name.

    >>> without_places({"command": "leadline index /srv/lab/office -o /srv/lab/words", "class": "A61K31/00"})
    {'command': 'leadline index office -o words', 'class': 'A61K31/00'}
    """
    if isinstance(value, str):
        import re

        return re.sub(_PLACES, "", value)
    if isinstance(value, Mapping):
        return {key: without_places(each) for key, each in value.items()}
    return [without_places(each) for each in value] if isinstance(value, (list, tuple)) else value


def visible(text: str, keep: str = "") -> str:
    """Write out, as escapes, characters that could control a terminal or hide in it; `keep` names some to leave alone.

    Names come from files that anyone may have written. Bytes that are not UTF-8 are written as \\xff.

    >>> print(visible("EP-1\\033[31m"), visible("abc\\u202e"), visible("\\udcff"), visible("a\\tb\\n", keep="\\t"))
    EP-1\\x1b[31m abc\\u202e \\xff a\tb\\n
    """
    return text if text.isprintable() else "".join(c if c in keep or _is_safe(c) else _escape(c) for c in text)


def _is_safe(character: str) -> bool:
    """Whether a character can be shown as it is: spaces of all widths, and the two joiners that some scripts need."""
    if character.isprintable() or character in "\u200c\u200d":
        return True
    import unicodedata

    return unicodedata.category(character) in ("Zs", "Co", "Cn")


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, as Python keeps it in a text
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if 0x80 <= code < 0x100 else character.encode("unicode_escape").decode()
