"""The text of a PDF file, where the package pypdf is installed."""

from __future__ import annotations

import importlib.util
import io
import logging
from functools import cache

MAX_PAGES = 2000
MAX_CHARACTERS = 20_000_000


@cache
def reads_pdf() -> bool:
    """Whether the package pypdf is installed."""
    return importlib.util.find_spec("pypdf") is not None


def pdf_texts(content: bytes) -> tuple[str, str]:
    """The title and the text of a PDF file; ValueError where it cannot be read."""
    if not reads_pdf():
        raise ValueError("a PDF file needs the package pypdf: pip install pypdf")
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it comments on every small fault of a file
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        pages: list[str] = []
        size = 0
        for page in reader.pages[:MAX_PAGES]:
            text = "\n".join(" ".join(line.split()) for line in (page.extract_text() or "").splitlines())
            pages.append(text)
            size += len(text)
            if size > MAX_CHARACTERS:
                break
        title = str(reader.metadata.get("/Title") or "") if reader.metadata is not None else ""
    except Exception as error:  # pypdf raises errors of many kinds on damaged files
        raise ValueError(f"is a damaged PDF file: {' '.join(str(error).split())[:200]}") from None
    return " ".join(title.split()), "\n".join(pages).strip()
