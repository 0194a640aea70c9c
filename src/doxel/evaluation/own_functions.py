"""Call and load custom functions; ``FILE.py:NAME`` names a function in a file."""

from __future__ import annotations

import importlib.util
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from doxel.errors import DoxelError, InputError

__all__ = ["ask", "load_function", "name_of"]


def name_of(function: Callable[..., Any], label: str) -> str:
    """Return the name of a function, by which measures refer to it."""
    name = getattr(function, "__name__", None)
    if name is None:
        raise InputError(label, wanted="a function with a name", found=repr(function))
    return str(name)


def ask(function: Callable[..., Any], label: str, *arguments: Any) -> Any:
    """Call a custom function; report an exception with the line that raised it."""
    try:
        return function(*arguments)
    except DoxelError:
        raise
    except (Exception, SystemExit) as error:  # any exception is the author's to fix
        # skip the frame of this function; a call with wrong arguments has no other frame
        frames = traceback.extract_tb(error.__traceback__)[1:]
        home = getattr(getattr(function, "__code__", None), "co_filename", None)
        own_frames = [frame for frame in frames if frame.filename == home] or frames
        message = f"{type(error).__name__}: {error}"
        file, line = (own_frames[-1].filename, own_frames[-1].lineno) if own_frames else (home, None)
        raise InputError(f"{label} failed", file=file, line=line, found=message) from error


def load_function(written: str, label: str, wanted: str) -> tuple[str, Callable[..., Any], str]:
    """Return the name, the function and the absolute address of ``FILE.py:NAME``."""
    file, colon, name = written.rpartition(":")
    path = Path(file)
    if not colon or not name.isidentifier():
        raise InputError(label, wanted="FILE.py:NAME", found=repr(written))
    if not path.is_file():
        raise InputError(f"the file of {label}", file=file, wanted="a Python file", found="no such file")
    spec = importlib.util.spec_from_file_location(f"doxel_own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"the file of {label}", file=file, wanted="a Python file", found=path.suffix)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # any exception is the author's to fix
        raise InputError(f"the file of {label} does not run", file=file, found=f"{error!r}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise InputError(label, file=file, wanted=wanted.replace("NAME", name), found="no such function")
    return name, function, f"{path.resolve()}:{name}"
