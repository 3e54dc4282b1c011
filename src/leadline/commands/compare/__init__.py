"""The commands `leadline compare ...`, one file each."""
