"""The front door: the first organiser, the set-up of an empty server, invitations and guidelines."""

import re
import shutil

import pytest
from sqlalchemy import select, update

from assess.site_fixtures import PASSWORD, Site
from doxel.assess.assessment_setup import AssessmentSetup
from doxel.assess.store.accounts import list_users
from doxel.assess.store.database import open_store
from doxel.assess.store.database_schema import INVITATIONS, SESSIONS, USERS
from doxel.assess.store.invitations import OneTimeToken
from doxel.assess.store.pooled_documents import Library, list_topics
from doxel.assess.web.server import create_app, open_service
from doxel.assess.web.service import ServerSettings

POOL = '{"topic": "1", "doc": "apples", "order": 1}\n{"topic": "1", "doc": "pears", "order": 2}\n'
TOPICS = '{"id": "1", "title": "ripe fruit"}\n'


@pytest.fixture
def empty(new_database, tmp_path, library, stage):
    """A server without anything, and a folder with a collection, topics and a pool."""
    folder = tmp_path / "files"
    shutil.copytree(library.collection.folder, folder / "deep" / "fruit.doxel")
    (folder / "topics.jsonl").write_text(TOPICS)
    (folder / "pool.jsonl").write_text(POOL)
    (tmp_path / "secret.jsonl").write_text(POOL)
    with open_store(new_database["sqlite"]()) as store:
        settings = ServerSettings(folder=folder)
        with open_service(store, Library(None), None, settings, first_token=OneTimeToken()) as service:
            stage.app = create_app(service)
            site = Site(service, stage.port)
            yield site
            site.close()


def word(page):
    return re.search(r'name="word" value="([^"]+)"', page.text).group(1)


def csrf(visitor, path="/organiser/campaign"):
    match = re.search(r'name="csrf" value="([^"]+)"', visitor.get(path).text)
    visitor.csrf = match.group(1)
    return visitor


def first(empty, name="olga", password=PASSWORD, token=None):
    """Open the first address, and become the organiser."""
    visitor = empty.visitor()
    path = f"/set-up/{token or empty.service.first_token.text}"
    page = visitor.get(path)
    if page.status_code != 200:
        return visitor, page
    data = {"name": name, "password": password, "word": word(page)}
    return visitor, visitor.http.post(path, data=data)


def test_the_first_visitor_with_the_token_becomes_the_organiser(empty):
    visitor, answer = first(empty)
    assert (answer.status_code, answer.headers["location"]) == (303, "/organiser/campaign")
    page = visitor.get("/organiser/campaign")
    assert "Welcome, olga." in page.text
    assert "Welcome, olga." not in visitor.get("/organiser/campaign").text  # shown once
    with empty.service.store.read() as connection:
        assert [(user.name, user.role) for user in list_users(connection)] == [("olga", "organiser")]


def test_the_first_token_is_valid_once(empty):
    token = empty.service.first_token.text
    first(empty)
    _, again = first(empty, "mallory", token=token)
    assert again.status_code == 404
    with empty.service.store.read() as connection:
        assert len(list_users(connection)) == 1


@pytest.mark.parametrize("guess", ["x", "", "0" * 43])
def test_a_guessed_token_opens_nothing(empty, guess):
    visitor = empty.visitor()
    assert visitor.get(f"/set-up/{guess}").status_code == 404
    data = {"name": "mallory", "password": PASSWORD, "word": "x"}
    assert visitor.http.post(f"/set-up/{guess}", data=data).status_code in {404, 405}
    with empty.service.store.read() as connection:
        assert not list_users(connection)


def test_a_wrong_password_keeps_the_name_and_the_token(empty):
    visitor, answer = first(empty, password="short")  # noqa: S106 -- is refused
    assert answer.status_code == 400
    assert 'value="olga"' in answer.text
    assert "10 to 500 characters" in answer.text
    assert empty.service.first_token.fits(empty.service.first_token.text)
    assert first(empty)[1].status_code == 303
    assert visitor.get("/").status_code == 303


def test_the_sign_in_page_of_an_empty_server_shows_where_to_begin(empty):
    assert "Nobody can sign in yet" in empty.visitor().get("/sign-in").text
    first(empty)
    assert "Nobody can sign in yet" not in empty.visitor().get("/sign-in").text


def submit(visitor, action, *, upload=None, **fields):
    data = {"csrf": visitor.csrf, "action": action, **fields}
    files = {"upload": upload if upload is not None else ("", b"")}
    return visitor.http.post("/organiser/campaign", data=data, files=files)


def test_a_campaign_is_set_up_from_files_on_the_server(empty):
    olga = csrf(first(empty)[0])
    page = olga.get("/organiser/campaign").text
    for name in ("deep/fruit.doxel", "topics.jsonl", "pool.jsonl"):
        assert f">{name}</option>" in page
    for action, fields, notice in (
        ("name", {"name": "Spring"}, "The name is saved."),
        ("documents", {"file": "deep/fruit.doxel"}, "3 documents in the collection."),
        ("topics", {"file": "topics.jsonl"}, "1 topic is saved."),
        ("pool", {"file": "pool.jsonl"}, "2 documents added to the pool."),
        ("guidelines", {"guidelines": "# Be *fair*"}, "The guidelines are saved"),
    ):
        assert submit(olga, action, **fields).status_code == 303
        assert notice in olga.get("/organiser/campaign").text
    campaign = olga.get("/api/campaign").json()
    assert (campaign["name"], campaign["documents"], campaign["topics"], campaign["next"]) == (
        "Spring",
        3,
        1,
        "people",
    )
    assert "<em>fair</em>" in olga.get("/guidelines").text
    assert "Spring" in empty.visitor().get("/sign-in").text


def test_topics_and_pools_are_uploaded(empty):
    olga = csrf(first(empty)[0])
    assert submit(olga, "documents", file="deep/fruit.doxel").status_code == 303
    assert submit(olga, "topics", upload=("mine.jsonl", TOPICS.encode())).status_code == 303
    assert submit(olga, "pool", upload=("mine.jsonl", POOL.encode())).status_code == 303
    with empty.service.store.read() as connection:
        assert list_topics(connection) == [("1", 2)]
    assert empty.service.topics["1"].title == "ripe fruit"


def test_a_large_pool_is_accepted_from_organisers_only(empty):
    olga = csrf(first(empty)[0])
    submit(olga, "documents", file="deep/fruit.doxel")
    filler = b'{"topic": "1", "doc": "apples", "order": 1, "x": "' + b"y" * 2_000_000 + b'"}\n'
    assert submit(olga, "pool", upload=("large.jsonl", filler)).status_code == 303
    stranger = empty.visitor()
    stranger.csrf = "x"
    assert submit(stranger, "pool", upload=("large.jsonl", filler)).status_code == 413


@pytest.mark.parametrize(
    ("action", "fields", "message"),
    [
        ("documents", {"file": "../secret.jsonl"}, "wanted a file in the server&#39;s folder"),
        ("documents", {"file": "/etc"}, "wanted a file in the server&#39;s folder"),
        ("documents", {"file": "topics.jsonl"}, "topics.jsonl"),
        ("topics", {}, "a file to upload, or one on the server"),
        ("topics", {"file": "../secret.jsonl"}, "wanted a file in the server&#39;s folder"),
        ("topics", {"upload": ("x.xml", b"nonsense")}, "not a known format of topics"),
        ("pool", {"upload": ("x.jsonl", POOL.encode())}, "documents, chosen before the pool"),
        ("name", {"name": "x" * 201}, "at most 200 characters"),
    ],
)
def test_errors_are_shown_at_the_form_and_keep_the_input(empty, action, fields, message):
    olga = csrf(first(empty)[0])
    answer = submit(olga, action, **fields)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert message in answer.text
    if action == "name":
        assert "x" * 201 in answer.text


def test_the_set_up_survives_a_restart(empty, tmp_path):
    olga = csrf(first(empty)[0])
    submit(olga, "documents", file="deep/fruit.doxel")
    submit(olga, "topics", file="topics.jsonl")
    setup = AssessmentSetup(empty.service.store.name)
    assert len(setup.find_library().collection) == 3
    assert setup.read_topics(empty.service.store)["1"].title == "ripe fruit"
    assert AssessmentSetup(str(tmp_path / "none.sqlite")).find_library().is_empty
    assert not (tmp_path / "none.sqlite").exists()


def invitation(site, name="gina", role="assessor"):
    olga = site.visitor("olga")
    answer = olga.post("/api/invitations", {"name": name, "role": role})
    assert answer.status_code == 201, answer.text
    return answer.json()["link"].removeprefix(site.address)


def accept(visitor, path, password="another long password"):  # noqa: S107 -- of a test
    page = visitor.get(path)
    if page.status_code != 200:
        return page
    return visitor.http.post(path, data={"password": password, "word": word(page)})


def test_an_invited_person_chooses_a_password_and_is_signed_in(site):
    path = invitation(site)
    gina = site.visitor()
    assert "Welcome, gina" in gina.get(path).text
    assert accept(gina, path).headers["location"] == "/"
    assert gina.get("/api/session").json()["name"] == "gina"
    assert site.visitor().sign_in("gina", "another long password")


def test_looking_at_an_invitation_does_not_use_it_up(site):
    path = invitation(site)
    for _ in range(3):
        assert site.visitor().get(path).status_code == 200
    assert accept(site.visitor(), path).status_code == 303


def test_an_invitation_is_used_once(site):
    path = invitation(site)
    assert accept(site.visitor(), path).status_code == 303
    again = accept(site.visitor(), path, "a third long password")
    assert again.status_code == 404
    assert "ask an organiser for a new one" in again.text
    site.visitor().sign_in("gina", "another long password")


def test_an_expired_invitation_is_refused(site):
    path = invitation(site)
    visitor = site.visitor()
    page = visitor.get(path)
    with site.service.store.write() as connection:
        connection.execute(update(INVITATIONS).values(expires=1))
    data = {"password": "another long password", "word": word(page)}
    assert visitor.http.post(path, data=data).status_code == 404
    assert visitor.get(path).status_code == 404


def test_nobody_can_sign_in_before_accepting(site):
    invitation(site)
    answer = site.visitor().http.post("/api/session", json={"name": "gina", "password": ""})
    assert answer.status_code == 401


def test_an_invitation_needs_the_form_of_this_site(site):
    path = invitation(site)
    answer = site.visitor().http.post(path, data={"password": "another long password", "word": "x"})
    assert answer.status_code == 403
    other = {"origin": "https://elsewhere.example"}
    data = {"password": "another long password", "word": "x"}
    assert site.visitor().http.post(path, data=data, headers=other).status_code == 403


def test_a_short_password_is_refused_and_the_link_stays_valid(site):
    path = invitation(site)
    answer = accept(site.visitor(), path, "short")
    assert answer.status_code == 400
    assert "10 to 500 characters" in answer.text
    assert accept(site.visitor(), path).status_code == 303


def test_a_new_link_ends_sessions_only_when_it_is_used(site):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    link = olga.post("/api/users/1/invitation").json()["link"].removeprefix(site.address)
    assert anna.get("/api/session").status_code == 200
    site.visitor().sign_in("anna")  # the old password is valid until then
    assert accept(site.visitor(), link).status_code == 303
    assert anna.get("/api/session").status_code == 401
    assert site.visitor().sign_in("anna", "another long password")


def test_assessors_read_the_guidelines_before_their_first_document(site):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    page = "/assignments/1/documents/apples"
    assert anna.get(page).status_code == 200
    olga.post("/api/campaign", {"guidelines": "# Fair"})
    answer = anna.get(page)
    assert answer.headers["location"] == "/guidelines?next=%2Fassignments%2F1%2Fdocuments%2Fapples"
    assert "go on" in anna.get(answer.headers["location"]).text
    assert "Read the guidelines first" in anna.get("/").text
    assert anna.form("/guidelines", next=page).headers["location"] == page
    assert anna.get(page).status_code == 200
    assert olga.get(page).status_code == 200  # organisers only look
    olga.post("/api/campaign", {"guidelines": "# Fairer"})
    with site.service.store.write() as connection:
        connection.exec_driver_sql("UPDATE guideline_readings SET at = 1")
    assert anna.get(page).status_code == 303


@pytest.mark.parametrize(
    "target", ["https://elsewhere.example", "//elsewhere.example", "/\\elsewhere", "/organiser", "x", ""]
)
def test_guidelines_lead_only_to_assignments(site, target):
    assert site.visitor("anna").form("/guidelines", next=target).headers["location"] == "/"


def test_first_visits_and_invitations_leave_no_secret_in_the_database(site):
    path = invitation(site)
    with site.service.store.read() as connection:
        rows = [
            tuple(row)
            for table in (USERS, SESSIONS, INVITATIONS)
            for row in connection.execute(select(table))
        ]
    assert path.rpartition("/")[2] not in str(rows)
