"""One file a measure or a small family. Adding a file here adds its measures everywhere."""
