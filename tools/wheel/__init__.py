"""Build the wheel and the source distribution, inspect them, and test the wheel in new environments."""
