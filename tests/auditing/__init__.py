"""Tests of audits, and the broken scorers that they share."""
