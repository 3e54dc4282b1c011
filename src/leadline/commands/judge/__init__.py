"""The commands `leadline judge ...`, one file each."""
