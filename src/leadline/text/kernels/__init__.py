"""The compiled half of reading: loops over bytes, in the subset of Python that Numba compiles.

A small evaluation imports none of these modules but `arguments.py`. `compiled.py` compiles a package of kernels once,
stores the machine code in the user's cache, and loads it without importing Numba. Every kernel has a plain twin that
gives the same answer, declared with it where it is called; property tests compare the two.

Every buffer of text has 64 line feeds beyond its stated length, so that a field always ends and 64 bytes can always be
loaded at once.
"""
