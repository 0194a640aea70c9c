"""The databases, and the quick settings, of the tests of the assessment site."""

from assess.conftest import _hasty, database, new_database, postgres, sqlite  # noqa: F401
