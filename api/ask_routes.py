"""`POST /v1/ask`: a question in, sentences and rows of runs out."""

import asyncio
from typing import cast

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from starlette.responses import Response

from api.agent_routes import finished
from api.auth import require_caller
from api.bodies import read_json
from api.threads import in_thread
from api.validation import read_request
from core.agent import MEGABYTE
from core.asking.answering import begin_runs, plan_question, write_answer
from core.asking.records import AskAnswer, AskRequest
from core.workbench import current

router = APIRouter(tags=["ask"])


@router.post("/ask", operation_id="ask", response_model=AskAnswer)
async def ask(request: HttpRequest) -> Response:
    """Answer a question in plain words: agents are chosen and run, at most four.

    Each sentence and row names its run, and three filled requests lead on. Costs one run of the
    quota for each run that begins; stored answers are free. What no agent answers, needs a file or
    changes your account is not run: `cannot` and `help` say why.
    """
    caller = await require_caller(request)
    body = await read_json(request, MEGABYTE)
    question = cast("AskRequest", read_request(AskRequest, body))
    plan = await in_thread(plan_question, question, caller, current())
    begun = await in_thread(begin_runs, plan, caller, current())
    runs = await asyncio.gather(*(finished(request, run, caller) for run in begun.runs))
    answer = await in_thread(write_answer, question, begun.ended(runs), caller, current())
    content = answer.model_dump_json().encode()
    return Response(content, headers={"Cache-Control": "no-store"}, media_type="application/json")
