"""One file a plot: the chart that a result of a comparison draws of itself, found through `trust/plots.py`."""
