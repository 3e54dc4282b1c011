"""The compiled half of reviewing: the steps that train the support vector machine."""
