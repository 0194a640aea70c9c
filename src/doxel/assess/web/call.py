"""A request as handlers see it: the caller, the assignment, checked values; and the pages that answer it.

Pages are rendered from templates; Jinja escapes every value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, lru_cache
from typing import Any
from urllib.parse import quote, unquote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from sqlalchemy import Connection
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, RedirectResponse, Response

from doxel._version import __version__
from doxel.assess.document_state import Breach, State, find_breaches
from doxel.assess.judging_events import is_text, parse_arrival
from doxel.assess.scales import find_scale
from doxel.assess.store.accounts import Session
from doxel.assess.store.assignments import Assignment, AssignmentProgress, find_progress
from doxel.assess.store.database_schema import format_age, format_day, format_time
from doxel.assess.store.event_writer import EventReceipt, Submission
from doxel.assess.store.pooled_documents import HeldDocument, JudgingTask, find_judging_task
from doxel.assess.store.shares import has_document
from doxel.assess.web.form_data import FormData, parse_form
from doxel.assess.web.service import ServerSettings, Service
from doxel.assess.web.static_files import list_imports, make_static_address
from doxel.errors import InputError, RefusedError
from doxel.wording import pluralise, pluralise_share

__all__ = [
    "Call",
    "PendingResponse",
    "build_own_address",
    "check_document",
    "confirm_form",
    "encode_progress",
    "read_titles",
    "read_topic_fields",
    "redirect_after_form",
    "render_error",
    "render_markdown",
    "render_page",
    "require_document",
    "require_progress",
    "submit_events",
]

_MOST_DIGITS = 15  # of a number that both databases can store


@dataclass(frozen=True)
class Call:
    """One request with its whole body, from a caller whose access was checked."""

    service: Service
    method: str
    path: Mapping[str, Any]
    query: Mapping[str, str]
    headers: Headers
    cookies: Mapping[str, str]
    body: bytes
    address: str
    token: str | None = None
    session: Session | None = None
    assignment: Assignment | None = None

    @property
    def caller(self) -> Session:
        """The session of the caller; refuses requests without one."""
        if self.session is None:
            raise RefusedError(401, "not-signed-in", "sign in first")
        return self.session

    @property
    def own_assignment(self) -> Assignment:
        """The assignment in the address; refuses requests without one."""
        if self.assignment is None:
            raise RefusedError(404, "not-found", "there is no such assignment")
        return self.assignment

    @property
    def is_json(self) -> bool:
        """Whether the content type is JSON, which a form of another site cannot send."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"

    def json(self, *keys: str, optional: tuple[str, ...] = ()) -> dict[str, Any]:
        """Parse the body, an object with exactly these keys, and possibly the optional ones."""
        if not self.is_json:
            raise RefusedError(415, "not-json", "wanted the content type application/json")
        try:
            data = json.loads(self.body)
        except (ValueError, RecursionError):
            raise RefusedError(400, "bad-request", "the body is not JSON") from None
        if not isinstance(data, dict) or set(data) - set(optional) != set(keys):
            key_list = ", ".join(keys)
            wanted = f"an object with the keys {key_list}" if keys else "an empty object"
            raise RefusedError(400, "bad-request", f"wanted {wanted}")
        return data

    def text(self, data: Mapping[str, Any], key: str) -> str:
        """Return a text value of an object; refuse anything else."""
        value = data.get(key)
        if not isinstance(value, str) or not is_text(value, 1_000):
            raise RefusedError(400, "bad-request", f"{key}: wanted a text of at most 1,000 characters")
        return value

    def flag(self, data: Mapping[str, Any], key: str) -> bool:
        """Return a boolean value of an object; refuse anything else."""
        value = data.get(key)
        if not isinstance(value, bool):
            raise RefusedError(400, "bad-request", f"{key}: wanted true or false")
        return value

    def number(self, key: str, wanted: str) -> int | None:
        """Return a number from the query string, None if it is missing; refuse anything else."""
        value = self.query.get(key, "")
        if not value:
            return None
        if not value.isascii() or not value.isdigit() or len(value) > _MOST_DIGITS:
            raise RefusedError(400, "bad-request", f"{key}: wanted {wanted}")
        return int(value)

    def form(self) -> dict[str, str]:
        """Parse the body as a form and return its fields."""
        return self.form_data.fields

    @cached_property
    def form_data(self) -> FormData:
        """The body as a form with all values of its fields, and with its files."""
        return parse_form(self.headers.get("content-type", ""), self.body)


@dataclass(frozen=True)
class PendingResponse:
    """A response that waits for a future; ``finish`` builds it from the result, in a thread if it is slow."""

    future: Future[Any]
    finish: Callable[[Any], Response]
    is_slow: bool = False


@cache
def _load_templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("doxel.assess", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "time": format_time,
        "day": format_day,
        "moment": _format_moment,
        "markdown": render_markdown,
        "ago": format_age,
        "rate": _format_rate,
        "days": _format_days,
        "figure": _format_figure,
    }
    environment.globals |= {"version": __version__}
    environment.globals |= {"pluralise": pluralise, "pluralise_share": pluralise_share}
    environment.globals |= {"static_address": make_static_address, "list_imports": list_imports}
    return environment


def _format_moment(text: str) -> str:
    """Format a time of ISO 8601 as a date in words and a time.

    >>> _format_moment("2026-11-17T08:05:00Z")
    '17 November 2026, 08:05'
    """
    at = datetime.fromisoformat(text)
    return f"{at.day} {at.strftime('%B %Y, %H:%M')}"


def _format_rate(number: float) -> str:
    """Format a number of documents per day, with one decimal below 10."""
    return f"{number:,.0f}" if number >= 9.95 else f"{number:.1f}"


def _format_days(number: float) -> str:
    """Format a number of days, rounded up."""
    if number <= 1:
        return "about a day"
    return f"about {pluralise(math.ceil(number), 'day')}" if number < 365 else "more than a year"


def _format_figure(number: float | None, layout: str = ".2f") -> str:
    """Format a figure, or return a dash where it is undefined."""
    return "–" if number is None or math.isnan(number) else f"{number:{layout}}"


def render_page(template: str, call: Call | None, *, status: int = 200, **values: Any) -> Response:
    """Render a template with the session of the caller."""
    session = None if call is None else call.session
    settings = ServerSettings() if call is None else call.service.settings
    notice = "" if call is None else unquote(call.cookies.get(_NOTICE_COOKIE, ""))[:_LONGEST_NOTICE]
    page = _load_templates().get_template(template)
    html = page.render(
        session=session,
        program=settings.program,
        notice=notice,
        campaign="" if call is None else call.service.name,
        has_guidelines=call is not None and call.service.has_guidelines,
        **values,
    )
    response = HTMLResponse(html, status)
    if notice:  # shown once
        response.delete_cookie(_NOTICE_COOKIE, path="/")
    return response


def render_error(call: Call | None, refusal: RefusedError) -> Response:
    """Render the page that shows the reason of a refusal."""
    response = render_page("error.html", call, status=refusal.status, refusal=refusal)
    response.headers.update(refusal.headers)
    return response


def redirect_after_form(address: str) -> Response:
    """Redirect the browser after a form, so that reloading the page does not send it again."""
    return RedirectResponse(address, 303)


_NOTICE_COOKIE = "doxel-notice"
_LONGEST_NOTICE = 500


def confirm_form(call: Call, address: str, notice: str) -> Response:
    """Redirect the browser after a form to a page that shows a confirmation once."""
    response = redirect_after_form(address)
    text = quote(notice[:_LONGEST_NOTICE])
    secure = call.service.settings.secure
    response.set_cookie(
        _NOTICE_COOKIE, text, max_age=60, path="/", secure=secure, httponly=True, samesite="lax"
    )
    return response


def build_own_address(call: Call, path: str) -> str:
    """Return the whole address of a page, under the host name by which the caller reached the server."""
    scheme = "https" if call.service.settings.secure else "http"
    return f"{scheme}://{call.headers.get('host', 'localhost')}{path}"


def read_titles(service: Service) -> dict[str, str]:
    """Return the titles of all topics that have one."""
    return {topic.id: topic.title for topic in service.topics or () if topic.title}


_TOPIC_FIELDS = ("title", "castitle", "description", "narrative", "keywords")


def require_progress(call: Call, connection: Connection) -> AssignmentProgress:
    """Return the assignment in the address, with its progress."""
    assignment = find_progress(connection, call.own_assignment.id)
    if assignment is None:
        raise RefusedError(404, "not-found", "there is no such assignment")
    return assignment


def encode_progress(assignment: AssignmentProgress) -> dict[str, Any]:
    """Return the public fields of an assignment as plain data."""
    names = ("id", "topic", "assessor", "snapping", "official", "locked", "partial", "documents", "validated")
    fields = {name: getattr(assignment, name) for name in (*names, "open")}
    return {**fields, "scale": find_scale(assignment.scale).as_json(), "finished": assignment.finished}


def read_topic_fields(call: Call, topic: str) -> dict[str, str]:
    """Return the fields of a topic that are not empty."""
    topics = call.service.topics
    if topics is None or topic not in topics:
        return {}
    fields = vars(topics[topic])
    return {name: fields[name] for name in _TOPIC_FIELDS if fields[name]}


def require_document(call: Call, connection: Connection) -> tuple[HeldDocument, JudgingTask]:
    """Return the document in the address and its pooled parts; refuse one that is not in the pool."""
    document = call.service.library.find(call.path["doc"])
    pooled = (
        None if document is None else find_judging_task(connection, call.own_assignment.topic, document.doc)
    )
    if document is None or pooled is None or not has_document(connection, call.own_assignment, document.doc):
        raise RefusedError(404, "not-found", "there is no such document in the pool")
    return document, pooled


def check_document(call: Call, state: State, pooled: JudgingTask) -> list[Breach]:
    """Return the rules that a document breaks; it is done when there are none."""
    scale = find_scale(call.own_assignment.scale)
    outline = call.service.library.graded_outline(pooled.doc, scale)
    return find_breaches(state, scale, outline, pooled.paths)


def submit_events(call: Call, events: list[Any]) -> Future[list[EventReceipt]]:
    """Submit events to the writer and return a future, which is set after the commit."""
    try:
        arrivals = tuple(parse_arrival(event) for event in events)
    except InputError as error:
        raise RefusedError(400, "bad-request", str(error)) from None
    return call.service.writer.submit(Submission(call.caller.user_id, call.own_assignment.id, arrivals))


@lru_cache(maxsize=8)
def render_markdown(text: str) -> str:
    r"""Return Markdown that organisers write as HTML that is safe to show.

    Markup in the text is shown as text, and links lead to web pages only; so nothing in it can run.
    Headings start at the second level, because a page has one title.

    >>> render_markdown("# Judge *fairly* <b>")
    '<h2>Judge <em>fairly</em> &lt;b&gt;</h2>\n'
    """
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 50}).enable("table").disable("image")
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    return str(parser.renderer.render(tokens, parser.options, {}))
