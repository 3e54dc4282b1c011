"""Named systems: one file each, whose `PIPELINE` is the system and whose docstring says where it comes from."""
