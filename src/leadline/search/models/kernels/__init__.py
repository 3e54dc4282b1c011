"""The loops of a search, in the subset of Python that Numba compiles; `retrieve/machine.py` says what each takes."""
