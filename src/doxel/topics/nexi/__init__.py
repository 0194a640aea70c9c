"""NEXI: parse, explain, print and match queries with structure, and titles without.

``parse(text)`` returns the query, ``print(query)`` its canonical form, and ``explain(query)`` its meaning in
plain words.
"""

from doxel.topics.nexi.explaining import Explanation, explain
from doxel.topics.nexi.parser import Parsed, parse, read
from doxel.topics.nexi.printing import to_text as print  # noqa: A004 -- the public word
from doxel.topics.nexi.tree import Keywords, Query

__all__ = ["Explanation", "Keywords", "Parsed", "Query", "explain", "parse", "print", "read"]
