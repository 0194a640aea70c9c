"""Accounts and sessions: passwords are hashed, sessions expire, and no secret is in the database."""

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2.exceptions import InvalidHashError
from sqlalchemy import select

from doxel.assess.store import accounts
from doxel.assess.store.database_schema import SESSIONS, USERS
from doxel.assess.web import service
from doxel.errors import InputError

SLOW = accounts._hasher  # before other tests are spared it


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough for tests that do not depend on its kind."""
    return new_database[request.param]()


def test_passwords_are_stored_as_argon2id(monkeypatch):
    monkeypatch.setattr(accounts, "_hasher", SLOW)
    password_hash = accounts.hash_password("a long password")
    assert password_hash.startswith("$argon2id$v=19$")
    memory, rounds = map(int, re.search(r"m=(\d+),t=(\d+)", password_hash).groups())
    assert memory >= 19_456  # OWASP's least for argon2id: 19 MiB and 2 rounds
    assert rounds >= 2
    assert "a long password" not in password_hash


@pytest.mark.parametrize("password", ["", "short", "x" * 501])
def test_passwords_have_a_minimum_and_a_maximum_length(password):
    with pytest.raises(InputError, match="10 to 500 characters"):
        accounts.hash_password(password)


def test_there_is_no_default_user_or_password(store):
    with store.read() as connection:
        assert connection.execute(select(USERS)).all() == []


def test_the_database_does_not_contain_the_token(site):
    anna = site.visitor("anna")
    with site.service.store.read() as connection:
        rows = connection.execute(select(SESSIONS)).all()
    assert anna.http.cookies["doxel"] not in str(rows)


def test_sessions_expire(site, monkeypatch):
    """A session expires on time, although callers are cached for a second."""
    anna = site.visitor("anna")
    assert anna.get("/api/session").status_code == 200
    with site.service.store.read() as connection:
        expires = connection.execute(select(SESSIONS.c.expires)).scalar_one()
    assert 11.9 < (expires - accounts.now()) / 3_600_000 <= 12
    for module in (accounts, service):
        monkeypatch.setattr(module, "now", lambda: expires - 1)
    assert anna.get("/api/session").status_code == 200
    for module in (accounts, service):
        monkeypatch.setattr(module, "now", lambda: expires)
    assert anna.get("/api/session").json()["error"]["code"] == "not-signed-in"


def test_only_two_hashes_are_computed_at_once_also_the_first_of_nobody(monkeypatch):
    """Each takes 64 MB: the first unknown names, all at once, took a gigabyte."""
    counts, most, lock = [0], [0], threading.Lock()

    class Slow:
        def hash(self, _password):
            with lock:
                counts[0] += 1
                most[0] = max(most[0], counts[0])
            time.sleep(0.05)
            with lock:
                counts[0] -= 1
            return "a hash"

        def verify(self, _stored, _password):
            raise InvalidHashError

    monkeypatch.setattr(accounts, "_hasher", Slow)
    monkeypatch.setattr(accounts, "_hash_of_nobody", lambda: accounts._hasher().hash(""))
    with ThreadPoolExecutor(12) as callers:
        assert set(callers.map(lambda _: accounts.check_password(None, "guess"), range(12))) == {None}
    assert 1 <= most[0] <= 2
