"""A query in one foreign call: its lists read, weighed and added up over the files of an index, the best kept."""
