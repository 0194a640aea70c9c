"""Runs of living campaigns, in the formats in which participants submit them: one file per campaign.

The readers keep the objects of a file as they are in ``about``, under the name of the format, one line of
JSON each: the official figures are computed from them, and writing an unchanged run gives back the file's
content.
"""
