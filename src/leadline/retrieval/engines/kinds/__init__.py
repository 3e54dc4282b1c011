"""The kinds of search services: one file each, but for what calls Python."""

FILES = {"pyterrier": "python"}  # the file of a kind that is not named like it
