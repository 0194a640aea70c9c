"""Pages to set up a campaign: the first organiser, the campaign's settings, invitations and guidelines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from starlette.responses import JSONResponse, Response

from doxel.assess.office.campaign_setup import find_file, list_file_choices, read_setup_steps
from doxel.assess.store.campaign_settings import has_read_guidelines, read_campaign_settings
from doxel.assess.store.invitations import Invitation, find_invitation
from doxel.assess.web import actions
from doxel.assess.web.call import Call, confirm_form, redirect_after_form, render_page
from doxel.assess.web.endpoints import Endpoint, add_form_token, check_form_token, set_session_cookie
from doxel.errors import CollectionError, InputError, RefusedError
from doxel.files import explain_os_error
from doxel.wording import pluralise

__all__ = ["SETUP_ENDPOINTS"]


def _check_first_token(call: Call) -> None:
    """Refuse an address without the token of an empty server, or with a used one."""
    token = call.service.first_token
    if token is None or not token.fits(call.path["token"]):
        raise RefusedError(404, "link-gone", "this address is not valid, or was used already")


def _show_first_visit(call: Call) -> Response:
    _check_first_token(call)
    return _render_first_visit(call)


def _render_first_visit(call: Call, error: str = "", name: str = "", status: int = 400) -> Response:
    def render(form_token: str) -> Response:
        page = replace(call, session=None)
        code = status if error else 200
        return render_page(
            "first-visit.html", page, status=code, form_token=form_token, error=error, name=name
        )

    return add_form_token(render, call.service.settings)


def _submit_first_visit(call: Call) -> Response:
    _check_first_token(call)
    fields, token = call.form(), call.service.first_token
    name, password = call.text(fields, "name"), call.text(fields, "password")
    if token is None:
        raise RefusedError(404, "link-gone", "this address is not valid, or was used already")
    try:
        check_form_token(call)
        new_session = actions.create_first_organiser(
            call.service, token, call.path["token"], name, password, call.token
        )
    except InputError as error:
        return _render_first_visit(call, str(error), name)
    except RefusedError as refusal:
        if refusal.code != "csrf":
            raise
        return _render_first_visit(call, refusal.message, name, refusal.status)
    response = confirm_form(call, "/organiser/campaign", f"Welcome, {new_session.user.name}.")
    set_session_cookie(response, call.service.settings, new_session.token)
    return response


def _require_invitation(call: Call) -> Invitation:
    with call.service.store.look() as connection:
        invitation = find_invitation(connection, call.path["token"])
    if invitation is None:
        sentence = "this invitation was used already, or has expired: ask an organiser for a new one"
        raise RefusedError(404, "link-gone", sentence)
    return invitation


def _show_invitation(call: Call) -> Response:
    return _render_invitation(call, _require_invitation(call))


def _render_invitation(call: Call, invitation: Invitation, error: str = "", status: int = 400) -> Response:
    def render(form_token: str) -> Response:
        page = replace(call, session=None)
        code = status if error else 200
        return render_page(
            "invitation.html", page, status=code, form_token=form_token, error=error, invitation=invitation
        )

    return add_form_token(render, call.service.settings)


def _submit_invitation(call: Call) -> Response:
    invitation = _require_invitation(call)
    try:
        check_form_token(call)
        password = call.text(call.form(), "password")
        new_session = actions.accept_invitation(call.service, call.path["token"], password, call.token)
    except InputError as error:
        return _render_invitation(call, invitation, str(error))
    except RefusedError as refusal:
        if refusal.code != "csrf":
            raise
        return _render_invitation(call, invitation, refusal.message, refusal.status)
    response = confirm_form(call, "/", f"Welcome, {new_session.user.name}. Your password is set.")
    set_session_cookie(response, call.service.settings, new_session.token)
    return response


_NEXT_PAGE = re.compile(r"/assignments/[0-9]{1,15}(/[^?#\\]*)?")


def _read_next_page(address: str) -> str:
    """Return the page of an assignment to go on to, or the home page for any other address."""
    return address if _NEXT_PAGE.fullmatch(address) else "/"


def _show_guidelines(call: Call) -> Response:
    with call.service.store.read() as connection:
        settings = read_campaign_settings(connection)
        has_read = has_read_guidelines(connection, call.caller.user_id)
    return render_page(
        "guidelines.html",
        call,
        settings=settings,
        has_read=has_read,
        next_page=_read_next_page(call.query.get("next", "")),
    )


def _submit_guidelines(call: Call) -> Response:
    actions.confirm_guidelines(call.service, call.caller.user_id)
    return redirect_after_form(_read_next_page(call.form().get("next", "")))


def _show_campaign(call: Call) -> Response:
    return _render_campaign(call)


def _render_campaign(call: Call, action: str = "", error: str = "") -> Response:
    """Return the page of the campaign's settings; with an error, at the form that had it."""
    with call.service.store.read() as connection:
        steps = read_setup_steps(connection, call.service.library, call.service.topics)
    fields = call.form() if error else {}
    return render_page(
        "campaign.html",
        call,
        status=400 if error else 200,
        steps=steps,
        choices=list_file_choices(call.service.settings.folder),
        action=action,
        error=error,
        fields=fields,
    )


def _submit_campaign(call: Call) -> Response:
    fields, actor, service = call.form(), call.caller.name, call.service

    def name() -> str:
        actions.change_campaign(service, actor, name=fields.get("name", ""))
        return "The name is saved."

    def guidelines() -> str:
        actions.change_campaign(service, actor, guidelines=fields.get("guidelines", "")[:1_000_000])
        return "The guidelines are saved; assessors see them before they go on."

    def documents() -> str:
        path = find_file(service.settings.folder, fields.get("file", ""))
        return f"{pluralise(actions.use_collection(service, actor, path), 'document')} in the collection."

    def topics() -> str:
        count = actions.upload_topics(service, actor, *_read_source(call))
        return f"{pluralise(count, 'topic is', 'topics are')} saved."

    def pool() -> str:
        count = actions.upload_pool(service, actor, *_read_source(call))
        return f"{pluralise(count, 'document')} added to the pool."

    forms: dict[str, Callable[[], str]] = {
        form.__name__: form for form in (name, guidelines, documents, topics, pool)
    }
    action = fields.get("action", "")
    if action not in forms:
        raise RefusedError(400, "bad-request", "the form has an unknown action")
    try:
        notice = forms[action]()
    except (InputError, CollectionError) as error:
        return _render_campaign(call, action, str(error))
    except OSError as error:
        return _render_campaign(call, action, f"the file cannot be read: {explain_os_error(error)}")
    return confirm_form(call, f"/organiser/campaign#{action}", notice)


def _read_source(call: Call) -> tuple[str, bytes | Path]:
    """Return the name and the content of an uploaded file, or the path of a file on the server."""
    upload = call.form_data.files.get("upload")
    if upload is not None:
        return upload.name, upload.data
    file_name = call.form().get("file", "")
    if not file_name:
        raise InputError("a file", wanted="a file to upload, or one on the server", found="none")
    return file_name, find_file(call.service.settings.folder, file_name)


def _send_campaign(call: Call) -> Response:
    with call.service.store.read() as connection:
        steps = read_setup_steps(connection, call.service.library, call.service.topics)
    return JSONResponse({**vars(steps), "next": steps.first_open})


def _receive_campaign(call: Call) -> Response:
    data = call.json(optional=("name", "guidelines"))
    for key, value in data.items():
        if not isinstance(value, str):
            raise RefusedError(400, "bad-request", f"{key}: wanted a text")
    actions.change_campaign(call.service, call.caller.name, **data)
    return Response(status_code=204)


SETUP_ENDPOINTS = (
    Endpoint("GET", "/set-up/{token}", _show_first_visit, "anyone"),
    Endpoint("POST", "/set-up/{token}", _submit_first_visit, "anyone"),
    Endpoint("GET", "/invitations/{token}", _show_invitation, "anyone"),
    Endpoint("POST", "/invitations/{token}", _submit_invitation, "anyone"),
    Endpoint("GET", "/guidelines", _show_guidelines, "user"),
    Endpoint("POST", "/guidelines", _submit_guidelines, "user"),
    Endpoint("GET", "/organiser/campaign", _show_campaign, "organiser"),
    Endpoint("POST", "/organiser/campaign", _submit_campaign, "organiser", takes_files=True),
    Endpoint("GET", "/api/campaign", _send_campaign, "organiser"),
    Endpoint("POST", "/api/campaign", _receive_campaign, "organiser"),
)
