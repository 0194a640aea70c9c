"""Functions of one's own, named by the file that holds them: ``FILE.py:NAME``."""

from __future__ import annotations

import importlib.util
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from doxel.errors import DoxelError, InputError

__all__ = ["ask", "load_function", "name_of"]


def name_of(function: Callable[..., Any], what: str) -> str:
    """Return the name of a function, by which measures ask for it."""
    name = getattr(function, "__name__", None)
    if name is None:
        raise InputError(what, wanted="a function with a name", found=repr(function))
    return str(name)


def ask(function: Callable[..., Any], what: str, *arguments: Any) -> Any:
    """Return what a function of one's own says; what it raises is told with the line that raised it."""
    try:
        return function(*arguments)
    except DoxelError:
        raise
    except (Exception, SystemExit) as error:  # whatever it raises is its author's to mend
        # the frame of this function stands first, and of a call that does not fit there is no other
        frames = traceback.extract_tb(error.__traceback__)[1:]
        home = getattr(getattr(function, "__code__", None), "co_filename", None)
        own = [frame for frame in frames if frame.filename == home] or frames
        found = f"{type(error).__name__}: {error}"
        file, line = (own[-1].filename, own[-1].lineno) if own else (home, None)
        raise InputError(f"{what} failed", file=file, line=line, found=found) from error


def load_function(written: str, what: str, wanted: str) -> tuple[str, Callable[..., Any], str]:
    """Return name, function and full address of what ``FILE.py:NAME`` names."""
    file, colon, name = written.rpartition(":")
    path = Path(file)
    if not colon or not name.isidentifier():
        raise InputError(what, wanted="FILE.py:NAME", found=repr(written))
    if not path.is_file():
        raise InputError(f"the file of {what}", file=file, wanted="a Python file", found="no such file")
    spec = importlib.util.spec_from_file_location(f"doxel_own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"the file of {what}", file=file, wanted="a Python file", found=path.suffix)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever a user's file raises is the user's to mend
        raise InputError(f"the file of {what} does not run", file=file, found=f"{error!r}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(what, file=file, wanted=wanted.replace("NAME", name), found="none")
    return name, function, f"{path.resolve()}:{name}"
