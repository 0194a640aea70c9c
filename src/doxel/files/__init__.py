"""Files: single, in folders or in archives, compressed or not, read whole and written atomically."""

from doxel.files.compression import strip_compression
from doxel.files.members import Member, members
from doxel.files.reading import decode, explain_os_error, read_bytes, read_text
from doxel.files.writing import atomic_write, write_file

__all__ = [
    "Member",
    "atomic_write",
    "decode",
    "explain_os_error",
    "members",
    "read_bytes",
    "read_text",
    "strip_compression",
    "write_file",
]
