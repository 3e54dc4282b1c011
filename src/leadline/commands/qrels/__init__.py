"""The commands `leadline qrels ...`, one file each."""
