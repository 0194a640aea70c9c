"""Tests of documents and collections, and helpers shared with the tests of the command line."""
