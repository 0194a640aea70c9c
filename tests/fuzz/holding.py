"""Properties of every reader: it succeeds or refuses in one sentence, in bounded time and memory."""

from __future__ import annotations

import re
import resource
import shutil
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path
from random import Random

from doxel.errors import DoxelError, InputError
from fuzz.mutations import mutate
from fuzz.targets import Target
from limits import SlowError, in_time

__all__ = ["Fault", "SlowError", "attempt", "in_time", "limited", "refusal_is_sound"]

_LONGEST = 2_000  # characters of a message; one that lists all known names may be long
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class Fault(Exception):  # noqa: N818 -- a fault of the tested code, not an error of the test
    """A reader violated a property, with the given files."""

    def __init__(self, kind: str, target: str, files: Mapping[str, bytes]) -> None:
        super().__init__(kind, target, files)
        self.kind, self.target, self.files = kind, target, files

    def shown(self) -> str:
        """Return the cause and the beginnings of the files."""
        cause = f"\n{type(self.__cause__).__name__}: {str(self.__cause__)[:700]!r}" if self.__cause__ else ""
        files = (f"{self.target}: {name}: {data[:700]!r}" for name, data in self.files.items())
        return cause + "\n".join(files)

    def __str__(self) -> str:
        return f"{self.kind}\n{self.shown()}"


def limited(gigabytes: int) -> None:
    """Limit the memory of this process."""
    size = gigabytes << 30
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def refusal_is_sound(error: DoxelError, folder: Path) -> str | None:
    """Return what is wrong with the error about a file below a folder, or None."""
    text = str(error)
    if _CONTROL.search(text):
        return "control characters in a message"
    if len(text) > _LONGEST:
        return "a very long message"
    if str(folder) not in text and str(folder) not in str(getattr(error, "file", "")):
        return "an error that names no file"
    if type(error) is InputError and not (error.problem or error.wanted):
        return "an empty message"
    return None


def attempt(target: Target, chance: Random) -> str:
    """Corrupt files of a target and use them; return "taken" or "refused", or raise Fault."""
    files = dict(target.files())
    wrong = {}
    for _ in range(chance.choice((1, 1, 1, 2))):
        name = chance.choice(target.prey())
        files[name] = wrong[name] = _corrupt(name, files, chance)
    place = Path(tempfile.mkdtemp(prefix="doxel-fuzz-"))
    try:
        folder = place / "here"
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return _use(target, folder, wrong)
    finally:
        shutil.rmtree(place)


def _corrupt(name: str, files: Mapping[str, bytes], chance: Random) -> bytes:
    similar = [other for other in files if Path(other).suffix == Path(name).suffix and other != name]
    if similar and chance.randrange(4) == 0:  # replace the file by another one
        return files[chance.choice(similar)]
    return mutate(files[name], chance)


def _use(target: Target, folder: Path, wrong: Mapping[str, bytes]) -> str:
    try:
        with in_time():
            target.use(folder)
    except DoxelError as error:
        complaint = refusal_is_sound(error, folder)
        if complaint is not None:
            raise Fault(f"{complaint}: {type(error).__name__} {_where(error)}", target.name, wrong) from error
        return "refused"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise Fault(f"{type(error).__name__} {_where(error)}", target.name, wrong) from error
    return "taken"


def _where(error: BaseException) -> str:
    """Return the innermost line of doxel in an error's traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/doxel/" in frame.filename]
    if not frames:
        return "outside"
    return f"{frames[-1].filename.rpartition('/doxel/')[2]}:{frames[-1].lineno}"
