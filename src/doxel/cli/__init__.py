"""The command line: each command translates its options into one library call."""
