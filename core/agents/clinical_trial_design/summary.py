"""The summary: claims about precedents, control and competition, proved before they are shown."""

from collections.abc import Iterator

from core.agents.clinical_trial_design.asked import Asked
from core.agents.clinical_trial_design.decisions import decide
from core.agents.clinical_trial_design.gathering import Holding
from core.agents.clinical_trial_design.schema import ClinicalTrialDesignRequest
from core.briefs.skeleton import Dossier
from core.evidence.proof.claims import Claim, count_of, make_claim
from core.vocabulary.endpoints import classify_endpoint

Studied = Dossier[ClinicalTrialDesignRequest, Asked, Holding]
MOST_CITED = 5


def say(dossier: Studied) -> Iterator[Claim]:
    """Yield what precedents are on record and how they chose."""
    asked, found = dossier.asked, dossier.found
    trials = [one.row for one in found.precedents.trials]
    if not trials:
        return
    ids = [one.record_id for one in trials[:MOST_CITED]]
    yield make_claim(
        f"{len(trials)} precedent trials found in {asked.disease}.",
        "computed",
        ids,
        figures=[count_of(len(trials), (one.number for one in trials))],
        words=[asked.disease],
    )
    made = decide(asked, found)
    if made.endpoint and classify_endpoint(made.endpoint):
        same = [one for one in trials if any(end.name == made.endpoint for end in one.endpoints)]
        if same:
            yield make_claim(
                f"{len(same)} of them have {made.endpoint} as a primary endpoint.",
                "computed",
                [one.record_id for one in same[:MOST_CITED] if one.record_id in dossier.records],
                figures=[count_of(len(same), (one.number for one in same))],
            )
    if found.competing:
        rows = [one.row for one in found.competing]
        yield make_claim(
            f"{len(rows)} trials recruit the same patients now.",
            "computed",
            [one.record_id for one in rows[:MOST_CITED] if one.record_id in dossier.records],
            figures=[count_of(len(rows), (one.number for one in rows))],
        )
