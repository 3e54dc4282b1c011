"""The compiled half of reading: loops over bytes, in the subset of Python that Numba compiles.

Nothing here is imported on the way to a small evaluation. `compiled.py` compiles these functions once, keeps
the machine code in the user's cache, and loads it without importing Numba. The readers give the same
answers without a compiler; a property test holds the two together on arbitrary text.

Every buffer of text ends with at least eight line feeds beyond its stated length, so that a field always ends
and eight bytes can always be loaded at once.
"""
