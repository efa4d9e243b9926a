"""A sample agent on evidence for the tests: the drugs of a target by stage."""

from core.agents.target_stages.schema import TargetStagesData, TargetStagesRequest

from core.agent import Agent, Example

AGENT = Agent(
    name="target-stages",
    title="Target stages",
    summary="How far the drugs of a target are.",
    icon="stairs",
    group="Strategy",
    request=TargetStagesRequest,
    data=TargetStagesData,
    pipeline="core.agents.target_stages.pipeline",
    report="core.agents.target_stages.report",
    label=lambda request: " ".join(request.target.split()),
    steps=("Read target", "Gather drugs", "Write summary"),
    examples=(Example(name="cd20", title="Drugs on CD20", request={"target": "CD20"}),),
    reads_evidence=True,
)
