"""Pages from templates: everything that is put into them is escaped."""

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
from doxel.wording import counted, counted_of

__all__ = ["error_page", "page", "see_other"]


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("doxel.assess", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"time": written, "ago": ago, "rate": _rate, "days": _days, "figure": _figure}
    made.globals |= {"version": __version__, "counted": counted, "counted_of": counted_of}
    made.globals |= {"static_address": make_static_address, "list_imports": list_imports}
    return made


def _rate(number: float) -> str:
    """Return a number of documents a day, with no more digits than it deserves."""
    return f"{number:,.0f}" if number >= 9.95 else f"{number:.1f}"


def _days(number: float) -> str:
    """Return how long something takes, in round figures."""
    if number <= 1:
        return "about a day"
    return f"about {counted(math.ceil(number), 'day')}" if number < 365 else "more than a year"


def _figure(number: float | None, layout: str = ".2f") -> str:
    """Return a figure, or a dash where it is undefined."""
    return "–" if number is None or math.isnan(number) else f"{number:{layout}}"


def page(template: str, call: Call | None, *, status: int = 200, **values: Any) -> Response:
    """Return a page; every template knows who has signed in."""
    session = None if call is None else call.session
    html = _templates().get_template(template).render(session=session, **values)
    return HTMLResponse(html, status)


def error_page(call: Call | None, refusal: RefusedError) -> Response:
    """Return the page that says why something was refused."""
    response = page("error.html", call, status=refusal.status, refusal=refusal)
    response.headers.update(refusal.headers)
    return response


def see_other(address: str) -> Response:
    """Send a browser on after a form, so that loading the page again sends nothing twice."""
    return RedirectResponse(address, 303)
