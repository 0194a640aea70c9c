"""Pages for organisers: progress, pools, users and audit log."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote, urlencode

from starlette.responses import Response

from doxel.assess import actions
from doxel.assess.accounts import ROLES, users
from doxel.assess.audit import audit_lines
from doxel.assess.calls import Call
from doxel.assess.endpoints import Endpoint
from doxel.assess.pages import page, see_other
from doxel.assess.pooled import in_order
from doxel.assess.progress import progress
from doxel.assess.scales import SCALES, SNAPPINGS
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS
from doxel.errors import RefusedError

__all__ = ["ENDPOINTS"]


def _organiser(call: Call) -> Response:
    with call.service.store.read() as connection:
        overall, all_users = progress(connection), users(connection)
    topics = call.service.topics
    names = [item.topic for item in overall.topics]
    titles = {} if topics is None else {name: topics[name].title for name in names if name in topics}
    return page(
        "organiser.html",
        call,
        progress=overall,
        pools={item.pool.id: item.pool for item in overall.pools},
        open_topics=[topic for topic in overall.topics if not topic.is_closed],
        closed_topics=[topic for topic in overall.topics if topic.is_closed],
        in_order=sorted(overall.topics, key=lambda topic: in_order(topic.topic)),
        titles=titles,
        wanted=call.query.get("topic"),
        people=[user for user in all_users if not user.disabled],
        scales=SCALES,
        scale=call.service.settings.scale,
        snappings=SNAPPINGS,
        formats=[format_.name for format_ in ASSESSMENT_FORMATS],
    )


def _users(call: Call) -> Response:
    with call.service.store.read() as connection:
        all_users = users(connection)
    return page("users.html", call, people=all_users, roles=ROLES)


def _audit(call: Call) -> Response:
    before = call.number("before", "the number of a line")
    with call.service.store.read() as connection:
        lines = audit_lines(connection, before)
    return page("audit.html", call, lines=lines)


def _assign(call: Call) -> Response:
    fields = {"snapping": SNAPPINGS[0], **call.form()}
    topic, name, scale, snapping = (
        call.text(fields, key) for key in ("topic", "assessor", "scale", "snapping")
    )
    actions.give_topic(call.service, call.caller.name, topic, name, scale, snapping)
    return see_other("/organiser")


def _pool_action(call: Call) -> Response:
    fields, who, pool = call.form(), call.caller.name, call.path["pool"]

    def hand_over() -> None:
        name, with_work = call.text(fields, "assessor"), fields.get("work") == "with"
        actions.give_pool(call.service, who, pool, name, with_work=with_work)

    choices: dict[str, Callable[[], None]] = {
        "lock": lambda: actions.lock(call.service, who, pool, locked=True),
        "unlock": lambda: actions.lock(call.service, who, pool, locked=False),
        "official": lambda: actions.change_official(call.service, who, pool),
        "official-here": lambda: actions.change_official(call.service, who, pool),
        "hand-over": hand_over,
    }
    action = fields.get("action", "")
    choices.get(action, _unknown)()
    return see_other(_comparison(call, fields) if action == "official-here" else "/organiser")


def _comparison(call: Call, fields: dict[str, str]) -> str:
    """Return the address of the comparison page on which the form was sent."""
    query = [(name, fields[name]) for name in ("one", "other", "doc") if name in fields]
    return f"/topics/{quote(call.own_pool.topic)}/compare?{urlencode(query)}"


def _add_user(call: Call) -> Response:
    fields = call.form()
    name, password, role = (call.text(fields, key) for key in ("name", "password", "role"))
    actions.new_user(call.service, call.caller.name, name, password, role)
    return see_other("/organiser/users")


def _user_action(call: Call) -> Response:
    fields, who, user = call.form(), call.caller.name, call.path["user"]
    choices: dict[str, Callable[[], None]] = {
        "disable": lambda: actions.change_disabled(call.service, who, user, disabled=True),
        "enable": lambda: actions.change_disabled(call.service, who, user, disabled=False),
        "sign-out": lambda: actions.end_sessions(call.service, who, user),
        "password": lambda: actions.new_password(call.service, who, user, call.text(fields, "password")),
    }
    choices.get(fields.get("action", ""), _unknown)()
    return see_other("/organiser/users")


def _unknown() -> None:
    raise RefusedError(400, "bad-request", "the form has an unknown action")


ENDPOINTS = (
    Endpoint("GET", "/organiser", _organiser, "organiser"),
    Endpoint("POST", "/organiser/pools", _assign, "organiser"),
    Endpoint("POST", "/organiser/pools/{pool:int}", _pool_action, "organiser"),
    Endpoint("GET", "/organiser/users", _users, "organiser"),
    Endpoint("POST", "/organiser/users", _add_user, "organiser"),
    Endpoint("POST", "/organiser/users/{user:int}", _user_action, "organiser"),
    Endpoint("GET", "/organiser/audit", _audit, "organiser"),
)
