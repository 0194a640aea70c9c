"""Document styles: a data file maps each tag to the look of its elements on the judging page.

The bundled file covers the tags of the demo, JATS, the INEX collections and HTML.  A file of your own adds
entries or replaces them::

    {"tags": {"recipe": "section", "step": "item"}, "default": "inline"}

Tags are compared case-insensitively.  ``parent/tag`` matches a tag inside a given parent and takes precedence
over the tag alone.  Tags that no file lists get the default look.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from doxel.errors import InputError
from doxel.files import read_text
from doxel.wording import quote_value

__all__ = ["LOOKS", "Styles", "load_bundled_styles", "read_styles"]

LOOKS = (
    "automatic",
    "block",
    "bold",
    "bold-line",
    "break",
    "caption",
    "cell",
    "citation",
    "code",
    "figure",
    "formula",
    "header",
    "heading",
    "indented",
    "inline",
    "italic",
    "item",
    "label",
    "lead",
    "line",
    "link",
    "list",
    "monospace",
    "note",
    "paragraph",
    "picture",
    "quiet",
    "quiet-block",
    "quotation",
    "reference",
    "row",
    "rows",
    "rule",
    "section",
    "small-capitals",
    "struck",
    "subscript",
    "superscript",
    "table",
    "title",
    "underline",
    "void",
    "word",
)
"""All looks.  ``automatic`` is a block or inline text, whichever fits most elements of the tag."""


@dataclass(frozen=True)
class Styles:
    """The look of each tag, in lower case, and the look of all other tags."""

    tags: Mapping[str, str]
    default: str

    def as_json(self) -> dict[str, Any]:
        """Return the styles as plain data for the page."""
        return {"tags": dict(self.tags), "default": self.default}

    def with_file(self, path: Path) -> Styles:
        """Return the styles with a file's entries added or replaced."""
        return _parse_styles(read_text(path), str(path), self)


@cache
def load_bundled_styles() -> Styles:
    """Return the looks that come with the package."""
    file = files("doxel.assess").joinpath("static", "view", "styles.json")
    return _parse_styles(file.read_text(encoding="utf-8"), "styles.json", Styles({}, "automatic"))


def read_styles(path: Path | None) -> Styles:
    """Return the bundled looks, with those of a file if one is given."""
    return load_bundled_styles() if path is None else load_bundled_styles().with_file(path)


def _parse_styles(text: str, file: str, base: Styles) -> Styles:
    try:
        data = json.loads(text)
        json.dumps(data, ensure_ascii=False).encode()  # half of a surrogate pair cannot be sent to a page
    except json.JSONDecodeError as error:
        raise InputError("styles", file=file, line=error.lineno, wanted="JSON", found=error.msg) from None
    except RecursionError:
        raise InputError("styles", file=file, wanted="JSON", found="JSON nested too deeply") from None
    except ValueError as error:
        raise InputError("styles", file=file, wanted="JSON", found=str(error)) from None
    if not isinstance(data, dict) or not set(data) <= {"tags", "default"}:
        wanted = 'an object with "tags" and "default"'
        content = ", ".join(sorted(data)) if isinstance(data, dict) else type(data).__name__
        raise InputError("styles", file=file, wanted=wanted, found=content)
    tags = data.get("tags", {})
    if not isinstance(tags, dict):
        raise InputError("styles: tags", file=file, wanted="looks by tag", found=type(tags).__name__)
    looks = {tag.lower(): _check_look(look, f"tag {tag[:60]}", file) for tag, look in tags.items()}
    default = _check_look(data.get("default", base.default), "default", file)
    return Styles({**base.tags, **looks}, default)


def _check_look(look: object, label: str, file: str) -> str:
    if isinstance(look, str) and look in LOOKS:
        return look
    raise InputError(
        f"styles: {label}", file=file, wanted=f"one of {', '.join(LOOKS)}", found=quote_value(look)
    )
