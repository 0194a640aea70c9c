"""All endpoints of the server, in one table."""

from doxel.assess.endpoints import Endpoint
from doxel.assess.routes.comparing import ENDPOINTS as COMPARING
from doxel.assess.routes.documents import ENDPOINTS as DOCUMENTS
from doxel.assess.routes.forms import ENDPOINTS as FORMS
from doxel.assess.routes.judging import ENDPOINTS as JUDGING
from doxel.assess.routes.organiser import ENDPOINTS as ORGANISER
from doxel.assess.routes.organiser_pages import ENDPOINTS as ORGANISER_PAGES
from doxel.assess.routes.sessions import ENDPOINTS as SESSIONS
from doxel.assess.routes.site import ENDPOINTS as SITE

__all__ = ["ENDPOINTS"]

ENDPOINTS: tuple[Endpoint, ...] = (
    *SESSIONS,
    *DOCUMENTS,
    *ORGANISER,
    *COMPARING,
    *SITE,
    *JUDGING,
    *FORMS,
    *ORGANISER_PAGES,
)
