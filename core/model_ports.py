"""What a language model, the ledger of its calls and the web must offer."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Protocol

from core.records.model import CallOutcome, ModelCall, ModelTotal, Prompt, Provider, Reply
from core.records.web import SearchAnswer


class NoReply(Exception):  # noqa: N818 - what the drafter turns into a warning
    """A request to which a model gave no answer.

    Attributes:
        outcome: What became of it.
        message: A few words for a reader; never what the other side sent.
        retry_after_s: Seconds after which it may be asked again; None where that is no use.
    """

    def __init__(
        self, outcome: CallOutcome, message: str, retry_after_s: float | None = None
    ) -> None:
        """Set outcome, words and wait."""
        super().__init__(message)
        self.outcome: CallOutcome = outcome
        self.message = message
        self.retry_after_s = retry_after_s


class LanguageModel(Protocol):
    """One model of one provider."""

    @property
    def provider(self) -> Provider:
        """Return who runs it."""

    @property
    def name(self) -> str:
        """Return its identifier."""

    @property
    def needs_probe(self) -> bool:
        """Return whether it must first show that it follows a schema."""

    def ask(self, prompt: Prompt, timeout_s: float) -> Reply:
        """Send one request, once. Raises NoReply."""
        ...


class ModelCalls(Protocol):
    """The ledger: one line for every request to a model, failed ones among them."""

    def add(self, call: ModelCall) -> None:
        """Write one line."""
        ...

    def tokens_since(self, user_id: int, since: datetime) -> int:
        """Return the tokens that a caller has used since an instant."""
        ...

    def totals_since(self, user_id: int, since: datetime) -> Sequence[ModelTotal]:
        """Return what a caller has used since an instant, by task and model."""
        ...

    def last_failures(self, provider: str, model: str, most: int) -> Sequence[datetime]:
        """Return when a model failed since it last answered, the newest first."""
        ...


class WebSearch(Protocol):
    """One search of the web."""

    def search(
        self, query: str, limit: int, since: date | None = None, hosts: Sequence[str] = ()
    ) -> SearchAnswer:
        """Return addresses for a query; nothing is raised.

        Args:
            query: Words that code wrote.
            limit: Most hits.
            since: First day of publication, where the search can tell.
            hosts: Hosts to which the hits are limited; none for all.
        """
        ...


class PageRefused(Exception):  # noqa: N818 - a page that is left out, with the reason
    """A page that was not fetched or has no text; its message is one sentence for a reader.

    Attributes:
        reason: Short key, under which it is counted.
    """

    def __init__(self, reason: str, message: str) -> None:
        """Set key and sentence."""
        super().__init__(message)
        self.reason = reason
