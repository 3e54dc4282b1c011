"""The forms in which offices and publishers write documents: one file a form."""
