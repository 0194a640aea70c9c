"""Databases for the pages of the assessment site."""

from assess.site_fixtures import (  # noqa: F401 -- fixtures
    _hasty,
    database,
    new_database,
)
