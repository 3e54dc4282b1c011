"""The commands `leadline campaign ...`, one file each."""
