"""Benchmarks: ratios against a baseline that is measured in the same minutes on the same machine."""
