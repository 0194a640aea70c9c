"""The static files of the pages, at addresses that contain a digest of the whole folder.

The folder is read once per process and served from memory: a page loads some forty small files.  Its digest
is part of every address, ``/static/<digest>/<name>``, so browsers may keep a file for ever: another version
has other addresses.  Relative imports between JavaScript modules and style sheets stay below the digest.  The
digest does not change while the server runs, so edited files need a restart.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

__all__ = [
    "StaticFolder",
    "build_static_route",
    "find_current_address",
    "list_imports",
    "make_static_address",
]

_CACHE_CONTROL = "public, max-age=31536000, immutable"
# not from the system's table of types, which differs between machines
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
_DIGEST = re.compile(r"^[0-9a-f]{16}/")
_IMPORT = re.compile(r"^import\s[^;'\"]*?from\s+'([^']+)';", re.MULTILINE)


@dataclass(frozen=True)
class StaticFolder:
    """The files of a folder, their digest, and the modules that each module imports.

    ``imports`` holds, for each module, all modules that it needs, directly or not, nearest first.
    """

    contents: Mapping[str, bytes]
    digest: str
    imports: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, path: Path) -> StaticFolder:
        """Read all files of a folder that pages may load."""
        contents = {
            file.relative_to(path).as_posix(): file.read_bytes()
            for file in sorted(path.rglob("*"))
            if file.suffix in _KINDS and file.is_file()
        }
        direct = {name: _find_imports(name, data) for name, data in contents.items() if name.endswith(".js")}
        imports = {name: tuple(_list_modules_below(name, direct)) for name in direct}
        return cls(contents, _compute_digest(contents), imports)


@cache
def _read_folder() -> StaticFolder:
    return StaticFolder.read(Path(str(files("doxel.assess"))) / "static")


def make_static_address(name: str) -> str:
    """Return the address of a static file."""
    return f"/static/{_read_folder().digest}/{name}"


def list_imports(name: str) -> list[str]:
    """Return the addresses of all modules that a module imports, directly or not, nearest first."""
    return [make_static_address(module) for module in _read_folder().imports[name]]


def find_current_address(name: str) -> str | None:
    """Return the address of a file requested without a digest or with an old one; None for unknown files."""
    name = _DIGEST.sub("", name)
    return make_static_address(name) if name in _read_folder().contents else None


def build_static_route() -> Route:
    """Return the route that serves the static files."""
    return Route(make_static_address("{name:path}"), _answer)


async def _answer(request: Request) -> Response:
    """Return a file that browsers may keep for ever, or status 304 if the browser has it."""
    folder, name = _read_folder(), request.path_params["name"]
    if name not in folder.contents:
        raise HTTPException(404)
    etag = f'"{folder.digest}"'  # the address names the file
    headers = {"cache-control": _CACHE_CONTROL, "etag": etag}
    if etag in re.findall('"[^"]*"', request.headers.get("if-none-match", "")):  # weak ones (W/) too
        return Response(status_code=304, headers=headers)
    return Response(folder.contents[name], headers={**headers, "content-type": _KINDS[Path(name).suffix]})


def _compute_digest(contents: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in contents.items():
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()[:16]


def _find_imports(name: str, data: bytes) -> list[str]:
    """Return the modules that a module imports itself.

    >>> _find_imports("judge/page.js", b"import { a } from '../core/b.js';")
    ['core/b.js']
    """
    folder = posixpath.dirname(name)
    paths = _IMPORT.findall(data.decode())
    return [posixpath.normpath(posixpath.join(folder, path)) for path in paths]


def _list_modules_below(name: str, direct: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the modules below a module, breadth first, without the module itself."""
    modules = [name]
    for module in modules:
        modules += [imported for imported in direct[module] if imported not in modules]
    return modules[1:]
