"""Statistics over plain arrays: significance, effect sizes, intervals, rank correlation and agreement.

How data flows through this room: arrays of scores or counts go in, plain numbers come out.

1. :mod:`~doxel.statistics.significance` tests two or more runs over the same topics, by resampling or with
   scipy, and measures how large their difference is.
2. :mod:`~doxel.statistics.multiple_comparisons` corrects the p values of many tests, and groups the runs that
   do not differ.
3. :mod:`~doxel.statistics.rank_correlation` compares rankings of the same runs, also over samples of topics.
4. :mod:`~doxel.statistics.category_agreement` compares the judgements of two assessors.
"""
