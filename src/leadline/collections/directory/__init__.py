"""The directory: a tree of classes, or of clusters where there are none, with the documents under each."""
