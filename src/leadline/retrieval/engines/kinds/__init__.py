"""The kinds of search services, one file each."""
