"""Connections to databases, one file for each driver."""
