"""A request as handlers see it: the caller, the pool, the body, and checked access to its values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.responses import Response

from doxel.assess.events import is_text
from doxel.assess.pools import Assignment
from doxel.assess.service import Service
from doxel.assess.sessions import Session
from doxel.errors import RefusedError

__all__ = ["Call", "Later"]

_MOST_DIGITS = 15  # of a number that both databases can store


@dataclass(frozen=True)
class Call:
    """One request with its whole body, from a caller whose access was checked."""

    service: Service
    method: str
    path: Mapping[str, Any]
    query: Mapping[str, str]
    headers: Headers
    cookies: Mapping[str, str]
    body: bytes
    address: str
    token: str | None = None
    session: Session | None = None
    pool: Assignment | None = None

    @property
    def caller(self) -> Session:
        """The session of the caller; refuses requests without one."""
        if self.session is None:
            raise RefusedError(401, "not-signed-in", "sign in first")
        return self.session

    @property
    def own_pool(self) -> Assignment:
        """The pool in the address; refuses requests without one."""
        if self.pool is None:
            raise RefusedError(404, "not-found", "there is no such pool")
        return self.pool

    @property
    def is_json(self) -> bool:
        """Whether the content type is JSON, which a form of another site cannot send."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"

    def json(self, *keys: str, optional: tuple[str, ...] = ()) -> dict[str, Any]:
        """Parse the body, an object with exactly these keys, and possibly the optional ones."""
        if not self.is_json:
            raise RefusedError(415, "not-json", "wanted the content type application/json")
        try:
            data = json.loads(self.body)
        except (ValueError, RecursionError):
            raise RefusedError(400, "bad-request", "the body is not JSON") from None
        if not isinstance(data, dict) or set(data) - set(optional) != set(keys):
            key_list = ", ".join(keys)
            wanted = f"an object with the keys {key_list}" if keys else "an empty object"
            raise RefusedError(400, "bad-request", f"wanted {wanted}")
        return data

    def text(self, data: Mapping[str, Any], key: str) -> str:
        """Return a text value of an object; refuse anything else."""
        value = data.get(key)
        if not isinstance(value, str) or not is_text(value, 1_000):
            raise RefusedError(400, "bad-request", f"{key}: wanted a text of at most 1,000 characters")
        return value

    def flag(self, data: Mapping[str, Any], key: str) -> bool:
        """Return a boolean value of an object; refuse anything else."""
        value = data.get(key)
        if not isinstance(value, bool):
            raise RefusedError(400, "bad-request", f"{key}: wanted true or false")
        return value

    def number(self, key: str, wanted: str) -> int | None:
        """Return a number from the query string, None if it is missing; refuse anything else."""
        value = self.query.get(key, "")
        if not value:
            return None
        if not value.isascii() or not value.isdigit() or len(value) > _MOST_DIGITS:
            raise RefusedError(400, "bad-request", f"{key}: wanted {wanted}")
        return int(value)

    def form(self) -> dict[str, str]:
        """Parse the body as a form and return its fields."""
        content_type = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if content_type != "application/x-www-form-urlencoded":
            raise RefusedError(415, "no-form", "wanted a form")
        try:
            pairs = parse_qsl(self.body.decode(), keep_blank_values=True, max_num_fields=100)
        except ValueError:
            raise RefusedError(400, "bad-request", "the form cannot be parsed") from None
        return {key: value.replace("\r\n", "\n") for key, value in pairs}


@dataclass(frozen=True)
class Later:
    """A response that waits for a future; ``finish`` builds it from the result."""

    future: Future[Any]
    finish: Callable[[Any], Response]
