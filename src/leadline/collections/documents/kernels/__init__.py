"""The loops of reading, in the subset of Python that Numba compiles; `documents/machine.py` says what each takes."""
