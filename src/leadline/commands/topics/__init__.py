"""The commands `leadline topics ...`, one file each."""
