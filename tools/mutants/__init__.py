"""Mutants: single edits to the code that computes scores, each of which must turn a test red."""
