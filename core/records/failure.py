"""How a failure is written down and answered (contract: envelope and errors)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

ErrorType = Literal[
    "invalid_request",
    "authentication",
    "quota_exceeded",
    "not_found",
    "method_not_allowed",
    "agent_failed",
    "agent_timeout",
]


class ErrorDetail(BaseModel):
    """One field, row or column at fault."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_serialization_defaults_required=True
    )

    field: str = Field(description="Path in the request body, for example `events[3].date`.")
    code: str = Field(description="Stable snake_case word.")
    message: str = Field(description="What is wrong and how to fix it.")


class ErrorBody(BaseModel):
    """The `error` member of every answer that is not a 200."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_serialization_defaults_required=True
    )

    type: ErrorType = Field(description="Class of the failure; one per status.")
    code: str = Field(description="Stable snake_case word.")
    message: str = Field(description="What is wrong and how to fix it, in one sentence.")
    details: list[ErrorDetail] = Field(
        default_factory=list, description="One entry per field, row or column at fault."
    )


class ErrorRecord(ErrorBody):
    """A stored failure: the body and its HTTP status."""

    status: int = Field(description="HTTP status that answers this failure.")


class ErrorEnvelope(BaseModel):
    """The body of every answer that is not a 200."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_serialization_defaults_required=True
    )

    ok: Literal[False] = Field(default=False, description="Always false.")
    agent: str | None = Field(description="Agent name from the path, or null.")
    error: ErrorBody
    elapsed_s: float = Field(description="Seconds from receipt to answer.", ge=0)
    run_id: str | None = Field(description="The run's UUID, or null where no run was begun.")
    request_id: str = Field(description="Identifier of this exchange, also in the logs.")
