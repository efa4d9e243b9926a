"""The ASGI application: the Streamlit pages, the API at /v1, sign-in, and one lifespan.

`python app.py`, `streamlit run app.py` and `uvicorn app:app` all start it.
"""

from pathlib import Path

import streamlit as st
import streamlit.logger
from starlette.middleware import Middleware

from api.app import make_api
from api.border import Border, answer_failure
from api.connections import serve
from api.gate import Gate
from api.page_uploads import PageUploads
from api.service import lifespan, service_routes
from api.signin import ROUTES
from api.startup import refuse_misfit, refuse_unwritable
from api.suggesting import ROUTES as SUGGESTIONS
from core.logs import adopt_loggers
from core.settings import read_settings

# The pages' framework gives every logger a handler of its own; one log is enough.
streamlit.logger.setup_formatter = lambda logger: setattr(logger, "propagate", True)
adopt_loggers("streamlit")

app = st.App(
    Path(__file__).resolve().parent / "pages" / "shell.py",
    routes=[*service_routes(), *ROUTES, *SUGGESTIONS],
    middleware=[Middleware(Border, api=make_api()), Middleware(Gate), Middleware(PageUploads)],
    exception_handlers={Exception: answer_failure},
    lifespan=lifespan,
)

if __name__ == "__main__":
    settings = read_settings()
    refuse_unwritable(settings)
    refuse_misfit(settings)
    serve(app, settings)
