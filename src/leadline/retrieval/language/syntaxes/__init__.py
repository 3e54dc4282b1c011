"""The tables of search systems, one file each."""
