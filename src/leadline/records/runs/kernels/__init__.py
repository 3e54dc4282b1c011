"""The compiled half of reading runs: lines found, and put in the order of the tie rule."""
