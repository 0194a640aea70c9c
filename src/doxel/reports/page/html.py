"""Builds HTML: text is always escaped, and markup has its own type."""

from __future__ import annotations

import html
import json
from typing import Any

__all__ = ["Html", "embedded", "isolated", "tag"]

_VOID = {"meta", "link", "br"}


class Html(str):
    """A piece of HTML; all other values are text and are escaped."""

    __slots__ = ()


def tag(element: str, *children: object, **attributes: object) -> Html:
    """Return an element; the attribute ``class_`` becomes ``class``, attributes of None are left out.

    >>> tag("p", "1 < 2", tag("b", "&"), class_="note")
    '<p class="note">1 &lt; 2<b>&amp;</b></p>'
    """
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(child if isinstance(child, Html) else html.escape(str(child)) for child in children)
    return Html(f"<{element}{pairs}>" if element in _VOID else f"<{element}{pairs}>{inside}</{element}>")


def isolated(name: object) -> Html:
    """Return a name in a ``bdi`` element, so that right-to-left names do not reorder the text around them."""
    return tag("bdi", name)


def embedded(data: Any) -> Html:
    r"""Return data as JSON for a script element, with all characters escaped that could end it.

    >>> embedded({"run": "</script>"})
    '{"run":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # a lone surrogate cannot be written to a file
    return Html(text.encode("utf-8", "backslashreplace").decode("utf-8"))
