"""Tests of documents and collections, and what they share with those of the command line."""
