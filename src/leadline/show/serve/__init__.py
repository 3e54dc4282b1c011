"""Pages for several people: signing in by a personal link, and what every page needs to be safe."""
