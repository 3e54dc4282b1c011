"""The commands `leadline lab ...`, one file each."""
