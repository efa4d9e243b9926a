"""The error tree: every failure that a caller can meet, with its fate as data.

    WorkbenchError                500 agent_failed
      InvalidInput                400 invalid_request
        MissingColumn  UnknownGroup  TooFewReplicates  ConfoundedDesign  UnreadableTable
      NotAuthenticated            401 authentication
      QuotaExceeded               402 quota_exceeded
      NotFound                    404 not_found
      MethodNotAllowed            405 method_not_allowed
      AgentTimeout                504 agent_timeout
      AnalysisError               500 analysis_failed
        DidNotConverge
      ExecutionError              500
        WorkerCrashed  OutOfMemory  StorageFull  StorageUnavailable  TooBusy
          StorageDamaged
      EvidenceDamaged             500 evidence_damaged
      KnowledgeError              500 knowledge_damaged
      RunCancelled                500 cancelled

Only `api.errors` turns these into statuses and only `pages.ui` into notices.
"""

from collections.abc import Sequence
from typing import ClassVar

from core.records.failure import ErrorDetail, ErrorRecord, ErrorType


class WorkbenchError(Exception):
    """A failure with a message that says what was wrong and what would be right."""

    status: ClassVar[int] = 500
    type: ClassVar[ErrorType] = "agent_failed"
    code: ClassVar[str] = "agent_failed"
    retryable: ClassVar[bool] = False

    def __init__(
        self, message: str, *, code: str | None = None, details: Sequence[ErrorDetail] = ()
    ) -> None:
        """Keep the message, the machine-readable word and the fields concerned.

        Args:
            message: One sentence: what was wrong, with which value, and the remedy.
            code: Snake-case word; the class's own when left out.
            details: One entry per field, row or column concerned.
        """
        super().__init__(message)
        self.message = message
        self.word = code or self.code
        self.details = tuple(details)

    def record(self) -> ErrorRecord:
        """Return the failure as the record that is stored and answered."""
        return ErrorRecord(
            status=self.status,
            type=self.type,
            code=self.word,
            message=self.message,
            details=list(self.details),
        )


class InvalidInput(WorkbenchError):
    """The request cannot be answered as it stands."""

    status = 400
    type = "invalid_request"
    code = "invalid_value"

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        code: str | None = None,
        details: Sequence[ErrorDetail] = (),
    ) -> None:
        """Name the request field at fault when there is one.

        Args:
            message: What was wrong and how to mend it.
            field: Path in the request body, for example `events[3].date`.
            code: Snake-case word; the class's own when left out.
            details: Given instead of `field` when several places are at fault.
        """
        if field is not None and not details:
            details = (ErrorDetail(field=field, code=code or self.code, message=message),)
        super().__init__(message, code=code, details=details)


class MissingColumn(InvalidInput):
    """A named column is not in the table."""

    code = "missing_column"


class UnknownGroup(InvalidInput):
    """A named group does not occur in the condition column."""

    code = "unknown_group"


class TooFewReplicates(InvalidInput):
    """The design leaves no residual degrees of freedom."""

    code = "too_few_replicates"


class ConfoundedDesign(InvalidInput):
    """A covariate cannot be told apart from the condition."""

    code = "confounded_design"


class UnreadableTable(InvalidInput):
    """A file is not a table that can be read."""

    code = "unreadable_table"


class ChangedMeanwhile(InvalidInput):
    """Somebody else has saved a newer version of what was edited."""

    code = "changed_meanwhile"


class NotAuthenticated(WorkbenchError):
    """The key or the session is missing or not valid."""

    status = 401
    type = "authentication"
    code = "invalid_api_key"


class QuotaExceeded(WorkbenchError):
    """The caller's quota is used up."""

    status = 402
    type = "quota_exceeded"
    code = "quota_exceeded"


class NotFound(WorkbenchError):
    """There is no such thing, or it belongs to somebody else."""

    status = 404
    type = "not_found"
    code = "not_found"


class MethodNotAllowed(WorkbenchError):
    """The address exists but does not take this method."""

    status = 405
    type = "method_not_allowed"
    code = "method_not_allowed"


class AgentTimeout(WorkbenchError):
    """The run exceeded its time allowance."""

    status = 504
    type = "agent_timeout"
    code = "timed_out"
    retryable = True


class AnalysisError(WorkbenchError):
    """The computation could not be finished on this input."""

    code = "analysis_failed"


class DidNotConverge(AnalysisError):
    """An iteration reached its limit without a result."""

    code = "did_not_converge"


class ExecutionError(WorkbenchError):
    """The process that computed the run came to grief."""

    code = "execution_failed"
    retryable = True


class WorkerCrashed(ExecutionError):
    """The worker process ended without an answer."""

    code = "worker_crashed"


class OutOfMemory(ExecutionError):
    """The run needed more memory than it may use."""

    code = "out_of_memory"
    retryable = False


class StorageFull(ExecutionError):
    """The disk that holds results is full."""

    code = "storage_full"


class StorageUnavailable(ExecutionError):
    """The database does not answer."""

    code = "storage_unavailable"


class StorageDamaged(StorageUnavailable):
    """The database file is damaged."""

    code = "storage_damaged"
    retryable = False


class TooBusy(ExecutionError):
    """So much of the same waits already that one more would wait too long."""

    code = "too_busy"


class EvidenceDamaged(WorkbenchError):
    """An evidence pack failed its check; the one in use stays."""

    code = "evidence_damaged"


class KnowledgeError(WorkbenchError):
    """A table of knowledge is not what it must be; it never reaches a run unnoticed."""

    code = "knowledge_damaged"


class RunCancelled(WorkbenchError):
    """The caller cancelled the run."""

    code = "cancelled"
