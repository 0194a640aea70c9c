"""Helpers for messages: plural forms, short lists, quoted values, spelling hints.

Text from files may contain terminal escape sequences or characters that cannot be encoded;
``escape_unprintable`` escapes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["did_you_mean", "escape_unprintable", "join_words", "pluralise", "pluralise_share", "quote_value"]

# control characters, characters that change the direction of writing, and lone surrogates
_UNPRINTABLE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def pluralise(count: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun, and a verb if one is given, in the singular or the plural.

    >>> pluralise(1, "topic"), pluralise(1200, "topic"), pluralise(0, "query", "queries")
    ('1 topic', '1,200 topics', '0 queries')
    >>> pluralise(1, "topic has", "topics have")
    '1 topic has'
    """
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def pluralise_share(count: int, whole: int, noun: str) -> str:
    """Return "N of M things is" or "are", whichever agrees with N.

    >>> pluralise_share(1, 2, "topic"), pluralise_share(0, 1, "topic")
    ('1 of 2 topics is', '0 of 1 topic are')
    """
    total = f"of {pluralise(whole, noun)}"
    return pluralise(count, f"{total} is", f"{total} are")


def join_words(things: Sequence[object], most: int = 5) -> str:
    """Join things with commas; of more than ``most`` only the first ones.

    >>> join_words(["a", "b"]), join_words([1, 2, 3], most=2)
    ('a, b', '1, 2, ...')
    """
    return ", ".join([*map(str, things[:most]), *(["..."] if len(things) > most else [])])


def quote_value(value: object, limit: int = 60) -> str:
    """Quote a value for a message, shortened to about ``limit`` characters.

    >>> quote_value("x" * 100, limit=10)
    "'xxxxxxxxx..."
    """
    try:
        text = repr(value[: limit + 1] if isinstance(value, str) else value)
    except RecursionError:  # JSON can nest deeper than repr() can recurse here
        return f"a very deeply nested {type(value).__name__}"
    return text if len(text) <= limit else text[:limit] + "..."


def escape_unprintable(text: str) -> str:
    r"""Escape characters that are unsafe to print; line ends are kept.

    >>> print(escape_unprintable("run \x1b[2J of\n\ud800"))
    run \x1b[2J of
    \ud800
    """
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """Return a hint with the most similar known word, to add to a message, or nothing if none is similar.

    >>> did_you_mean("asessed", ["assessed", "run"]), did_you_mean("x", ["assessed", "run"])
    ('; did you mean assessed?', '')
    """
    import difflib  # rarely needed, and every command imports this module

    near = difflib.get_close_matches(written, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""
