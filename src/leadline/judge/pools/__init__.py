"""Which documents are judged: pools of the runs, and samples of them."""
