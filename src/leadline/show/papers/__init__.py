"""What did the papers find, and do we find the same? One file a paper, and the page that sets theirs beside ours."""
