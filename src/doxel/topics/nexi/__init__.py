"""NEXI: parse, explain, print and match queries with structure, and titles without.

``parse(text)`` returns the query, ``print(query)`` its canonical form, and ``explain(query)`` its meaning
in plain words.

How data flows through this package:

1. :mod:`~doxel.topics.nexi.query_parser` splits a query into tokens and parses them.
2. :mod:`~doxel.topics.nexi.query_tree` is the syntax tree; it prints itself in a canonical form.
3. :mod:`~doxel.topics.nexi.query_explanation` explains a query in plain words.
4. :mod:`~doxel.topics.nexi.query_matching` finds the elements that match a query.
"""

from doxel.topics.nexi.query_explanation import Explanation, explain
from doxel.topics.nexi.query_parser import Parsed, parse, read
from doxel.topics.nexi.query_tree import Keywords, Query
from doxel.topics.nexi.query_tree import to_text as print  # noqa: A004 -- the public word

__all__ = ["Explanation", "Keywords", "Parsed", "Query", "explain", "parse", "print", "read"]
