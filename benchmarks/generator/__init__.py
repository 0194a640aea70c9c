"""Test collections made from a seed: documents, topics and runs, of any size.

See ``benchmarks/README.md``, or ``python -m benchmarks.generator --help``.
"""
