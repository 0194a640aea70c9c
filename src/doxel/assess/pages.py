"""Render pages from templates; Jinja escapes every value."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse, Response

from doxel._version import __version__
from doxel.assess.calls import Call
from doxel.assess.clock import ago, written
from doxel.assess.static_files import list_imports, make_static_address
from doxel.errors import RefusedError
from doxel.wording import pluralise, pluralise_share

__all__ = ["error_page", "page", "see_other"]


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("doxel.assess", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"time": written, "ago": ago, "rate": _rate, "days": _days, "figure": _figure}
    environment.globals |= {"version": __version__, "counted": pluralise, "counted_of": pluralise_share}
    environment.globals |= {"static_address": make_static_address, "list_imports": list_imports}
    return environment


def _rate(number: float) -> str:
    """Format a number of documents per day, with one decimal below 10."""
    return f"{number:,.0f}" if number >= 9.95 else f"{number:.1f}"


def _days(number: float) -> str:
    """Format a number of days, rounded up."""
    if number <= 1:
        return "about a day"
    return f"about {pluralise(math.ceil(number), 'day')}" if number < 365 else "more than a year"


def _figure(number: float | None, layout: str = ".2f") -> str:
    """Format a figure, or return a dash where it is undefined."""
    return "–" if number is None or math.isnan(number) else f"{number:{layout}}"


def page(template: str, call: Call | None, *, status: int = 200, **values: Any) -> Response:
    """Render a template with the session of the caller."""
    session = None if call is None else call.session
    html = _templates().get_template(template).render(session=session, **values)
    return HTMLResponse(html, status)


def error_page(call: Call | None, refusal: RefusedError) -> Response:
    """Render the page that shows the reason of a refusal."""
    response = page("error.html", call, status=refusal.status, refusal=refusal)
    response.headers.update(refusal.headers)
    return response


def see_other(address: str) -> Response:
    """Redirect the browser after a form, so that reloading the page does not send it again."""
    return RedirectResponse(address, 303)
