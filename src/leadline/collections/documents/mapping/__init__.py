"""Records with names other than ours: a TOML file says where each field is."""
