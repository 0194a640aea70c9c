"""Who may sign in, for how long, and how guessing is slowed down: each promise, broken on purpose."""

import asyncio
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from sqlalchemy import select

from assess.conftest import PASSWORD
from doxel.assess import accounts, actions, recent, sessions
from doxel.assess.app import create_app
from doxel.assess.schema import SESSIONS, USERS
from doxel.assess.service import Settings
from doxel.assess.serving import Address, server_for, settings_for
from doxel.errors import InputError

SLOW = accounts._hasher  # before other tests are spared it


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough where it plays no part."""
    return new_database[request.param]()


def sign_in(visitor, name="anna", password=PASSWORD):
    return visitor.http.post("/api/session", json={"name": name, "password": password})


def cookie_of(answer):
    return answer.headers["set-cookie"]


# Passwords


def test_passwords_are_kept_as_argon2id(monkeypatch):
    monkeypatch.setattr(accounts, "_hasher", SLOW)
    made = accounts.hash_password("a long password")
    assert made.startswith("$argon2id$v=19$")
    memory, rounds = map(int, re.search(r"m=(\d+),t=(\d+)", made).groups())
    assert memory >= 19_456  # OWASP's least for argon2id: 19 MiB and 2 rounds
    assert rounds >= 2
    assert "a long password" not in made


@pytest.mark.parametrize("password", ["", "short", "x" * 501])
def test_passwords_have_a_least_and_a_greatest_length(password):
    with pytest.raises(InputError, match="10 to 500 characters"):
        accounts.hash_password(password)


def test_there_is_no_default_user_or_password(store):
    with store.read() as connection:
        assert connection.execute(select(USERS)).all() == []


def test_a_new_password_ends_all_sessions(site):
    first, second = site.visitor("anna"), site.visitor("anna")
    answer = first.post("/api/password", {"old": PASSWORD, "new": "another long one"})
    assert answer.status_code == 204
    assert [one.get("/api/session").status_code for one in (first, second)] == [401, 401]
    assert sign_in(site.visitor()).status_code == 401
    assert sign_in(site.visitor(), password="another long one").status_code == 200  # noqa: S106


def test_ones_own_password_needs_the_old_one(site):
    anna = site.visitor("anna")
    answer = anna.post("/api/password", {"old": "not it at all", "new": "another long one"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "wrong-credentials")
    assert anna.get("/api/session").status_code == 200


# Sessions


def test_the_cookie_is_httponly_and_samesite(site):
    cookie = cookie_of(sign_in(site.visitor()))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie
    assert "Secure" not in cookie  # on loopback there is no https


def test_the_cookie_is_secure_away_from_this_machine():
    settings = settings_for(Address(host="0.0.0.0", public="https://assess.example.org"), Settings())  # noqa: S104
    assert settings.secure
    assert settings.hosts is not None
    assert "assess.example.org" in settings.hosts
    assert settings_for(Address(host="192.0.2.1"), Settings()).secure
    assert settings_for(Address(public="https://assess.example.org"), Settings()).secure
    assert not settings_for(Address(), Settings()).secure


class TestSecure:
    @pytest.fixture
    def settings(self):
        return Settings(secure=True)

    def test_cookies_and_headers_insist_on_https(self, site):
        answer = sign_in(site.visitor())
        cookie = cookie_of(answer)
        assert cookie.startswith("__Host-doxel=")
        assert cookie.endswith("; Secure")
        assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_cookies_of_others_on_the_same_host_do_no_harm(site):
    """They may follow no rule at all; on localhost there are many."""
    anna = site.visitor("anna")
    token = anna.http.cookies["doxel"]
    for other in ('a={"b": 1}', "x y=1", "[a]=1", "=", "; ;"):
        headers = {"cookie": f"{other}; doxel={token}"}
        assert site.visitor().get("/api/session", headers=headers).status_code == 200, other


def test_the_token_is_new_at_every_sign_in_and_the_old_one_ends(site):
    anna = site.visitor("anna")
    old = anna.http.cookies["doxel"]
    anna.sign_in("anna")
    assert anna.http.cookies["doxel"] != old
    with httpx.Client(base_url=site.address, cookies={"doxel": old}) as thief:
        assert thief.get("/api/session").status_code == 401


def test_a_token_that_was_planted_is_not_taken_over(site):
    planted = "a" * 43
    with httpx.Client(base_url=site.address, cookies={"doxel": planted}) as browser:
        answer = browser.post("/api/session", json={"name": "anna", "password": PASSWORD})
    assert answer.status_code == 200
    assert planted not in cookie_of(answer)


def test_the_database_does_not_hold_the_token(site):
    anna = site.visitor("anna")
    with site.service.store.read() as connection:
        rows = connection.execute(select(SESSIONS)).all()
    assert anna.http.cookies["doxel"] not in str(rows)


def test_sessions_expire(site, monkeypatch):
    """At the very moment, though who has just called is remembered for a second."""
    anna = site.visitor("anna")
    assert anna.get("/api/session").status_code == 200
    with site.service.store.read() as connection:
        expires = connection.execute(select(SESSIONS.c.expires)).scalar_one()
    assert 11.9 < (expires - sessions.now()) / 3_600_000 <= 12
    for module in (sessions, recent):
        monkeypatch.setattr(module, "now", lambda: expires - 1)
    assert anna.get("/api/session").status_code == 200
    for module in (sessions, recent):
        monkeypatch.setattr(module, "now", lambda: expires)
    assert anna.get("/api/session").json()["error"]["code"] == "not-signed-in"


def test_what_another_process_revokes_is_revoked_within_a_second(site, event, monkeypatch):
    anna = site.visitor("anna")
    assert anna.send(1, event(1)).status_code == 200
    with site.service.store.write() as connection:
        connection.execute(SESSIONS.delete())
    monkeypatch.setattr(site.service.recent, "_clock", lambda: time.monotonic() + 1.1)
    assert anna.send(1, event(2)).status_code == 401


def test_what_the_server_revokes_is_revoked_at_once(site, event):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    assert anna.send(1, event(1)).status_code == 200
    olga.post("/api/users/1/disabled", {"disabled": True})
    assert anna.send(1, event(2)).status_code == 401


def test_signing_out_ends_the_session_on_the_server(site):
    anna = site.visitor("anna")
    token = anna.http.cookies["doxel"]
    answer = anna.delete("/api/session")
    assert answer.status_code == 204
    assert "Max-Age=0" in cookie_of(answer)
    with httpx.Client(base_url=site.address, cookies={"doxel": token}) as thief:
        assert thief.get("/api/session").status_code == 401


def test_organisers_revoke_sessions(site):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    assert olga.delete("/api/users/1/sessions").status_code == 204
    assert anna.get("/api/session").status_code == 401


def test_who_is_disabled_is_out_at_once_and_cannot_come_back(site):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    olga.post("/api/users/1/disabled", {"disabled": True})
    assert anna.get("/api/session").status_code == 401
    assert sign_in(site.visitor()).json()["error"]["code"] == "wrong-credentials"
    olga.post("/api/users/1/disabled", {"disabled": False})
    assert sign_in(site.visitor()).status_code == 200


def test_an_organiser_cannot_lock_themselves_out(site):
    answer = site.visitor("olga").post("/api/users/3/disabled", {"disabled": True})
    assert answer.status_code == 400


def test_nobody_is_remembered_as_they_were_before_a_change():
    """Also when a change comes in the very moment in which they are remembered."""
    session = sessions.Session(1, "anna", "assessor", "word", 1 << 60, "anna-1")

    def clock():
        if not known.changes:
            known.forget()
        return 0.0

    known = recent.Recent(clock)
    known.put("token", None, (session, None), known.changes)
    assert known.get("token", None) is None
    known.put("token", None, (session, None), known.changes)
    assert known.get("token", None) == (session, None)


# Sign-in


def test_unknown_users_and_wrong_passwords_get_the_same_answer(site):
    visitor = site.visitor()
    answers = [sign_in(visitor, name, "not the password") for name in ("anna", "nobody-of-that-name")]
    assert {answer.status_code for answer in answers} == {401}
    assert answers[0].content == answers[1].content
    assert {"set-cookie"} & {*answers[0].headers, *answers[1].headers} == set()


def test_a_hash_is_checked_for_unknown_users_too(site, monkeypatch):
    checked = []
    real = accounts._hasher().verify

    class Watching:
        def verify(self, stored, password):
            checked.append(stored)
            return real(stored, password)

    nobody = accounts._nobody()
    monkeypatch.setattr(accounts, "_hasher", Watching)
    sign_in(site.visitor(), "nobody-of-that-name", "not the password")
    assert checked == [nobody]


@pytest.mark.parametrize("name", ["anna", "nobody-of-that-name"])
def test_guessing_is_throttled_for_known_and_unknown_users_alike(site, name):
    visitor = site.visitor()
    statuses = [sign_in(visitor, name, f"wrong password {number}").status_code for number in range(7)]
    assert statuses == [401] * 5 + [429] * 2
    answer = sign_in(visitor, name)  # even the right one has to wait
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "throttled")
    assert 0 < int(answer.headers["retry-after"]) <= 300


def test_of_guesses_all_at_once_no_more_are_answered_than_in_turn(site, monkeypatch):
    """All are let through before one has failed; then the right one is not told either."""
    together, last, check = threading.Barrier(9), threading.Event(), actions.check_password

    def check_together(credentials, password):
        user = check(credentials, password)
        together.wait(20)
        assert user is None or last.wait(20)
        return user

    monkeypatch.setattr(actions, "check_password", check_together)
    with ThreadPoolExecutor(9) as guessing:
        right = guessing.submit(lambda: sign_in(site.visitor()).status_code)
        wrong = [guessing.submit(lambda: sign_in(site.visitor(), password="wrong")) for _ in range(8)]  # noqa: S106
        told = sorted(one.result().status_code for one in wrong)
        last.set()
    assert told == [401] * 5 + [429] * 3
    assert right.result() == 429


@pytest.mark.parametrize(("public", "most"), [("https://assess.example.org", 35), (None, 30)])
def test_behind_another_server_one_who_guesses_does_not_keep_all_others_out(site, public, most):
    """The one in front says who calls; nobody else is believed."""
    config = server_for(create_app(site.service), Address(public=public)).config
    config.load()
    transport = httpx.ASGITransport(config.loaded_app, client=("127.0.0.1", 1))

    async def guess():
        told = []
        async with httpx.AsyncClient(transport=transport, base_url=site.address) as client:
            for number in range(35):
                data = {"name": f"n{number}", "password": "wrong"}
                headers = {"x-forwarded-for": f"192.0.2.{number}"}
                told.append((await client.post("/api/session", json=data, headers=headers)).status_code)
        return told

    with ThreadPoolExecutor(1) as thread:  # where a browser was tested before, this one has a loop that runs
        told = thread.submit(asyncio.run, guess()).result()
    assert told == [401] * most + [429] * (35 - most)


def test_signing_in_on_the_page_is_throttled_too(site):
    visitor = site.visitor()
    statuses = []
    for _ in range(6):
        word = re.search(r'name="word" value="([^"]+)"', visitor.get("/sign-in").text).group(1)
        fields = {"name": "anna", "password": "wrong password", "word": word}
        statuses.append(visitor.http.post("/sign-in", data=fields).status_code)
    assert statuses == [401] * 5 + [429]
