"""Carnegie Mellon University at TREC-CHEM 2009 (CMU09Chmtcdd): the whole patent as the query, strict about dates.

What they did: they compared filters by date, of which the best left out what was published after the latest priority of
the topic, and found that the words of the whole patent with their counts are a better query than those of title and
claims. They used the Indri search engine as it is, with its structured queries.

What differs here: Indri's language model is ours, Dirichlet's smoothing with Indri's usual mu of 2500, but sums over
the words that a document has, where Indri also counts those that it lacks. Which weights they gave to the fields the
overview does not say; here all are equal. Their filter is what every search here does by default.

They took no part in the technical survey: topics must be patents.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.steps import Dates, Search, Text

PIPELINE = Text() >> Dates("publication") >> Search("dirichlet(mu=2500)")
