"""Tests of runs, and the random runs that they share."""
