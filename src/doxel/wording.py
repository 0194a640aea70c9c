"""The words of messages: counts that agree with their nouns, lists that stay short, values, hints.

What files say may hold what commands a terminal, or cannot be written at all: it is made printable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["counted", "counted_of", "did_you_mean", "listed", "printable", "shown"]

# what moves a cursor or turns the direction of writing, and halves of characters
_UNPRINTABLE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def counted(count: int, one: str, several: str | None = None) -> str:
    """Return a number and its noun, and whatever else must agree with the number.

    >>> counted(1, "topic"), counted(1200, "topic"), counted(0, "query", "queries")
    ('1 topic', '1,200 topics', '0 queries')
    >>> counted(1, "topic has", "topics have")
    '1 topic has'
    """
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def counted_of(count: int, whole: int, noun: str) -> str:
    """Return how many of a whole, and the verb that agrees with it.

    >>> counted_of(1, 2, "topic"), counted_of(0, 1, "topic")
    ('1 of 2 topics is', '0 of 1 topic are')
    """
    some = f"of {counted(whole, noun)}"
    return counted(count, f"{some} is", f"{some} are")


def listed(things: Sequence[object], most: int = 5) -> str:
    """Return things as a list; of many, the first ones.

    >>> listed(["a", "b"]), listed([1, 2, 3], most=2)
    ('a, b', '1, 2, ...')
    """
    return ", ".join([*map(str, things[:most]), *(["..."] if len(things) > most else [])])


def shown(value: object, limit: int = 60) -> str:
    """Return a value as a message may quote it.

    >>> shown("x" * 100, limit=10)
    "'xxxxxxxxx..."
    """
    try:
        text = repr(value[: limit + 1] if isinstance(value, str) else value)
    except RecursionError:  # read at one depth of calls, and too deep for this one
        return f"a {type(value).__name__} that is nested very deep"
    return text if len(text) <= limit else text[:limit] + "..."


def printable(text: str) -> str:
    r"""Return a text that is safe to print; line ends are kept.

    >>> print(printable("run \x1b[2J of\n\ud800"))
    run \x1b[2J of
    \ud800
    """
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """Return what to add to a message about an unknown word: the known one that is nearest, if any is near.

    >>> did_you_mean("asessed", ["assessed", "run"]), did_you_mean("x", ["assessed", "run"])
    ('; did you mean assessed?', '')
    """
    import difflib  # rarely needed, and every command imports this module

    near = difflib.get_close_matches(written, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""
