"""What if it is too big? The same work on several machines, by Ray."""
