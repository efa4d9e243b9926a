"""A twelfth agent for the tests: how often each letter occurs in a text."""

from core.agents.letter_count.schema import LetterCountData, LetterCountRequest

from core.agent import Agent, Example

AGENT = Agent(
    name="letter-count",
    title="Letter count",
    summary="How often each letter occurs in a text.",
    icon="abc",
    group="Strategy",
    request=LetterCountRequest,
    data=LetterCountData,
    pipeline="core.agents.letter_count.pipeline",
    report="core.agents.letter_count.report",
    label=lambda request: f"letters of {len(request.text)} characters",
    steps=("Count",),
    examples=(Example(name="word", title="One word", request={"text": "assay [1]"}),),
)
