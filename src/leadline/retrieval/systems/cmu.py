"""Carnegie Mellon University at TREC-CHEM 2009 (CMU09Chmtcdd): the whole patent as the query, strict about dates.

What they did: they compared filters by date; the best excluded documents published after the topic's latest priority.
They found that the words of the whole patent with their counts are a better query than those of title and claims. They
used the Indri search engine unchanged, with its structured queries.

What differs here: the language model is Indri's, with its default mu of 2500; the words of all fields are one text. The
overview does not report their field weights; here all are equal. Their date filter is the default of every search here.

They did not take part in the technical survey: topics must be patents.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.steps import Dates, Search, Text

PIPELINE = Text() >> Dates("publication") >> Search("indri-dirichlet(mu=2500)")
