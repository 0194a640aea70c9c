"""Write queries in a canonical form, which parses to the same query.

Alternatives and terms keep their order.  An ``and`` inside an ``or`` is put in brackets, and the other way
round, so that it cannot be misread.  Child steps and strings of the dialect of 2003 are kept, because NEXI
has none; its quoted numbers and terms lose their quotes.
"""

from __future__ import annotations

from doxel.topics.nexi.tree import (
    About,
    And,
    Comparison,
    Condition,
    Keywords,
    Or,
    Path,
    Query,
    Step,
    Term,
)

__all__ = ["path_to_text", "to_text"]


def to_text(query: Query | Keywords) -> str:
    """Return the canonical form of a query.

    >>> from doxel.topics.nexi.parser import parse
    >>> to_text(parse("//( p |sec )[ about( . ,x  y) AND .//@year='2000']"))
    '//(p|sec)[about(., x y) and .//@year = 2000]'
    """
    if isinstance(query, Keywords):
        return _terms(query.terms)
    return "".join(
        path_to_text(part.path) + ("" if part.condition is None else f"[{_condition(part.condition)}]")
        for part in query.parts
    )


def _terms(terms: tuple[Term, ...]) -> str:
    return " ".join(map(str, terms))


def path_to_text(path: Path) -> str:
    """Return the text of a path in a query."""
    return "".join(map(_step, path.steps))


def _step(step: Step) -> str:
    names = "|".join(step.names) or "*"
    name = f"({names})" if len(step.names) > 1 else names
    return f"{'/' if step.is_child else '//'}{'@' if step.is_attribute else ''}{name}"


def _condition(condition: Condition) -> str:
    if isinstance(condition, About):
        return f"about(.{path_to_text(condition.path)}, {_argument(condition.terms)})"
    if isinstance(condition, Comparison):
        return f".{path_to_text(condition.path)} {condition.operator} {_value(condition.value)}"
    word = " and " if isinstance(condition, And) else " or "
    return word.join(
        f"({_condition(part)})" if isinstance(part, And | Or) else _condition(part)
        for part in condition.parts
    )


def _argument(terms: tuple[Term, ...]) -> str:
    """Return the terms of an ``about``; terms that look quoted are put in quotes."""
    text = _terms(terms)
    return f"'{text}'" if len(text) > 1 and text[0] == text[-1] == "'" else text


def _value(value: float | str) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(float(value))
