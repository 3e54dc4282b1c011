"""The loops of indexing, in the subset of Python that Numba compiles; `index/machine.py` says what each takes."""
