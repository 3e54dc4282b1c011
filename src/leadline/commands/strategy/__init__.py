"""The commands `leadline strategy ...`, one file each."""
