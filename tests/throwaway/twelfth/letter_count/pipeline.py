"""Counts letters."""

from collections import Counter

import pandas as pd
from core.agents.letter_count.schema import (
    LetterCountData,
    LetterCountRequest,
    LetterSource,
    LetterTable,
)

from core.workbench import RunContext


def run(request: LetterCountRequest, context: RunContext) -> LetterCountData:
    """Count the letters of the text."""
    context.progress("Count", 0, 1, "")
    counted = Counter(char for char in request.text.lower() if char.isalpha()).most_common()
    context.progress("Count", 1, 1, f"{len(counted)} letters")
    return LetterCountData(
        query_id=context.query_id,
        run_uuid=context.run_uuid,
        letters=LetterTable("letters", pd.DataFrame(counted, columns=["letter", "count"])),
        summary=f"{len(counted)} different letters [1].",
        sources=[LetterSource(id="1", title="the request's text")],
        warnings=["plain_letters: other characters are left out."],
    )
