"""The first generation of web search engines: pages are ranked by their own words alone.

Garg and Sharma, Information Retrieval on the Web and its Evaluation, 2012, section 4.1: Excite, AltaVista and Infoseek,
about 1996. Whoever writes a page decides how it ranks: a page stuffed with the words of a query comes first.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.steps import Either, Search, Survey, Text

PIPELINE = Either(patent=Text(), text=Survey()) >> Search("bm25")
