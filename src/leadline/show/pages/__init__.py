"""One page layer: the templates and parts that every page is made of, and their styles and scripts."""
