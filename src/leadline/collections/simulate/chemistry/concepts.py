class Chemistry:
    def __init__(self, settings): pass
