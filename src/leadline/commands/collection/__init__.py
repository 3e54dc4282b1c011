"""The commands `leadline collection ...`, one file each."""
