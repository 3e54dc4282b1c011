"""Named systems, one per file: `PIPELINE` is the system, and the docstring says where it comes from."""
