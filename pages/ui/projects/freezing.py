"""An answer as a block: what its page shows, copied."""

from core.records.projects import BlockContent
from core.records.runs import RunRecord
from core.registry import agent_of
from core.reports.projects import freeze_answer
from core.results import load_view
from core.workbench import current
from pages.ui.composing import compose_document
from pages.ui.starting import stored_request


def freeze_run(run: RunRecord) -> BlockContent:
    """Return a completed run as a block.

    Raises:
        NotFound: The run has no result.
    """
    document = compose_document(run, load_view(run, current()))
    request = stored_request(agent_of(run.agent), run)
    return freeze_answer(document, request.model_dump(mode="json", by_alias=True))
