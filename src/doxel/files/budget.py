"""Limits on inputs, so that a damaged or hostile file causes an error before it exhausts the machine.

The defaults are far above what real collections need.  ``doxel --budget NAME=NUMBER COMMAND`` changes a
limit, and so does its environment variable, which worker processes inherit.
"""

from __future__ import annotations

import os
import resource
import time
from dataclasses import dataclass

from doxel.errors import InputError
from doxel.wording import quote_value

__all__ = [
    "INPUT_LIMITS",
    "InputLimit",
    "change_limit",
    "check_memory",
    "check_table_size",
    "check_time",
    "find_limit",
]


@dataclass(frozen=True, slots=True)
class InputLimit:
    """A limit: its name on the command line, its default, and its meaning."""

    name: str
    default: int
    about: str

    @property
    def variable(self) -> str:
        """The environment variable that overrides the default."""
        return f"DOXEL_MAX_{self.name.replace('-', '_').upper()}"


INPUT_LIMITS = {
    limit.name: limit
    for limit in (
        InputLimit("unpacked-bytes", 2_000_000_000, "bytes that a compressed file or a pipe may hold"),
        InputLimit("ratio", 200, "times that a compressed file may grow, beyond its first 64 MB"),
        InputLimit("table-bytes", 500_000_000, "bytes of a run, and of all assessments or topics together"),
        InputLimit("document-bytes", 256_000_000, "bytes of one document"),
        InputLimit("depth", 256, "elements around the innermost element; 256 is also the highest value"),
        InputLimit("attributes", 5_000, "attributes of one element"),
        InputLimit("seconds", 300, "seconds that parsing one document may take"),
    )
}


def find_limit(name: str) -> int:
    """Return the current value of a limit.

    >>> find_limit("ratio")
    200
    """
    limit = INPUT_LIMITS[name]
    value = os.environ.get(limit.variable)
    return limit.default if value is None else _parse(limit.variable, value)


def check_table_size(size: int, name: str) -> None:
    """Refuse a run, assessments or topics that are too large to be read into memory.

    Reading takes up to ten times the bytes of short lines.
    """
    limit = find_limit("table-bytes")
    if size > limit:
        wanted = f"at most {limit:,} bytes; --budget table-bytes=N allows more"
        raise InputError("too large to read", file=name, wanted=wanted, found=f"{size:,} bytes")


def check_memory(size: int, name: str) -> None:
    """Refuse a file that takes ``size`` bytes to read, if the memory limit of this process leaves less.

    Such limits (``ulimit -v``) are rare.  Out of memory, the libraries that doxel uses would end the process
    without a message, or wait for ever.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    try:
        with open("/proc/self/statm") as stream:  # noqa: PTH123
            used_bytes = int(stream.read().split()[0]) * resource.getpagesize()
    except OSError:  # not Linux
        return
    if size > limit - used_bytes:
        wanted = f"{size // 10**6:,} MB to read it; 'ulimit -v' sets the limit of this process"
        found = f"{(limit - used_bytes) // 10**6:,} MB"
        raise InputError("not enough memory", file=name, wanted=wanted, found=found)


def check_time(began: float, name: str) -> None:
    """Refuse a document that takes too long to parse; ``began`` is a time of the monotonic clock."""
    seconds, elapsed = find_limit("seconds"), time.monotonic() - began
    if elapsed > seconds:
        wanted = f"a document that is parsed within {seconds:,} s; --budget seconds=N allows more"
        raise InputError("", file=name, wanted=wanted, found=f"{elapsed:,.0f} s")


def change_limit(setting: str) -> None:
    """Change a limit, for this process and its workers: ``NAME=NUMBER``.

    >>> change_limit("size=3")
    Traceback (most recent call last):
    doxel.errors.InputError: budget: wanted one of unpacked-bytes, ratio, table-bytes, document-bytes, \
depth, attributes, seconds, found 'size'
    """
    name, _, value = setting.partition("=")
    if name not in INPUT_LIMITS:
        wanted = f"one of {', '.join(INPUT_LIMITS)}"
        raise InputError("budget", wanted=wanted, found=quote_value(name))
    os.environ[INPUT_LIMITS[name].variable] = str(_parse(f"budget {name}", value))


def _parse(label: str, value: str) -> int:
    plain = value.strip().replace("_", "")
    if not (plain.isascii() and plain.isdigit() and 0 < len(plain) <= 18 and int(plain) > 0):
        raise InputError(label, wanted="a whole number from 1", found=quote_value(value))
    return int(plain)
