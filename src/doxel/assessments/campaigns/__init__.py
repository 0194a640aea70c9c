"""Gold of living campaigns, in the formats in which organisers publish it: one file per campaign.

The objects of a file are kept in ``about``, under the name of the format, one line of JSON each: the official
figures are computed from them.
"""
