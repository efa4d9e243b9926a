"""What a reader must know of an answer: what was not held, not understood, not proved."""

from collections.abc import Iterable, Iterator, Sequence

from core.briefs.subjects import Subject
from core.evidence.proof.claims import Claim, unmark
from core.evidence.sources.pack.notice import starter_notice
from core.evidence_ports import EvidenceReader
from core.identity_ports import Identity
from core.records.evidence import MentionKind

MOST_NEAREST = 5
NO_EVIDENCE = (
    "no_evidence: this instance holds no evidence; import registers, labels and pipelines "
    "on the Evidence page or with `python -m api evidence import`."
)
NO_NAMES = (
    "names_missing: this instance has no name dictionary, so most drugs, diseases and companies "
    "are not recognized; run `./run setup`."
)
NOT_CONFIGURED = "No language model is configured, so that no web search was made."

NO_WEB_SEARCH = "No web search is configured, so that none was made."


def no_match(kind: MentionKind, text: str, evidence: EvidenceReader) -> str:
    """Return the notice of a name that no record has, with the names near to it."""
    names = [name for name, _ in evidence.nearest_names(kind, text, MOST_NEAREST)]
    hint = f"; names near to it: {', '.join(names)}" if names else ""
    return f"no_match: no record names a {kind} {text!r}{hint}."


def not_held(
    evidence: EvidenceReader, identity: Identity, warnings: Iterable[str]
) -> Iterator[str]:
    """Yield what the evidence lacks, and what was not understood of the request."""
    if notice := starter_notice(evidence):
        yield notice
    if evidence.version():
        if not identity.version():
            yield NO_NAMES
        yield from (unmark(warning) for warning in warnings)
    else:
        yield NO_EVIDENCE


def expert_only(subjects: Sequence[Subject]) -> Iterator[str]:
    """Yield of how many drugs the target rests on curators' knowledge alone."""
    experts = sum(subject.is_expert_only for subject in subjects)
    if experts:
        yield (
            f"expert_only: the target of {experts} of {len(subjects)} drugs is curator-entered and "
            "not yet verified; they are marked in the table."
        )


def claims_dropped(dropped: Sequence[Claim]) -> Iterator[str]:
    """Yield how many sentences failed their proof."""
    if dropped:
        sentences = "1 sentence" if len(dropped) == 1 else f"{len(dropped)} sentences"
        yield f"claims_dropped: {sentences} not shown, for lack of support in the records cited."
