"""Request and answer of alerts, word for word as specified.

Every field stands in every branch: what an action does not use is type-checked and ignored.
"""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from core.records.alerts import SignalLevel
from core.records.wire import NOT_BLANK, WHOLE, AgentData, Answer, Request

Action = Literal["list", "enable_from_query", "remove", "add_manual"]
LONGEST_NAME = 200
LARGEST_ID = 2**31 - 1
BY_ID = ("enable_from_query", "remove")
_SAYS = re.compile(NOT_BLANK)


def _name_branches(schema: dict[str, Any]) -> None:
    """Say in the JSON schema what each action needs."""
    query_id = {"type": "integer", "minimum": 1, "maximum": LARGEST_ID}
    name = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME, "pattern": NOT_BLANK}

    def branch(action: str, **needed: object) -> dict[str, Any]:
        properties = {"action": {"const": action}, **needed}
        title = "".join(word.capitalize() for word in action.split("_"))
        return {"title": title, "properties": properties, "required": ["action", *needed]}

    schema["oneOf"] = [
        branch("list"),
        *(branch(action, query_id=query_id) for action in BY_ID),
        branch("add_manual", drug_name=name),
    ]


class AlertsRequest(Request):
    """What to do with the list of saved queries."""

    model_config = {**Request.model_config, "json_schema_extra": _name_branches}

    action: Action = Field(
        description="list shows the saved queries; enable_from_query watches one of them; remove "
        "ends that, the query stays; add_manual watches a drug.",
        examples=["list"],
    )
    query_id: Annotated[
        int | None,
        Field(
            description=f"One of your saved queries, 1 to {LARGEST_ID}; needed by "
            "enable_from_query and remove.",
            examples=[1],
        ),
        WHOLE,
    ] = None
    drug_name: str | None = Field(
        default=None,
        description=f"A drug, in at most {LONGEST_NAME} signs; needed by add_manual. Names of one "
        "drug are one query.",
        examples=["pembrolizumab"],
    )
    signal_level: SignalLevel = Field(
        default="medium",
        description="From which score on it fires: low 30, medium 50, high 70.",
        examples=["medium"],
    )

    @model_validator(mode="after")
    def _check_used(self) -> Self:
        if self.action in BY_ID:
            self._check_id()
        if self.action == "add_manual":
            self._check_name()
        return self

    def _check_id(self) -> None:
        if self.query_id is None:
            raise _fault("missing_field", "query_id", f"{self.action} needs query_id")
        if not 1 <= self.query_id <= LARGEST_ID:
            words = f"must be a whole number from 1 to {LARGEST_ID}"
            raise _fault("value_out_of_range", "query_id", words)

    def _check_name(self) -> None:
        if self.drug_name is None:
            raise _fault("missing_field", "drug_name", "add_manual needs drug_name")
        if len(self.drug_name) > LONGEST_NAME:
            words = f"must have at most {LONGEST_NAME} signs"
            raise _fault("value_too_long", "drug_name", words)
        if not _SAYS.search(self.drug_name):
            raise _fault("value_malformed", "drug_name", "must name a drug, by letters or digits")


def _fault(code: str, field: str, words: str) -> PydanticCustomError:
    return PydanticCustomError(code, "{words}", {"words": words, "field": field})


def label_request(request: AlertsRequest) -> str:
    """Name a request by what it does."""
    words = {
        "list": "Saved queries and alerts",
        "enable_from_query": f"Watch saved query {request.query_id}",
        "remove": f"End the alert of saved query {request.query_id}",
        "add_manual": f"Watch {' '.join((request.drug_name or '').split())}",
    }
    return "".join(sign for sign in words[request.action] if sign.isprintable())[:200]


class QueryRecord(Answer):
    """A saved query."""

    id: int = Field(description="Its number.")
    query: str = Field(description="Its line.")
    alerts_enabled: bool = Field(description="Whether it is watched.")
    agent: str = Field(description="Whose request it is; alerts for a drug that was typed in.")
    signal_level: SignalLevel = Field(description="From which score on it fires.")
    hits_since_seen: int = Field(ge=0, description="Hits that wait to be seen.")
    last_evaluated_at: str | None = Field(description="Instant of the last evaluation.")
    last_seen_at: str | None = Field(description="Instant at which hits were last seen.")
    muted_until: str | None = Field(description="Hits stay hidden until this time.")
    error: str | None = Field(description="Why it could not be evaluated.")


class AlertQuotaRecord(Answer):
    """How many queries are watched, and how many may be."""

    enabled_count: int = Field(ge=0, description="Watched queries of the caller.")
    max_enabled: int = Field(ge=0, description="As many may be watched.")
    at_cap: bool = Field(description="Whether no further one may.")


class AlertsData(AgentData):
    """The caller's saved queries after the action."""

    action: Action = Field(description="The action as asked.")
    queries: list[QueryRecord] = Field(description="Saved queries of the caller, newest first.")
    quota: AlertQuotaRecord
    query_id: int | None = Field(description="The query that the action was about.")
    warnings: list[str] = Field(description="What was not understood.")
