"""``python -m doxel``: the same as ``doxel``."""

from doxel.cli.main import main

if __name__ == "__main__":
    main()
