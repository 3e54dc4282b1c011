"""The judging pages: for assessors, the expert and the organiser."""
