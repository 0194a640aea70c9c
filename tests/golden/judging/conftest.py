"""Databases and a collection for the tests of a whole site."""

from assess.site_fixtures import (  # noqa: F401 -- fixtures
    _hasty,
    database,
    library,
    new_database,
)
