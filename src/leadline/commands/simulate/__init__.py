"""The commands `leadline simulate ...`, one file each."""
