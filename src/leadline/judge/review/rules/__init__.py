"""One stopping rule per file."""
