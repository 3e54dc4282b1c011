"""The commands `leadline case ...`, one file each."""
