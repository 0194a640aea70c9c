"""Connections: half-sent requests, slow bodies and too many connections do not keep others out."""

import queue
import resource
import socket
import threading
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from assess.processes import served
from doxel.assess.web.connections import ACCEPTED_AT_ONCE, ConnectionLimits, choose_limits
from doxel.assess.web.server import ServerAddress, build_server

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
LONG = 600  # seconds that nothing in these tests takes


async def answer_with_size(scope, receive, send):
    """Answer with the size of the body; an address /hold waits until the client is gone."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    if scope["path"] == "/hold":
        await receive()
        return
    body = str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def listening(limits):
    started = queue.Queue()
    server = build_server(answer_with_size, ServerAddress(port=0), started.put, limits)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield started.get(timeout=300)
    finally:
        server.should_exit = server.force_exit = True
        thread.join()


def connect(port, content=b"", source="127.0.0.1"):
    connection = socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(source, 0))
    connection.sendall(content)
    return connection


def read_all(connection):
    """Return everything that the server sends until it closes the connection."""
    received = b""
    try:
        while piece := connection.recv(4096):
            received += piece
    except ConnectionResetError:
        pass
    connection.close()
    return received


def is_open(connection):
    """Return whether a server keeps a connection with a half-sent request: it sends nothing."""
    connection.settimeout(0.2)
    try:
        connection.recv(1)
    except TimeoutError:
        return True
    except ConnectionResetError:
        pass
    return False


GET = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n"


@pytest.mark.parametrize("content", [b"", b"G", HALF])
def test_a_head_that_does_not_arrive_is_not_waited_for(content):
    with listening(ConnectionLimits(head_seconds=0.2, body_seconds=LONG)) as port:
        assert read_all(connect(port, content)).startswith(b"HTTP/1.1 408 ")


def test_a_head_that_arrives_bit_by_bit_gets_no_more_time():
    with listening(ConnectionLimits(head_seconds=0.5, body_seconds=LONG)) as port:
        connection = connect(port, HALF)
        assert any(is_refused_after(connection, b"x") for _ in range(200))  # far longer than the limit
        connection.close()


def is_refused_after(connection, piece):
    """Send a piece of a request, and return whether the server has closed the connection."""
    try:
        connection.sendall(piece)
    except OSError:
        return True
    return not is_open(connection)


def test_a_body_that_does_not_arrive_is_not_waited_for():
    with listening(ConnectionLimits(head_seconds=LONG, body_seconds=0.2)) as port:
        assert read_all(connect(port, POST + b"12345")).startswith(b"HTTP/1.1 408 ")


def test_the_second_request_of_a_connection_is_not_waited_for_either():
    with listening(ConnectionLimits(head_seconds=2, body_seconds=LONG)) as port:
        connection = connect(port, POST + b"1234567890")
        assert b"200 OK" in connection.recv(4096)
        connection.sendall(HALF)
        assert b"HTTP/1.1 408 " in read_all(connection)


@pytest.mark.integration
def test_a_request_that_is_being_answered_has_no_limit():
    with listening(ConnectionLimits(head_seconds=2, body_seconds=2)) as port:
        connection = connect(port, GET.replace(b"/ ", b"/hold ", 1))
        threading.Event().wait(2.5)
        assert is_open(connection)
        connection.close()


def test_one_connection_too_many_of_an_address_closes_its_oldest_half_sent_one():
    with (
        listening(ConnectionLimits(total=10, per_address=2, head_seconds=LONG)) as port,
        ExitStack() as stack,
    ):
        other = stack.enter_context(connect(port, HALF, source="127.0.0.2"))
        first, second = (stack.enter_context(connect(port, HALF)) for _ in range(2))
        assert read_all(connect(port, GET)).endswith(b"0")
        assert not is_open(first)
        assert is_open(second)
        assert is_open(other)


def test_one_connection_too_many_of_all_closes_the_oldest():
    with listening(ConnectionLimits(total=3, per_address=2, head_seconds=LONG)) as port, ExitStack() as stack:
        sources = ("127.0.0.2", "127.0.0.3", "127.0.0.4")
        connections = [stack.enter_context(connect(port, HALF, source=source)) for source in sources]
        assert read_all(connect(port, GET)).endswith(b"0")
        assert [is_open(connection) for connection in connections] == [False, True, True]


def test_connections_that_are_being_answered_stay_and_one_too_many_is_refused():
    with (
        listening(ConnectionLimits(total=10, per_address=2, head_seconds=LONG)) as port,
        ExitStack() as stack,
    ):
        hold = GET.replace(b"/ ", b"/hold ", 1)
        connections = [stack.enter_context(connect(port, hold)) for _ in range(2)]
        assert all(map(is_open, connections))
        assert read_all(connect(port, GET)).startswith(b"HTTP/1.1 503 ")
        assert read_all(connect(port, GET, source="127.0.0.2")).endswith(b"0")


def test_a_closed_connection_no_longer_counts():
    limits = ConnectionLimits(total=2, per_address=2, head_seconds=LONG)
    with listening(limits) as port, connect(port, HALF) as connection:
        for _ in range(5):
            assert read_all(connect(port, GET)).endswith(b"0")
        assert is_open(connection)


def test_a_proxy_may_have_as_many_connections_as_all():
    limits = choose_limits(frozenset({"127.0.0.1"}), descriptors=256)
    assert (limits.find_most("127.0.0.1"), limits.find_most("192.0.2.1")) == (128, 64)


def test_limits_leave_descriptors_for_everything_else():
    assert choose_limits(descriptors=100_000).total == 2_000
    assert choose_limits(descriptors=64).total == 16
    assert choose_limits(descriptors=resource.RLIM_INFINITY).total == 2_000


@pytest.mark.integration
def test_300_half_sent_requests_do_not_stop_a_server_with_256_descriptors(library, tmp_path):
    where = ("-c", library.collection.folder, "--database", tmp_path / "assess.sqlite")
    with served(*where, descriptors=256) as server, ExitStack() as stack:
        port = int(server.address.rpartition(":")[2])
        for _ in range(300):
            stack.enter_context(connect(port, HALF))
        assert httpx.get(f"{server.address}/api/health", timeout=300).status_code == 200


def test_connections_that_are_accepted_but_not_yet_counted_find_descriptors():
    """asyncio accepts, makes a transport, makes a protocol and closes another one in four turns."""
    limits = choose_limits(descriptors=256)
    assert limits.total + 4 * ACCEPTED_AT_ONCE <= 256 - 64
