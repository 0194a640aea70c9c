"""Signing in and out, passwords and revoked sessions: each attack must fail."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from assess.site_fixtures import PASSWORD
from doxel.assess.store import accounts
from doxel.assess.web import actions
from doxel.assess.web.service import ServerSettings


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough for tests that do not depend on its kind."""
    return new_database[request.param]()


def sign_in(visitor, name="anna", password=PASSWORD):
    return visitor.http.post("/api/session", json={"name": name, "password": password})


def cookie_of(answer):
    return answer.headers["set-cookie"]


# Passwords


def test_a_new_password_ends_all_sessions(site):
    first, second = site.visitor("anna"), site.visitor("anna")
    answer = first.post("/api/password", {"old": PASSWORD, "new": "another long one"})
    assert answer.status_code == 204
    assert [visitor.get("/api/session").status_code for visitor in (first, second)] == [401, 401]
    assert sign_in(site.visitor()).status_code == 401
    assert sign_in(site.visitor(), password="another long one").status_code == 200  # noqa: S106


def test_changing_the_own_password_needs_the_old_one(site):
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


class TestSecure:
    @pytest.fixture
    def settings(self):
        return ServerSettings(secure=True)

    def test_cookies_and_headers_require_https(self, site):
        answer = sign_in(site.visitor())
        cookie = cookie_of(answer)
        assert cookie.startswith("__Host-doxel=")
        assert cookie.endswith("; Secure")
        assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_malformed_cookies_of_other_servers_do_no_harm(site):
    """Other servers on localhost may set cookies that break every rule."""
    anna = site.visitor("anna")
    token = anna.http.cookies["doxel"]
    for other in ('a={"b": 1}', "x y=1", "[a]=1", "=", "; ;"):
        headers = {"cookie": f"{other}; doxel={token}"}
        assert site.visitor().get("/api/session", headers=headers).status_code == 200, other


def test_every_sign_in_gives_a_new_token_and_ends_the_old_session(site):
    anna = site.visitor("anna")
    old = anna.http.cookies["doxel"]
    anna.sign_in("anna")
    assert anna.http.cookies["doxel"] != old
    with httpx.Client(base_url=site.address, cookies={"doxel": old}) as thief:
        assert thief.get("/api/session").status_code == 401


def test_a_planted_token_is_not_adopted(site):
    planted = "a" * 43
    with httpx.Client(base_url=site.address, cookies={"doxel": planted}) as browser:
        answer = browser.post("/api/session", json={"name": "anna", "password": PASSWORD})
    assert answer.status_code == 200
    assert planted not in cookie_of(answer)


def test_revocations_by_the_server_take_effect_at_once(site, event):
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


def test_a_disabled_user_is_signed_out_at_once_and_cannot_sign_in(site):
    anna, olga = site.visitor("anna"), site.visitor("olga")
    olga.post("/api/users/1/disabled", {"disabled": True})
    assert anna.get("/api/session").status_code == 401
    assert sign_in(site.visitor()).json()["error"]["code"] == "wrong-credentials"
    olga.post("/api/users/1/disabled", {"disabled": False})
    assert sign_in(site.visitor()).status_code == 200


def test_organisers_cannot_disable_themselves(site):
    answer = site.visitor("olga").post("/api/users/3/disabled", {"disabled": True})
    assert answer.status_code == 400


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

    nobody = accounts._hash_of_nobody()
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


def test_parallel_guesses_get_no_more_answers_than_sequential_ones(site, monkeypatch):
    """All guesses pass the first check before any has failed; even the right one is then not answered."""
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
        statuses = sorted(guess.result().status_code for guess in wrong)
        last.set()
    assert statuses == [401] * 5 + [429] * 3
    assert right.result() == 429


def test_signing_in_on_the_page_is_throttled_too(site):
    visitor = site.visitor()
    statuses = []
    for _ in range(6):
        word = re.search(r'name="word" value="([^"]+)"', visitor.get("/sign-in").text).group(1)
        fields = {"name": "anna", "password": "wrong password", "word": word}
        statuses.append(visitor.http.post("/sign-in", data=fields).status_code)
    assert statuses == [401] * 5 + [429]


def test_too_many_people_signing_in_at_once_are_asked_to_try_again(site, monkeypatch):
    """Each check takes 64 MB and a thread; the others go on working."""
    anna = site.visitor("anna")
    monkeypatch.setattr(accounts, "_WAITING", threading.Semaphore(0))
    answer = sign_in(site.visitor())
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "busy")
    assert answer.headers["retry-after"] == "1"
    assert anna.get("/api/assignments").status_code == 200


def test_waiting_for_a_password_to_be_checked_ends_with_the_check(site, monkeypatch):
    monkeypatch.setattr(accounts, "_WAITING", threading.Semaphore(1))
    for _ in range(3):
        assert sign_in(site.visitor()).status_code == 200
        assert sign_in(site.visitor(), password="wrong").status_code == 401  # noqa: S106
