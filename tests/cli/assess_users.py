"""Users that tests of commands add to a site's database."""

from documents.commands import doxel


def add(files, database, name="olga", role="organiser"):
    password = files.parent / "password"
    return doxel(
        *("assess", "user", "add", name, "--role", role, "--database", database, "--password-file", password)
    )
