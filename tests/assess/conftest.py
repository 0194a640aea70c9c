"""All fixtures of the assessment site."""

from assess.site_fixtures import (  # noqa: F401 -- fixtures
    _hasty,
    campaign,
    database,
    event,
    library,
    new_database,
    other_texts,
    settings,
    site,
    stage,
    store,
)
