"""The web application: all endpoints with their access checks, behind the security headers."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from doxel.assess.endpoints import Endpoint, serve_endpoint
from doxel.assess.pages import error_page
from doxel.assess.routes import ENDPOINTS
from doxel.assess.security import SecurityHeaders
from doxel.assess.service import Service
from doxel.assess.static_files import mount_static
from doxel.errors import RefusedError

__all__ = ["create_app"]


def create_app(service: Service) -> Starlette:
    """Build the application of a service."""
    routes = [mount_static(), *(_route(endpoint, service) for endpoint in ENDPOINTS)]
    return Starlette(
        routes=routes,
        middleware=[Middleware(SecurityHeaders, settings=service.settings)],
        exception_handlers={HTTPException: _unanswered},
    )


def _route(endpoint: Endpoint, service: Service) -> Route:
    async def answer(request: Request) -> Response:
        return await serve_endpoint(endpoint, service, request)

    return Route(endpoint.path, answer, methods=[endpoint.method], name=f"{endpoint.method} {endpoint.path}")


async def _unanswered(request: Request, error: Exception) -> Response:
    """Answer requests that match no endpoint with an error in the usual shape."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    errors = {404: ("not-found", "page not found"), 405: ("wrong-method", "method not allowed")}
    refusal = RefusedError(status, *errors.get(status, ("failed", "the request cannot be answered")))
    if request.url.path.startswith("/api/"):
        return JSONResponse(refusal.as_json(), status)
    return error_page(None, refusal)
