"""Files: single, in folders or in archives, compressed or not, read whole and written atomically.

How data flows through this room:

1. A path names a file, a folder or an archive; :mod:`~doxel.files.archives` iterates over its members, or
   reads them all as a ``FileSet``.
2. :mod:`~doxel.files.compression` recognises compressed content and unpacks it, within the limits of
   :mod:`~doxel.files.budget`.
3. :mod:`~doxel.files.contents` reads and decodes whole files, and splits them into lines or JSON lines.
4. :mod:`~doxel.files.outputs` writes files and folders whole, and streams to devices and pipes.
5. :mod:`~doxel.files.file_format` declares formats of runs, assessments or topics: how they are recognised,
   read and written, and which columns they store.
"""

from doxel.files.archives import Member, iterate_members
from doxel.files.compression import strip_compression
from doxel.files.contents import (
    decode_utf8,
    explain_os_error,
    read_bytes,
    read_text,
)
from doxel.files.outputs import defer_signals, is_stream, write_atomically, write_file, write_folder

__all__ = [
    "Member",
    "decode_utf8",
    "defer_signals",
    "explain_os_error",
    "is_stream",
    "iterate_members",
    "read_bytes",
    "read_text",
    "strip_compression",
    "write_atomically",
    "write_file",
    "write_folder",
]
