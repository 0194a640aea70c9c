"""Helpers for messages: plural forms, short lists, quoted values, spelling hints.

Text from files may contain terminal escape sequences or characters that cannot be encoded;
``escape_unprintable`` escapes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = [
    "did_you_mean",
    "escape_html",
    "escape_unprintable",
    "format_json",
    "format_level",
    "format_share",
    "join_words",
    "pluralise",
    "pluralise_share",
    "put_on_one_line",
    "quote_value",
    "shorten_message",
]

# control characters, characters that change the direction of writing, and lone surrogates
_UNPRINTABLE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def pluralise(count: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun, and a verb if one is given, in the singular or the plural.

    >>> pluralise(1, "topic"), pluralise(1200, "topic"), pluralise(0, "query", "queries")
    ('1 topic', '1,200 topics', '0 queries')
    >>> pluralise(1, "topic has", "topics have")
    '1 topic has'
    """
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"


def format_share(share: float, digits: int = 0) -> str:
    """Return a share in per cent; only the whole is 100 %.

    >>> format_share(0.5), format_share(314 / 315), format_share(0.99996, digits=1), format_share(1)
    ('50%', '99%', '99.9%', '100%')
    """
    highest = 1 - 10 ** -(digits + 2) if share < 1 else 1
    return f"{min(share, highest):.{digits}%}"


def format_level(level: float) -> str:
    """Return a confidence level in per cent, with all its digits.

    >>> format_level(0.95), format_level(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:g}%"


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
    except ValueError:  # Python does not print integers of thousands of digits
        return f"a very large {type(value).__name__}"
    except Exception:  # noqa: BLE001 -- the repr() of a foreign object may raise anything
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= limit else text[:limit] + "..."


def escape_unprintable(text: str) -> str:
    r"""Escape characters that are unsafe to print; line ends are kept.

    >>> print(escape_unprintable("run \x1b[2J of\n\ud800"))
    run \x1b[2J of
    \ud800
    """
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def put_on_one_line(text: str) -> str:
    r"""Return text for one cell of a table: white space is one space each, other control characters escaped.

    >>> put_on_one_line("run\t7\x1b[2J")
    'run 7\\x1b[2J'
    """
    return escape_unprintable(" ".join(text.split()))


def escape_html(text: str) -> str:
    r"""Return text for HTML; control characters other than line ends and tabs are shown escaped.

    >>> escape_html("a < b\x1b")
    'a &lt; b\\x1b'
    """
    import html

    return html.escape("\t".join(map(escape_unprintable, text.split("\t"))))


def format_json(value: Any, **options: Any) -> str:
    r"""Return a value as JSON that is safe to print: unprintable characters are written as ``\uXXXX``.

    >>> print(format_json({"run": "é\x9b"}))
    {"run": "é\u009b"}
    """
    import json

    text = json.dumps(value, ensure_ascii=False, **options)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_LONGEST_MESSAGE = 4_000  # characters: a list of all measures is shorter, a whole file in one line longer


def shorten_message(text: str) -> str:
    """Return a message without its middle if it is very long, because it quotes a very long line.

    >>> len(shorten_message("x" * 100_000_000))
    4005
    """
    if len(text) <= _LONGEST_MESSAGE:
        return text
    half = _LONGEST_MESSAGE // 2
    return f"{text[:half]} ... {text[-half:]}"


def did_you_mean(written: str, known_words: Iterable[str]) -> str:
    """Return a hint with the most similar known word, to add to a message, or nothing if none is similar.

    >>> did_you_mean("asessed", ["assessed", "run"]), did_you_mean("x", ["assessed", "run"])
    ('; did you mean assessed?', '')
    """
    import difflib  # rarely needed, and every command imports this module

    near = difflib.get_close_matches(written, list(known_words), 1)
    return f"; did you mean {near[0]}?" if near else ""
