"""Tests of checks, and the cases that those of the command line share with them."""
