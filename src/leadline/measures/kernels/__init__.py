"""The compiled half of joining: the documents of runs looked up in hash tables of judged documents."""
