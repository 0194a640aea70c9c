"""Statistics over plain arrays: significance, intervals, effect sizes, rank correlation and agreement."""
