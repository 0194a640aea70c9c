"""Statistics: significance, intervals, effect sizes, rank correlation, over plain arrays."""
