"""Follow a recipe of CONTRIBUTING word for word, on a copy of the files that it changes."""

import re
from pathlib import Path

__all__ = ["ROOT", "find_recipe", "follow_recipe"]

ROOT = Path(__file__).resolve().parents[1]
_DIFF = re.compile(r"^```diff\n\+\+\+ (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def find_recipe(title):
    """Return the section with a title."""
    return (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def follow_recipe(title, folder):
    """Apply the diffs of a recipe to a copy of the project, and return the files that they name."""
    blocks = _DIFF.findall(find_recipe(title))
    assert blocks
    for name, body in blocks:
        path = folder / name
        is_new = all(line.startswith("+") for line in body.splitlines())
        assert path.exists() != is_new, path
        text = "".join(f"{line[1:]}\n" for line in body.splitlines())
        if not is_new:
            text = path.read_text("utf-8")
            for change in body.split("@@\n"):
                text = _apply_change(text, change)
        path.write_text(text, "utf-8")
    return [name for name, _ in blocks]


def _apply_change(text, change):
    """Apply one part of a diff: its old lines must occur exactly once."""
    lines = [(line[:1] or " ", line[1:]) for line in change.splitlines()]
    old = "".join(f"{line}\n" for sign, line in lines if sign != "+")
    new = "".join(f"{line}\n" for sign, line in lines if sign != "-")
    assert text.count(old) == 1, f"the recipe changes lines that are not there:\n{old}"
    return text.replace(old, new)
