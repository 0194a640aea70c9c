"""The commands of ``doxel``, one module per command; each has the click command as ``command``."""
