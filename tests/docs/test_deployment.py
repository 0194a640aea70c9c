"""The server behind a real nginx, with the configuration of the page "Deploying safely"."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import httpx
import pytest

import doxel
from assess.processes import served
from assess.site_fixtures import PASSWORD, _hasty  # noqa: F401 -- a fixture
from doxel.assess.store.accounts import add_user, hash_password
from doxel.assess.store.database import open_store
from doxel.assess.store.database_schema import AUDIT

PAGE = Path(__file__).parents[2] / "docs" / "deploying-safely.md"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

pytestmark = pytest.mark.skipif(
    (NGINX is None or shutil.which("openssl") is None) and not os.environ.get("REQUIRE_NGINX"),
    reason="nginx or openssl is not installed: make system",
)

MAIN = """daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
{user}
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/doxel.conf;
}}
"""


def find_free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def configure(folder, backend, https, http):
    """Write the page's configuration with the ports and the certificate of this test."""
    (text,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    for old, new in (
        ("listen 80;", f"listen 127.0.0.1:{http};"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{https} ssl;"),
        ("http://127.0.0.1:8080", backend),
        ("/etc/ssl/certs/assess.example.org.pem", str(certificate)),
        ("/etc/ssl/private/assess.example.org.key", str(key)),
    ):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (folder / "doxel.conf").write_text(text)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user))
    subject = ["-subj", "/CN=assess.example.org", "-addext", "subjectAltName=DNS:assess.example.org"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """Yield the port of nginx for https and for http, the certificate and the database behind it."""
    folder = tmp_path_factory.mktemp("nginx")
    (folder / "a.xml").write_text("<a>apples</a>")
    doxel.ingest(folder / "a.xml", folder / "c.doxel")
    database = folder / "assess.sqlite"
    with open_store(str(database)) as store, store.write() as connection:
        add_user(connection, "olga", hash_password(PASSWORD), "organiser")
    https, http = find_free_port(), find_free_port()
    public = f"https://assess.example.org:{https}"
    with served("-c", folder / "c.doxel", "--database", database, "--public-url", public) as server:
        assert any("trusts a proxy on this machine (127.0.0.1, ::1)" in line for line in server.lines)
        certificate = configure(folder, server.address, https, http)
        command = [NGINX, "-p", folder, "-c", folder / "nginx.conf"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            wait_for(https, process, folder)
            yield https, http, certificate, database
        finally:
            process.terminate()
            process.wait(60)
            process.stderr.close()


def wait_for(port, process, folder):
    for _ in range(3000):
        if process.poll() is not None:
            pytest.fail((folder / "error.log").read_text())
        try:
            socket.create_connection(("127.0.0.1", port), timeout=60).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return


@pytest.fixture
def client(proxy):
    """Yield a client that reaches the public name through nginx, and trusts its certificate alone."""
    https, _, certificate, _ = proxy
    context = ssl.create_default_context(cafile=str(certificate))
    address = f"https://127.0.0.1:{https}"
    headers = {"host": f"assess.example.org:{https}"}
    with httpx.Client(base_url=address, verify=context, headers=headers, timeout=300) as client:
        client.event_hooks["request"] = [set_server_name]
        yield client


def set_server_name(request):
    request.extensions["sni_hostname"] = "assess.example.org"


def sign_in(client, password=PASSWORD, **headers):
    return client.post("/api/session", json={"name": "olga", "password": password}, headers=headers)


def test_the_server_answers_through_nginx(client):
    assert client.get("/api/health").status_code == 200
    answer = client.get("/")
    assert answer.status_code == 303
    assert answer.headers["strict-transport-security"]


def test_people_sign_in_with_cookies_for_https_alone(client, proxy):
    origin = f"https://assess.example.org:{proxy[0]}"
    answer = sign_in(client, origin=origin)
    assert answer.status_code == 200, answer.text
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-doxel=")
    assert "Secure" in cookie
    assert sign_in(client, origin="https://evil.example").status_code == 403


def test_http_leads_to_https(proxy):
    answer = httpx.get(f"http://127.0.0.1:{proxy[1]}/x", headers={"host": "assess.example.org"}, timeout=300)
    assert (answer.status_code, answer.headers["location"]) == (301, "https://assess.example.org/x")


def test_a_client_cannot_choose_its_address(client, proxy):
    """The audit log has the address that nginx saw, not the one that the client claims."""
    assert sign_in(client, "a wrong password", **{"x-forwarded-for": "192.0.2.7"}).status_code == 401
    with open_store(str(proxy[3])) as store, store.read() as connection:
        details = [str(row) for row in connection.execute(AUDIT.select())]
    assert any("sign-in refused" in detail and "127.0.0.1" in detail for detail in details)
    assert not any("192.0.2.7" in detail for detail in details)


def test_a_large_body_is_refused(client):
    assert client.post("/api/session", content=b"x" * 2_000_000).status_code == 413
