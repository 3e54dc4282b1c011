"""How offices and publishers write documents: one file a form."""
