"""How does it look? One palette and one style for every figure, and every format a figure is saved in."""
