"""Who judges: the marks of assessors and experts, how they are merged, and how far people agree."""
