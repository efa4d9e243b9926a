"""What every section of a label strategy is written from."""

from dataclasses import dataclass, replace

from core.agents.label_strategy.gathering import Holdings
from core.agents.label_strategy.question import Question
from core.agents.label_strategy.sentence import Claim
from core.evidence.proof.citations import Cite


@dataclass(frozen=True)
class LabelCase:
    """The request as understood, what the evidence holds, and the claim that is weighed."""

    question: Question
    findings: Holdings
    claim: Claim
    cite: Cite

    def claiming(self, claim: Claim) -> "LabelCase":
        """Return the case for another claim."""
        return replace(self, claim=claim)
