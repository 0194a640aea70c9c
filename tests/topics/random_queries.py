"""Random queries as syntax trees: every tree that can be built can be written."""

import re

from hypothesis import strategies as st

from doxel.topics.nexi.query_parser import _NUMBER_REGEX
from doxel.topics.nexi.query_tree import (
    OPERATORS,
    About,
    And,
    Keywords,
    Or,
    PathStep,
    Query,
    QueryPart,
    QueryPath,
    Term,
    ValueComparison,
)

NAMES = st.sampled_from(["article", "sec", "p", "and", "or", "about", "h-2", "a.b", "x:fig", "Ω"])
# words with all characters that have another meaning elsewhere in a query
WORDS = st.text(st.sampled_from("aZ9é+-'/.:<>=|*@&;"), min_size=1, max_size=4) | st.sampled_from(
    ["and", "OR", "about", "Kali's", "bisphenol-A", "'", "''", "//sec"]
)


def is_term(words, sign, is_phrase):
    return is_phrase or (len(words) == 1 and (sign or words[0][0] not in "+-"))


TERMS = (
    st.tuples(
        st.lists(WORDS, min_size=1, max_size=3).map(tuple), st.sampled_from(["", "+", "-"]), st.booleans()
    )
    .filter(lambda arguments: is_term(*arguments))
    .map(lambda arguments: Term(*arguments))
)
SEVERAL_TERMS = st.lists(TERMS, min_size=1, max_size=4).map(tuple)
STEPS = st.builds(
    PathStep, st.lists(NAMES, max_size=3, unique=True).map(tuple), is_child=st.booleans()
) | st.builds(PathStep, NAMES.map(lambda name: (name,)), is_child=st.booleans(), is_attribute=st.just(True))
PATHS = st.lists(STEPS, min_size=1, max_size=3).map(lambda steps: QueryPath(tuple(steps)))
STRINGS = (
    st.text(st.characters(exclude_characters="'", exclude_categories=["Cs"]), min_size=1)
    .map(str.strip)
    .filter(lambda text: text and not _NUMBER_REGEX.fullmatch(text))
)
VALUES = (
    st.integers(-(10**20), 10**20).map(float) | st.floats(allow_nan=False, allow_infinity=False) | STRINGS
)
RELATIVE = st.just(QueryPath()) | PATHS
LEAVES = st.builds(About, RELATIVE, SEVERAL_TERMS) | st.builds(
    ValueComparison, RELATIVE, st.sampled_from(OPERATORS), VALUES
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda kind, parts: kind(tuple(parts)),
        st.sampled_from([And, Or]),
        st.lists(inner, min_size=2, max_size=3),
    ),
    max_leaves=8,
)


@st.composite
def queries(draw):
    """Queries with structure; half of them end in a path without a condition."""
    parts = draw(st.lists(st.builds(QueryPart, PATHS, CONDITIONS), min_size=1, max_size=3))
    last = [QueryPart(draw(PATHS))] if draw(st.booleans()) else []
    return Query((*parts, *last))


KEYWORDS = SEVERAL_TERMS.filter(lambda terms: not re.match("/", str(terms[0]))).map(Keywords)
