"""The charts of results of comparisons, one file each, registered in `trust/plots.py`."""
