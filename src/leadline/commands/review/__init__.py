"""The commands `leadline review ...`, one file each."""
