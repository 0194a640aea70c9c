"""The assessment server: pages and an API over HTTP.

How a request is answered: :mod:`~doxel.assess.web.server` receives it, :mod:`~doxel.assess.web.endpoints`
checks the caller, and a function of :mod:`~doxel.assess.web.routes` answers the
:mod:`~doxel.assess.web.call`.  Sign-in and changes by organisers are made in
:mod:`~doxel.assess.web.actions`.  The :mod:`~doxel.assess.web.service` holds the settings and everything
that requests share.
"""
