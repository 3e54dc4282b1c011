"""Fields that several forms write alike: numbers, classes, claims, priorities, citations."""
