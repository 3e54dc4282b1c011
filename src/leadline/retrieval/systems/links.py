"""The second generation of web search engines: a page's own words, and how many pages link to it.

Garg and Sharma, Information Retrieval on the Web and its Evaluation, 2012, section 4.1: popularity, as in Lycos. Every
link counts the same, whoever makes it: a page that a link farm links to comes first.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.steps import InDegree
from leadline.retrieval.systems.content import PIPELINE as CONTENT

PIPELINE = CONTENT >> InDegree(weight=0.5)
