"""A site to attack."""

from assess.site_fixtures import (  # noqa: F401 -- fixtures
    _hasty,
    campaign,
    database,
    event,
    library,
    new_database,
    settings,
    site,
    stage,
    store,
)
