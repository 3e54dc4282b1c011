class ChemistryWriter:
    def __init__(self, office): pass
