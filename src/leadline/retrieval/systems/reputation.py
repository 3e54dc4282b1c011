"""The third generation of web search engines: a page's own words, and the reputation of the pages that link to it.

Garg and Sharma, Information Retrieval on the Web and its Evaluation, 2012, section 4.1: a link from a page of high
reputation counts more, as in Google's PageRank. A link farm has little reputation to give, as long as it is small
against the rest of the web: docs/links.md shows how large it must be.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.steps import PageRank
from leadline.retrieval.systems.content import PIPELINE as CONTENT

PIPELINE = CONTENT >> PageRank(weight=0.5)
