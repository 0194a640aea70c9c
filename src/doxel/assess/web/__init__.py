"""The assessment server: pages and an API over HTTP.

The way of a request: :mod:`~doxel.assess.web.server` receives it, :mod:`~doxel.assess.web.endpoints` checks
the caller, a function of :mod:`~doxel.assess.web.routes` answers the :mod:`~doxel.assess.web.call`, with
changes by organisers and sign-in made in :mod:`~doxel.assess.web.actions`.  The
:mod:`~doxel.assess.web.service` holds the settings and everything that requests share.
"""
