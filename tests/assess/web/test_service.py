"""The service: its settings are fixed, and its cache forgets a session in time."""

import time
from dataclasses import replace

import pytest

from doxel.assess.store import accounts
from doxel.assess.store.database_schema import SESSIONS
from doxel.assess.web import service
from doxel.assess.web.service import ServerSettings


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough for tests that do not depend on its kind."""
    return new_database[request.param]()


def test_revocations_by_another_process_take_effect_within_a_second(site, event, monkeypatch):
    anna = site.visitor("anna")
    assert anna.send(1, event(1)).status_code == 200
    with site.service.store.write() as connection:
        connection.execute(SESSIONS.delete())
    monkeypatch.setattr(site.service.recent, "_clock", lambda: time.monotonic() + 1.1)
    assert anna.send(1, event(2)).status_code == 401


def test_the_session_cache_never_returns_data_from_before_a_change():
    """This holds even if the change happens while the data is being cached."""
    session = accounts.Session(1, "anna", "assessor", "word", 1 << 60, "anna-1")

    def clock():
        if not cache.changes:
            cache.forget()
        return 0.0

    cache = service.SessionCache(clock)
    cache.put("token", None, (session, None), cache.changes)
    assert cache.get("token", None) is None
    cache.put("token", None, (session, None), cache.changes)
    assert cache.get("token", None) == (session, None)


def test_settings_are_frozen():
    with pytest.raises(AttributeError):
        ServerSettings().secure = True
    assert replace(ServerSettings(), secure=True).secure
