"""The API alone as an ASGI application, and the probes that both doors share."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from api.app import find_storage_fault, make_api
from api.border import Border, answer_failure
from api.connections import quiet_addresses
from api.errors import answer_http_error
from api.guide_routes import ROUTES as GUIDES
from api.mcp import ROUTES as MCP
from api.startup import open_workbench
from api.telemetry import ROUTES as METRICS

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


async def healthz(request: Request) -> Response:
    """Answer as long as the process lives."""
    return PlainTextResponse("ok")


async def readyz(request: Request) -> Response:
    """Answer 200 when the database can be read and written, else 503 with the reason."""
    fault = await find_storage_fault()
    if fault:
        return JSONResponse({"ready": False, "reason": fault}, status_code=503)
    return JSONResponse({"ready": True})


async def no_address(request: Request) -> Response:
    """Answer `/v1` itself, which is no address."""
    return await answer_http_error(request, HTTPException(404))


def service_routes() -> list[BaseRoute]:
    """Return the probes and pages that both doors share."""
    return [
        Route("/healthz", healthz),
        Route("/readyz", readyz),
        Route("/v1", no_address, methods=_METHODS),
        *MCP,
        *METRICS,
        *GUIDES,
    ]


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """Open the workbench for as long as the process serves."""
    quiet_addresses()
    with open_workbench(owner=True):
        yield


def make_service() -> Starlette:
    """Return the API alone."""
    return Starlette(
        routes=service_routes(),
        middleware=[Middleware(Border, api=make_api())],
        exception_handlers={Exception: answer_failure},
        lifespan=lifespan,
    )
