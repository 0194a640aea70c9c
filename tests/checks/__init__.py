"""Tests of the checks, and cases that the tests of the command line share."""
