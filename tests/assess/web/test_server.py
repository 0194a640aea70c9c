"""The server derives the proxies that it trusts and the kind of its cookies from its address."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from doxel.assess.web.server import ServerAddress, adapt_settings, build_server, create_app, describe_trust
from doxel.assess.web.service import ServerSettings


@pytest.fixture(params=["sqlite"])
def database(request, new_database):
    """One database is enough for tests that do not depend on its kind."""
    return new_database[request.param]()


def test_the_cookie_is_secure_except_on_loopback():
    settings = adapt_settings(
        ServerAddress(host="0.0.0.0", public="https://assess.example.org"),  # noqa: S104
        ServerSettings(),
    )
    assert settings.secure
    assert settings.hosts is not None
    assert "assess.example.org" in settings.hosts
    assert adapt_settings(ServerAddress(host="192.0.2.1"), ServerSettings()).secure
    assert adapt_settings(ServerAddress(public="https://assess.example.org"), ServerSettings()).secure
    assert not adapt_settings(ServerAddress(), ServerSettings()).secure


@pytest.mark.parametrize(("public", "most"), [("https://assess.example.org", 35), (None, 30)])
def test_behind_a_proxy_one_guesser_does_not_lock_out_all_others(site, public, most):
    """The address of the client is taken from the proxy, and from nobody else."""
    config = build_server(create_app(site.service), ServerAddress(public=public)).config
    config.load()
    transport = httpx.ASGITransport(config.loaded_app, client=("127.0.0.1", 1))

    async def guess():
        codes = []
        async with httpx.AsyncClient(transport=transport, base_url=site.address) as client:
            for number in range(35):
                data = {"name": f"n{number}", "password": "wrong"}
                headers = {"x-forwarded-for": f"192.0.2.{number}"}
                codes.append((await client.post("/api/session", json=data, headers=headers)).status_code)
        return codes

    with ThreadPoolExecutor(1) as thread:  # where a browser was tested before, this one has a loop that runs
        statuses = thread.submit(asyncio.run, guess()).result()
    assert statuses == [401] * most + [429] * (35 - most)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (ServerAddress(), ["this machine only", "trusts no proxy", "sent over http"]),
        (ServerAddress("0.0.0.0"), ["other machines too", "trusts no proxy", "a proxy must"]),  # noqa: S104
        (
            ServerAddress(public="https://assess.example.org"),
            ["this machine only", "a proxy on this machine (127.0.0.1, ::1)", "a proxy must"],
        ),
    ],
)
def test_the_server_prints_the_connections_and_proxies_that_it_trusts(address, words):
    settings = adapt_settings(address, ServerSettings())
    sentences = describe_trust(address, settings)
    assert [word in sentence for word, sentence in zip(words, sentences, strict=False)] == [True] * 3
    assert sentences[3].startswith("keeps at most ")
    assert "10 s" in sentences[3]
