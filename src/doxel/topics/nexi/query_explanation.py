"""Explain queries in plain words: what to return, where to look, and for which words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from doxel.topics.nexi.query_tree import (
    About,
    And,
    Condition,
    Keywords,
    Or,
    PathStep,
    Query,
    QueryPart,
    QueryPath,
    Term,
    ValueComparison,
)

__all__ = ["Explanation", "explain", "find_abouts", "find_comparisons", "find_tags"]

_OPERATORS = {"<": "below", "<=": "at most", "=": "equal to", ">": "above", ">=": "at least"}


@dataclass(frozen=True)
class Explanation:
    """The meaning of a query; as a string it has one sentence per line.

    ``target`` is what to return; ``conditions`` are the conditions on it and its ancestors, outermost first;
    the terms are those of the whole query.
    """

    target: str
    conditions: tuple[str, ...]
    wanted: tuple[str, ...]
    important: tuple[str, ...]
    unwanted: tuple[str, ...]
    phrases: tuple[str, ...]
    comparisons: tuple[str, ...]
    attributes: tuple[str, ...]
    tags: tuple[str, ...]

    def __str__(self) -> str:
        sentences = (f"{_capitalise(condition)}." for condition in self.conditions)
        return "\n".join([f"Return {self.target}.", *sentences])


def explain(query: Query | Keywords) -> Explanation:
    """Explain a query in plain words.

    Examples
    --------
    >>> from doxel.topics.nexi.query_parser import parse
    >>> print(explain(parse("//article[.//yr >= 1998]//sec[about(.//(p|ip1), +vehicle -train)]")))
    Return any sec inside an article.
    The article: a yr inside it is at least 1998.
    The sec: a p or ip1 inside it is about vehicle (important), but not train.
    """
    terms = tuple(_iterate_terms(query))
    return Explanation(
        target="any part of a document" if isinstance(query, Keywords) else _describe_target(query),
        conditions=_describe_conditions(query),
        wanted=tuple(_quote_term(term) for term in terms if not term.sign),
        important=tuple(_quote_term(term) for term in terms if term.sign == "+"),
        unwanted=tuple(_quote_term(term) for term in terms if term.sign == "-"),
        phrases=tuple(" ".join(term.words) for term in terms if term.is_phrase),
        comparisons=tuple(_describe_condition(comparison) for comparison in find_comparisons(query)),
        attributes=tuple(dict.fromkeys(_iterate_names(query, attributes=True))),
        tags=find_tags(query),
    )


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


def _describe_conditions(query: Query | Keywords) -> tuple[str, ...]:
    if isinstance(query, Keywords):
        return (f"it is {_describe_terms(query.terms)}",)
    return tuple(
        f"the {_describe_step(part.path.steps[-1])}: {_describe_condition(part.condition)}"
        for part in query.parts
        if part.condition is not None
    )


def _describe_target(query: Query) -> str:
    steps = query.target.steps
    pairs = list(pairwise(steps))
    places = "".join(_describe_ancestor(step, below) for step, below in reversed(pairs))
    return f"any {_describe_step(steps[-1])}{places}{' that is a root' if steps[0].is_child else ''}"


def _describe_ancestor(step: PathStep, below: PathStep) -> str:
    return f" {'directly in' if below.is_child else 'inside'} {_add_article(_describe_step(step))}"


def _add_article(noun: str) -> str:
    return f"an {noun}" if noun[:1].lower() in "aeiou" else f"a {noun}"


def _describe_step(step: PathStep) -> str:
    if step.is_attribute:
        return f"attribute {step.names[0]}"
    *earlier_names, last_name = step.names or ("element",)
    return f"{', '.join(earlier_names)} or {last_name}" if earlier_names else last_name


def _describe_path(path: QueryPath) -> str:
    """Return the words for the elements that a path leads to from an element."""
    if not path:
        return "it"
    steps = list(reversed(path.steps))
    words = _add_article(_describe_step(steps[0]))
    for step, above in zip(steps, [*steps[1:], None], strict=True):
        place = "it" if above is None else _add_article(_describe_step(above))
        words += f" {_describe_relation(step)} {place}"
    return words


def _describe_relation(step: PathStep) -> str:
    if step.is_attribute:
        return "of" if step.is_child else "in"
    return "directly in" if step.is_child else "inside"


def _describe_condition(condition: Condition) -> str:
    if isinstance(condition, About):
        return f"{_describe_path(condition.path)} is {_describe_terms(condition.terms)}"
    if isinstance(condition, ValueComparison):
        value = condition.value if isinstance(condition.value, str) else f"{condition.value:.15g}"
        return f"{_describe_path(condition.path)} is {_OPERATORS[condition.operator]} {value}"
    word = ", and " if isinstance(condition, And) else ", or "
    return word.join(
        f"({_describe_condition(part)})" if isinstance(part, And | Or) else _describe_condition(part)
        for part in condition.parts
    )


def _describe_terms(terms: tuple[Term, ...]) -> str:
    wanted = [
        f"{_quote_term(term)}{' (important)' if term.sign else ''}" for term in terms if term.sign != "-"
    ]
    unwanted = [_quote_term(term) for term in terms if term.sign == "-"]
    words = f"about {', '.join(wanted)}" if wanted else "about anything"
    return f"{words}, but not {' or '.join(unwanted)}" if unwanted else words


def _quote_term(term: Term) -> str:
    words = " ".join(term.words)
    return f'"{words}"' if term.is_phrase else words


def _iterate_leaves(condition: Condition | None) -> Iterator[About | ValueComparison]:
    if isinstance(condition, And | Or):
        for part in condition.parts:
            yield from _iterate_leaves(part)
    elif condition is not None:
        yield condition


def _iterate_all_leaves(query: Query | Keywords) -> Iterator[tuple[QueryPart, About | ValueComparison]]:
    for part in () if isinstance(query, Keywords) else query.parts:
        for leaf in _iterate_leaves(part.condition):
            yield part, leaf


def find_abouts(query: Query | Keywords) -> tuple[About, ...]:
    """Return all ``about`` conditions of a query."""
    return tuple(leaf for _, leaf in _iterate_all_leaves(query) if isinstance(leaf, About))


def find_comparisons(query: Query | Keywords) -> tuple[ValueComparison, ...]:
    """Return all comparisons of a query with values."""
    return tuple(leaf for _, leaf in _iterate_all_leaves(query) if isinstance(leaf, ValueComparison))


def _iterate_terms(query: Query | Keywords) -> Iterator[Term]:
    if isinstance(query, Keywords):
        yield from query.terms
    for about in find_abouts(query):
        yield from about.terms


def _iterate_names(query: Query | Keywords, *, attributes: bool) -> Iterator[str]:
    """Yield the names of elements or attributes in a query, in the order of the query."""
    for part in () if isinstance(query, Keywords) else query.parts:
        paths = [part.path, *(leaf.path for leaf in _iterate_leaves(part.condition))]
        for step in (step for path in paths for step in path.steps if step.is_attribute == attributes):
            yield from step.local_names


def find_tags(query: Query | Keywords) -> tuple[str, ...]:
    """Return the tags that a query names, each once.

    >>> from doxel.topics.nexi.query_parser import parse
    >>> find_tags(parse("//article[about(.//(sec|p), x)]//p[about(., y)]"))
    ('article', 'sec', 'p')
    """
    return tuple(dict.fromkeys(_iterate_names(query, attributes=False)))
