"""What a search may see at all."""
