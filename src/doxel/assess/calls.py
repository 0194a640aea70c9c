"""A request as handlers see it: who calls, about which pool, with what; and how to refuse it."""

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

_MOST_DIGITS = 15  # of a number that both databases can hold


@dataclass(frozen=True)
class Call:
    """One request, read to its end, from someone who may make it."""

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
        """Who has signed in; only for endpoints that are not for anyone."""
        if self.session is None:
            raise RefusedError(401, "not-signed-in", "sign in first")
        return self.session

    @property
    def own_pool(self) -> Assignment:
        """The pool that the address names; only for endpoints about one."""
        if self.pool is None:
            raise RefusedError(404, "not-found", "there is no such pool")
        return self.pool

    @property
    def is_json(self) -> bool:
        """Whether the body says that it is JSON, which no form of another site can."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"

    def json(self, *keys: str, optional: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return the body, an object with exactly these keys, and perhaps some more."""
        if not self.is_json:
            raise RefusedError(415, "not-json", "wanted the content type application/json")
        try:
            data = json.loads(self.body)
        except (ValueError, RecursionError):
            raise RefusedError(400, "bad-request", "the body is not JSON") from None
        if not isinstance(data, dict) or set(data) - set(optional) != set(keys):
            wanted = ", ".join(keys) or "nothing"
            raise RefusedError(400, "bad-request", f"wanted an object with {wanted}")
        return data

    def text(self, data: Mapping[str, Any], key: str) -> str:
        """Return a text of an object; anything else is refused."""
        value = data.get(key)
        if not isinstance(value, str) or not is_text(value, 1_000):
            raise RefusedError(400, "bad-request", f"{key}: wanted a text of at most 1,000 characters")
        return value

    def flag(self, data: Mapping[str, Any], key: str) -> bool:
        """Return true or false of an object; anything else is refused."""
        value = data.get(key)
        if not isinstance(value, bool):
            raise RefusedError(400, "bad-request", f"{key}: wanted true or false")
        return value

    def number(self, key: str, wanted: str) -> int | None:
        """Return a number of the query, None where there is none; anything else is refused."""
        value = self.query.get(key, "")
        if not value:
            return None
        if not value.isascii() or not value.isdigit() or len(value) > _MOST_DIGITS:
            raise RefusedError(400, "bad-request", f"{key}: wanted {wanted}")
        return int(value)

    def form(self) -> dict[str, str]:
        """Return the fields of a form."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            raise RefusedError(415, "no-form", "wanted a form")
        try:
            pairs = parse_qsl(self.body.decode(), keep_blank_values=True, max_num_fields=100)
        except ValueError:
            raise RefusedError(400, "bad-request", "the form cannot be read") from None
        return {key: value.replace("\r\n", "\n") for key, value in pairs}


@dataclass(frozen=True)
class Later:
    """An answer that has to wait for something: for what, and how the answer is made of it."""

    future: Future[Any]
    finish: Callable[[Any], Response]
