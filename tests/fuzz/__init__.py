"""Fuzzing: files that are nearly valid, and properties that every reader must have."""
