"""What must hold of every reader: it succeeds, or refuses in one sentence; it does not hang or swell."""

from __future__ import annotations

import re
import resource
import shutil
import signal
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random

from doxel.errors import DoxelError, InputError
from fuzz.mutations import mutate
from fuzz.targets import Target

__all__ = ["Fault", "SlowError", "attempt", "in_time", "limited", "refusal_is_sound"]

_SECONDS = 10
_LONGEST = 2_000  # characters of a sentence; one that lists all known names may be long
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class SlowError(Exception):
    """Something took far longer than a small file can need."""


class Fault(Exception):  # noqa: N818 -- a fault of what is tested, found as it was hoped for
    """A reader did something that none may do, with some files."""

    def __init__(self, kind: str, target: str, files: Mapping[str, bytes]) -> None:
        super().__init__(kind, target, files)
        self.kind, self.target, self.files = kind, target, files

    def shown(self) -> str:
        """Return the files, as far as one can look at them."""
        said = f"\n{type(self.__cause__).__name__}: {str(self.__cause__)[:700]!r}" if self.__cause__ else ""
        return said + "\n".join(f"{self.target}: {name}: {data[:700]!r}" for name, data in self.files.items())

    def __str__(self) -> str:
        return f"{self.kind}\n{self.shown()}"


def limited(gigabytes: int) -> None:
    """Let this process have no more memory than so much."""
    size = gigabytes << 30
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


@contextmanager
def in_time(seconds: int = _SECONDS) -> Iterator[None]:
    """Raise SlowError where the block takes longer: so long of the processor, or by far longer of all."""

    def ring(*_: object) -> None:
        raise SlowError(f"more than {seconds} s")

    clocks = {signal.ITIMER_PROF: (signal.SIGPROF, 1), signal.ITIMER_REAL: (signal.SIGALRM, 20)}
    before = {sound: signal.signal(sound, ring) for sound, _ in clocks.values()}
    for clock, (_, times) in clocks.items():
        signal.setitimer(clock, seconds * times)
    try:
        yield
    finally:
        for clock in clocks:
            signal.setitimer(clock, 0)
        for sound, handler in before.items():
            signal.signal(sound, handler)


def refusal_is_sound(error: DoxelError, folder: Path) -> str | None:
    """Return what is wrong with a refusal of a file below a folder, None where nothing is."""
    text = str(error)
    if _CONTROL.search(text):
        return "control characters in a sentence"
    if len(text) > _LONGEST:
        return "a sentence without end"
    if str(folder) not in text and str(folder) not in str(getattr(error, "file", "")):
        return "a refusal that names no file"
    if type(error) is InputError and not (error.problem or error.wanted):
        return "a refusal that says nothing"
    return None


def attempt(target: Target, chance: Random) -> str:
    """Make some of a target's files wrong, and use them; return how it ended, or raise Fault."""
    files = dict(target.files())
    wrong = {}
    for _ in range(chance.choice((1, 1, 1, 2))):
        name = chance.choice(target.prey())
        files[name] = wrong[name] = _made_wrong(name, files, chance)
    place = Path(tempfile.mkdtemp(prefix="doxel-fuzz-"))
    try:
        folder = place / "here"
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return _used(target, folder, wrong)
    finally:
        shutil.rmtree(place)


def _made_wrong(name: str, files: Mapping[str, bytes], chance: Random) -> bytes:
    alike = [other for other in files if Path(other).suffix == Path(name).suffix and other != name]
    if alike and chance.randrange(4) == 0:  # a file in the place of another
        return files[chance.choice(alike)]
    return mutate(files[name], chance)


def _used(target: Target, folder: Path, wrong: Mapping[str, bytes]) -> str:
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
    """Return the last line of doxel's own that an error came through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/doxel/" in frame.filename]
    if not frames:
        return "outside"
    return f"{frames[-1].filename.rpartition('/doxel/')[2]}:{frames[-1].lineno}"
