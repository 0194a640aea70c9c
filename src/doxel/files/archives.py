"""Folders and archives (zip, tar, compressed tar) as sequences of members, and sets of files read as one.

Archives are never unpacked to disk.  A member that points outside its archive, or is a link, is refused.
A file that cannot be read is a member with a ``refusal``, so that the others can still be read.
"""

from __future__ import annotations

import os
import re
import stat
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Self

from doxel.errors import InputError
from doxel.files.budget import check_table_size, find_limit
from doxel.files.compression import (
    DAMAGE,
    build_bomb_error,
    build_ratio_error,
    decompress,
    is_packed_too_well,
    join_chunks,
    read_chunks,
    strip_compression,
)
from doxel.files.contents import explain_os_error, read_bytes
from doxel.wording import join_words, pluralise

__all__ = ["FileSet", "Member", "Paths", "is_companion", "iterate_members", "read_file_set"]

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # with members, and without
_OFFICE_PART = "[Content_Types].xml"  # of a .docx, .xlsx or .pptx file, which is a zip archive
_LARGEST_HEADER = 1 << 20  # bytes of an extended header, which precedes a member of a tar archive


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a folder or archive, or a single file.

    ``name`` is the path below the folder or archive, with forward slashes; ``display`` is the name for
    messages.  ``read`` reads the content, so that a worker process can do it; members of archives carry
    their content, because archives are read from front to back.

    ``kind`` is the kind of content, unless the name decides it.

    ``refusal`` is the reason why the content cannot be read; with ``whole`` it concerns a whole folder or
    archive, and so an unknown number of files.
    """

    name: str
    display: str
    size: int = 0
    path: str | None = None
    content: bytes | None = None
    refusal: InputError | None = None
    whole: bool = False
    kind: str | None = None

    def read(self) -> bytes:
        """Return the content, decompressed."""
        if self.refusal is not None:
            raise self.refusal
        if self.content is not None:
            return decompress(self.content, self.display)
        if self.path is None:
            raise InputError("nothing to read", file=self.display)
        return read_bytes(self.path)


def iterate_members(source: str | os.PathLike[str]) -> Iterator[Member]:
    """Yield the files of a folder or archive, or the single file ``source``.

    Members of folders and zip archives are sorted by name, members of tar archives keep their order.
    Hidden files are left out; links are followed in folders and refused in archives.  A source that does
    not exist is an error; one that cannot be read to its end yields a member with a ``refusal``.
    """
    path = Path(source)
    try:
        yield from _iterate_path(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(f"cannot be read: {explain_os_error(error)}", file=str(path)) from error
    except DAMAGE as error:
        yield _build_refused_member(
            path, "archive is damaged or cut short", wanted="a whole archive", found=str(error)
        )
    except OSError as error:
        yield _build_refused_member(path, f"cannot be read: {explain_os_error(error)}")


def _iterate_path(path: Path) -> Iterator[Member]:
    info = path.stat()
    if stat.S_ISDIR(info.st_mode):
        yield from _iterate_folder(path)
        return
    if not stat.S_ISREG(info.st_mode):
        yield _build_refused_member(
            path, "not a file", wanted="a file, a folder or an archive", found="a pipe or a device"
        )
        return
    with path.open("rb") as stream:
        head = stream.read(6)
    if head.startswith(_ZIP):
        yield from _iterate_zip(path)
    elif _is_tar(path, head):
        yield from _iterate_tar(path, head)
    else:
        yield Member(path.name, str(path), info.st_size, path=str(path))


def _build_refused_member(
    path: Path, problem: str, *, wanted: str | None = None, found: str | None = None
) -> Member:
    """Return a member that represents an unreadable folder or archive."""
    refusal = InputError(problem, file=str(path), wanted=wanted, found=found)
    return Member(path.name, str(path), refusal=refusal, whole=True)


def _iterate_folder(top: Path) -> Iterator[Member]:
    unreadable: list[OSError] = []
    for folder_name, folders, names in os.walk(top, onerror=unreadable.append, followlinks=True):
        folder = Path(folder_name)
        visible = sorted(name for name in folders if not name.startswith("."))
        loops = [name for name in visible if _is_loop(folder / name, top)]
        folders[:] = [name for name in visible if name not in loops]
        for name in loops:
            yield _build_refused_member(folder / name, "link to a folder that contains it")
        # strings built once per folder: path objects for all files would take more time than all the rest
        prefix, relative_prefix = (_find_prefix(path) for path in (folder, folder.relative_to(top)))
        for name in sorted(names):
            if not name.startswith("."):
                yield _build_file_member(prefix + name, relative_prefix + name)
    for error in unreadable:
        yield _build_refused_member(Path(error.filename), f"cannot be read: {explain_os_error(error)}")


def _find_prefix(folder: Path) -> str:
    """Return the prefix that turns the names of a folder's files into paths."""
    return "" if folder == Path() else str(folder / "_")[:-1]


def _is_loop(folder: Path, top: Path) -> bool:
    """Return whether a folder is a link to one of its own parents."""
    if not folder.is_symlink():
        return False
    target, above = folder.resolve(), folder
    while above != top:
        above = above.parent
        if above.resolve() == target:
            return True
    return False


def _build_file_member(path: str, name: str) -> Member:
    try:
        info = os.stat(path)  # noqa: PTH116
    except OSError:  # reading the member will report the reason
        return Member(name, path, path=path)
    if stat.S_ISREG(info.st_mode):
        return Member(name, path, info.st_size, path=path)
    refusal = InputError("not a file", file=path, wanted="a plain file", found="a pipe or a device")
    return Member(name, path, refusal=refusal)


def _iterate_zip(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as zip_file:
        if _OFFICE_PART in zip_file.namelist():
            wanted = "its text, saved as .txt, .html or .pdf"
            yield _build_refused_member(archive, "document of an office program", wanted=wanted)
            return
        for info in sorted(zip_file.infolist(), key=lambda info: info.filename):
            if info.filename.endswith("/") or _is_hidden(info.filename):
                continue
            display = f"{archive}:{info.filename}"
            is_link = (info.external_attr >> 16) & 0o170000 == stat.S_IFLNK
            content, refusal = None, _check_member(info.filename, display, is_link=is_link)
            if refusal is None:
                content, refusal = _read_zip_content(zip_file, info, display)
            yield Member(info.filename, display, info.file_size, content=content, refusal=refusal)


def _read_zip_content(
    zip_file: zipfile.ZipFile, info: zipfile.ZipInfo, display: str
) -> tuple[bytes | None, InputError | None]:
    if is_packed_too_well(info.compress_size, info.file_size):  # the size to which it is unpacked at most
        return None, build_ratio_error(display)
    try:
        with zip_file.open(info) as stream:
            return join_chunks(read_chunks(stream.read), display), None
    except InputError as error:
        return None, error
    except (*DAMAGE, RuntimeError) as error:  # RuntimeError: encrypted, or packed in an unknown way
        wanted = "a complete member without a password"
        return None, InputError("cannot be unpacked", file=display, wanted=wanted, found=str(error))


class _TarHeader(tarfile.TarInfo):
    """A header of a tar archive, read more strictly than by the standard library.

    A header that is cut short is an error, not the end of the archive.  So is a member with a negative
    size, which would lead back into the archive, or an extended header of more than a megabyte.
    """

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type in _EXTENDED_HEADERS and not 0 <= header.size <= _LARGEST_HEADER:
            raise tarfile.ReadError(f"a header of {header.size:,} bytes")
        return header

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        begin = tarfile_.fileobj.tell()
        try:
            header = super().fromtarfile(tarfile_)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except (tarfile.HeaderError, RecursionError) as error:
            raise tarfile.ReadError(f"no end mark, {error}") from error
        if tarfile_.offset <= begin:
            raise tarfile.ReadError(f"a member of {header.size:,} bytes")
        return header


_EXTENDED_HEADERS = {  # types of extended headers, which describe the next member
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
}


_TAR_COMPRESSION = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x5d\x00\x00": "xz"}


def _open_tar(path: Path, head: bytes) -> tarfile.TarFile:
    # trying every compression, as tarfile does, takes long for a file of null bytes
    kind = next((kind for mark, kind in _TAR_COMPRESSION.items() if head.startswith(mark)), "")
    return tarfile.open(path, f"r:{kind}", tarinfo=_TarHeader)  # type: ignore[call-overload, no-any-return]


def _is_tar(path: Path, head: bytes) -> bool:
    try:
        with _open_tar(path, head):
            return True
    except DAMAGE:
        return False


def _iterate_tar(archive: Path, head: bytes) -> Iterator[Member]:
    with _open_tar(archive, head) as tar_file:
        for info in tar_file:
            if info.isdir() or _is_hidden(info.name):
                continue
            display = f"{archive}:{info.name}"
            refusal = _check_member(info.name, display, is_link=not info.isfile())
            if info.size > find_limit("unpacked-bytes"):
                refusal = build_bomb_error(display)
            elif is_packed_too_well(archive.stat().st_size, info.size):
                refusal = build_ratio_error(display)
            stream = None if refusal else tar_file.extractfile(info)
            content = stream.read() if stream else None
            yield Member(info.name.removeprefix("./"), display, info.size, content=content, refusal=refusal)


def _split_name(name: str) -> list[str]:
    return re.split(r"[/\\]", name)


def _is_hidden(name: str) -> bool:
    return any(step.startswith(".") and step not in {".", ".."} for step in _split_name(name))


def _check_member(name: str, display: str, *, is_link: bool) -> InputError | None:
    if is_link:
        found = "a link or a device, which is not followed"
        return InputError("archive member is not a file", file=display, wanted="a plain file", found=found)
    if ".." in (steps := _split_name(name)) or not steps[0]:
        wanted = "a path below the top of the archive"
        return InputError(
            "archive member points outside the archive", file=display, wanted=wanted, found=name
        )
    return None


Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

# Files of other kinds in the folders that campaigns distributed.
_COMPANION_SUFFIXES = {".css", ".dtd", ".htm", ".html", ".log", ".md", ".pdf", ".rng", ".xsd"}
_COMPANION_NAMES = ("readme", "license", "licence", "changes")


@dataclass(frozen=True)
class FileSet:
    """The files of a set as pairs of name and content, and the names of files left out of folders."""

    files: tuple[tuple[str, bytes], ...]
    left_out: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user about files that were left out."""
        if not self.left_out:
            return ()
        return (f"{pluralise(len(self.left_out), 'file')} left out: {join_words(self.left_out)}",)


def read_file_set(paths: Paths, *, kind: str) -> FileSet:
    """Read all given files, and all files in the given folders and archives.

    Declarations and descriptions (``*.dtd``, ``*.html``, ``README`` and similar) in folders and archives
    are left out.  An empty file, or no file at all, is an error.
    """
    files: list[tuple[str, bytes]] = []
    left_out: list[str] = []
    size = 0
    for path in _list_paths(paths):
        is_file = os.path.isfile(path)  # noqa: PTH113 -- for a name that is too long, Path raises an OSError
        for member in iterate_members(path):
            if is_companion(member.name) and not (is_file and member.path is not None):
                left_out.append(member.display)
                continue
            content = member.read()
            if not content.strip(b" \t\r\n\xef\xbb\xbf"):
                raise InputError("empty file", file=member.display, wanted=kind, found="no content")
            size += len(content)
            if size > find_limit("unpacked-bytes"):  # many small files can make a bomb too
                raise build_bomb_error(str(path))
            check_table_size(size, str(path))
            files.append((member.display, content))
    if not files:
        names = ", ".join(str(path) for path in _list_paths(paths)) or "no path"
        raise InputError(f"nothing to read in {names}", wanted=f"files of {kind}", found="none")
    return FileSet(tuple(files), tuple(left_out))


def _list_paths(paths: Paths) -> Iterable[str | os.PathLike[str]]:
    return [paths] if isinstance(paths, str | os.PathLike) else paths


def is_companion(name: str) -> bool:
    """Return whether a file is a declaration or description rather than data."""
    path = PurePosixPath(strip_compression(name))
    describes = path.name.lower().startswith(_COMPANION_NAMES) or path.name.endswith(".about.json")
    return describes or path.suffix.lower() in _COMPANION_SUFFIXES
