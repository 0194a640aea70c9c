"""Accessibility faults of a page, found by axe-core."""

from __future__ import annotations

from functools import cache
from typing import Any

from axe_playwright_python.sync_playwright import Axe

__all__ = ["all_faults", "grave_faults"]

_FINISH_TRANSITIONS = """document.getAnimations().forEach(
  (animation) => { if (animation instanceof CSSTransition) animation.finish(); })"""


@cache
def _axe() -> Axe:
    return Axe()


def all_faults(page: Any) -> list[tuple[str, str, list[Any]]]:
    """Return all faults of a page, minor ones too: rule, description and place."""
    return _find_faults(page, {"minor", "moderate", "serious", "critical"})


def grave_faults(page: Any) -> list[tuple[str, str, list[Any]]]:
    """Return the serious and critical faults of a page: rule, description and place."""
    return _find_faults(page, {"serious", "critical"})


def _find_faults(page: Any, impacts: set[str]) -> list[tuple[str, str, list[Any]]]:
    # halfway through a transition text and background are colours of two states
    page.evaluate(_FINISH_TRANSITIONS)
    # style sheets are not to be fetched once more: the page's policy would complain of how that is done
    options = {"resultTypes": ["violations"], "preload": False}
    violations = _axe().run(page, options=options).response["violations"]
    return [
        (violation["id"], violation["help"], [node["target"] for node in violation["nodes"]])
        for violation in violations
        if violation["impact"] in impacts
    ]
