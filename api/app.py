"""The FastAPI application behind `/v1`."""

import json

import fastapi_offline
from fastapi import FastAPI
from fastapi import Request as HttpRequest
from fastapi.openapi.docs import get_redoc_html, get_swagger_ui_html
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from api import (
    account_routes,
    ask_routes,
    document_routes,
    evidence_routes,
    file_routes,
    project_routes,
    run_routes,
    workspace_routes,
)
from api.agent_routes import add_agent_routes
from api.errors import add_error_handlers
from api.models import AgentCard, AgentList, Health
from api.openapi import describe_api
from api.operations import Operations
from api.stored import coding_for
from api.threads import in_thread
from core.agent import Agent
from core.errors import WorkbenchError
from core.registry import all_agents
from core.version import product_version
from core.workbench import current

ROUTERS = (
    ask_routes.router,
    document_routes.router,
    file_routes.router,
    run_routes.router,
    workspace_routes.router,
    project_routes.router,
    evidence_routes.router,
    account_routes.router,
)
_TITLE = "Biopharma Workbench API"


def make_api() -> Operations:
    """Return the application below `/v1`."""
    served = all_agents()
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    add_error_handlers(app)
    add_agent_routes(app.router, served)
    for router in ROUTERS:
        app.include_router(router)
    add_open_routes(app, served)
    return Operations(app, [app.router, *ROUTERS])


def add_open_routes(app: FastAPI, agents: dict[str, Agent]) -> None:
    """Add what needs no key: agents, health, the description and its pages."""

    @app.get("/agents", operation_id="list_agents", tags=["service"])
    async def list_agents(request: HttpRequest) -> AgentList:
        """List the agents of this instance."""
        return AgentList(
            agents=[
                AgentCard(
                    name=agent.name,
                    title=agent.title,
                    summary=agent.summary,
                    url=f"/v1/agents/{agent.name}",
                )
                for agent in agents.values()
            ]
        )

    @app.head("/health", include_in_schema=False)
    @app.get("/health", operation_id="get_health", tags=["service"])
    async def get_health(request: HttpRequest) -> Health:
        """Say whether the service and its database answer."""
        fault = await find_storage_fault()
        return Health(
            ok=not fault,
            status="degraded" if fault else "ok",
            version=product_version(),
            database="ok" if not fault else "full" if fault == "storage_full" else "unreachable",
        )

    add_description(app, agents)


def add_description(app: FastAPI, agents: dict[str, Agent]) -> None:
    """Add openapi.json and two pages that show it with assets of our own."""
    described: list[bytes] = []

    @app.get("/openapi.json", include_in_schema=False)
    def openapi(request: HttpRequest) -> Response:  # in a thread: the first one takes seconds
        if not described:
            text = json.dumps(describe_api(app, agents), ensure_ascii=False)
            described.append(text.encode())
        coding = coding_for(request)
        content = b"".join(coding.encode(iter(described)))
        return Response(content, headers=coding.headers, media_type="application/json")

    @app.get("/docs", include_in_schema=False)
    async def docs(request: HttpRequest) -> Response:
        root = request.scope.get("root_path", "")
        return get_swagger_ui_html(
            openapi_url=f"{root}/openapi.json",
            title=_TITLE,
            swagger_js_url=f"{root}/docs/assets/swagger-ui-bundle.js",
            swagger_css_url=f"{root}/docs/assets/swagger-ui.css",
            swagger_favicon_url=f"{root}/docs/assets/favicon.png",
        )

    @app.get("/redoc", include_in_schema=False)
    async def redoc(request: HttpRequest) -> Response:
        root = request.scope.get("root_path", "")
        return get_redoc_html(
            openapi_url=f"{root}/openapi.json",
            title=_TITLE,
            redoc_js_url=f"{root}/docs/assets/redoc.standalone.js",
            redoc_favicon_url=f"{root}/docs/assets/favicon.png",
            with_google_fonts=False,
        )

    assets = StaticFiles(packages=[(fastapi_offline.__name__, "static")])
    app.mount("/docs/assets", assets, name="assets")


async def find_storage_fault() -> str:
    """Return why the database cannot be used now, such as "storage_full"; "" where it can."""
    try:
        await in_thread(current().stores.engine.ping)
    except WorkbenchError as failure:
        return failure.word
    except OSError:
        return "storage_unavailable"
    return ""
