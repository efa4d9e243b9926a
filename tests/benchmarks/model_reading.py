"""How many questions are understood by rules, with an honest model, and with each liar.

python -m tests.benchmarks.model_reading HOME [--show]

The questions are made by a rule: names as analysts in other countries write them, and targets with
number words, in phrasings of our own; half of the names were looked at while the reading was
written, the other half is held out by a digest of the name.
"""

import hashlib
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from core.briefs.asking import read_question
from core.briefs.developments.question import held_by
from core.evidence.readers.questions.parsed import ParsedText
from core.settings import Settings
from core.workbench import RunContext
from tests.benchmarks.frozen_answers import make_context
from tests.benchmarks.targets import say
from tests.standin.inprocess import InProcess, make_drafter
from tests.standin.models import READING_LIES, Answer, make_liar, make_reader

DISEASES = {
    "artrite reumatoide": "rheumatoid arthritis",
    "artritis reumatoidea": "rheumatoid arthritis",
    "spondilite anchilosante": "ankylosing spondylitis",
    "espondilite anquilosante": "ankylosing spondylitis",
    "spondylarthrite ankylosante": "ankylosing spondylitis",
    "artrite psoriasica": "psoriatic arthritis",
    "artritis psoriasica": "psoriatic arthritis",
    "arthrite psoriasique": "psoriatic arthritis",
    "dermatite atopica": "atopic dermatitis",
    "dermatita atopica": "atopic dermatitis",
    "atopisk dermatit": "atopic dermatitis",
    "atopische dermatitis": "atopic dermatitis",
    "sclerosi multipla": "multiple sclerosis",
    "esclerose multipla": "multiple sclerosis",
    "multipel skleros": "multiple sclerosis",
    "multipel sklerose": "multiple sclerosis",
    "sclerosi laterale amiotrofica": "amyotrophic lateral sclerosis",
    "esclerose lateral amiotrofica": "amyotrophic lateral sclerosis",
    "sclerosi sistemica": "systemic sclerosis",
    "esclerodermia sistemica": "systemic scleroderma",
    "miastenia gravis": "myasthenia gravis",
    "myasthenie gravis": "myasthenia gravis",
    "fibrosi cistica": "cystic fibrosis",
    "fibrose cistica": "cystic fibrosis",
    "fibrosi polmonare idiopatica": "idiopathic pulmonary fibrosis",
    "fibrose pulmonar idiopatica": "idiopathic pulmonary fibrosis",
    "fibrosis pulmonar idiopatica": "idiopathic pulmonary fibrosis",
    "idiopatisk pulmonell fibros": "idiopathic pulmonary fibrosis",
    "carcinoma epatocellulare": "hepatocellular carcinoma",
    "hepatocellulair carcinoom": "hepatocellular carcinoma",
    "hepatocellulart karcinom": "hepatocellular carcinoma",
    "carcinoma uroteliale": "urothelial carcinoma",
    "carcinoma urotelial": "urothelial carcinoma",
    "urotheelcarcinoom": "urothelial carcinoma",
    "mieloma multiplo": "multiple myeloma",
    "mielom multiplu": "multiple myeloma",
    "multipelt myelom": "multiple myeloma",
    "multipel myelom": "multiple myeloma",
    "leucemia mieloide acuta": "acute myeloid leukemia",
    "leucemia mieloide aguda": "acute myeloid leukemia",
    "leucemie mieloida acuta": "acute myeloid leukemia",
    "acute myeloide leukemie": "acute myeloid leukemia",
    "leucemia linfoblastica acuta": "acute lymphoblastic leukemia",
    "leucemia linfatica cronica": "chronic lymphocytic leukemia",
    "linfoma follicolare": "follicular lymphoma",
    "linfoma folicular": "follicular lymphoma",
    "folliculair lymfoom": "follicular lymphoma",
    "glioblastoom": "glioblastoma",
    "colangiocarcinoma": "cholangiocarcinoma",
    "cholangiocarcinoom": "cholangiocarcinoma",
    "osteosarkom": "osteosarcoma",
    "neuroblastoom": "neuroblastoma",
    "esofagite eosinofila": "eosinophilic esophagitis",
    "esofagitis eosinofilica": "eosinophilic esophagitis",
    "eosinofiele oesofagitis": "eosinophilic esophagitis",
    "lupus eritematoso sistemico": "systemic lupus erythematosus",
    "lupus eritematos sistemic": "systemic lupus erythematosus",
    "nefrite lupica": "lupus nephritis",
    "nefritis lupica": "lupus nephritis",
    "orticaria cronica spontanea": "chronic spontaneous urticaria",
    "urticaria cronica espontanea": "chronic spontaneous urticaria",
    "idrosadenite suppurativa": "hidradenitis suppurativa",
    "hidradenite supurativa": "hidradenitis suppurativa",
    "pemfigo vulgaris": "pemphigus vulgaris",
    "penfigo vulgar": "pemphigus vulgaris",
    "alopecia areatta": "alopecia areata",
    "colangite sclerosante primitiva": "primary sclerosing cholangitis",
    "colangite biliare primitiva": "primary biliary cholangitis",
    "emofilia A": "hemophilia A",
    "hemofilie A": "hemophilia A",
    "talassemia": "thalassemia",
    "amiloidosi": "amyloidosis",
    "amiloidose": "amyloidosis",
    "acondroplasia": "achondroplasia",
    "achondroplasie": "achondroplasia",
    "distrofia muscolare di Duchenne": "Duchenne muscular dystrophy",
    "distrofia muscular de Duchenne": "Duchenne muscular dystrophy",
    "atrofia muscolare spinale": "spinal muscular atrophy",
    "atrofia muscular espinal": "spinal muscular atrophy",
    "retinite pigmentosa": "retinitis pigmentosa",
    "retinitis pigmentaria": "retinitis pigmentosa",
    "depressione maggiore": "major depression",
    "polineuropatia demielinizzante infiammatoria cronica": (
        "chronic inflammatory demyelinating polyneuropathy"
    ),
}
TARGETS = {
    "interleukin seventeen": "IL-17",
    "interleukin twenty-three": "IL-23",
    "IL-twenty-three": "IL-23",
    "interleukin thirteen": "IL-13",
    "interleukin thirty-three": "IL-33",
    "interleukin five": "IL-5",
    "interleukin six": "IL-6",
    "IL-thirteen": "IL-13",
    "IL-seventeen": "IL-17",
    "HER-two": "HER2",
    "HER-three": "HER3",
    "claudin eighteen": "CLDN18",
    "TIM-three": "TIM-3",
    "factor eleven": "factor XI",
    "interleukin thirty-one": "IL-31",
    "LAG-three": "LAG-3",
    "nectin-four": "nectin-4",
    "trop-two": "TROP2",
    "BCL-two": "BCL2",
    "DLL-three": "DLL3",
}
PHRASINGS = (
    "drugs for {}",
    "{} phase 2",
    "small molecules in {}",
    "competitive landscape of {}",
    "biologics against {}, phase 2 or later",
)
_COMPARED = (
    *("targets", "diseases", "drugs", "modalities", "routes", "companies", "stages", "regions"),
    *("not_targets", "not_diseases", "not_drugs", "mechanisms", "lines", "populations"),
)


@dataclass(frozen=True)
class Case:
    """A question as it is written, and the same with the names that the rules know."""

    question: str
    plain: str
    name: str
    is_held_out: bool


def make_cases() -> Iterator[Case]:
    """Yield the questions, one phrasing a name."""
    for number, (written, meant) in enumerate({**DISEASES, **TARGETS}.items()):
        phrasing = PHRASINGS[number % len(PHRASINGS)]
        digest = hashlib.sha256(written.encode()).digest()[0]
        yield Case(phrasing.format(written), phrasing.format(meant), written, digest % 2 == 1)


def named(parsed: ParsedText) -> Mapping[str, frozenset[str]]:
    """Return what a question names, by field."""
    return {
        part.name: frozenset(
            str(getattr(value, "key", "") or getattr(value, "text", "") or value)
            for value in getattr(parsed, part.name)
        )
        for part in fields(parsed)
        if part.name in _COMPARED
    }


def entities(parsed: ParsedText) -> frozenset[str]:
    """Return the entities that a question names."""
    found = named(parsed)
    return frozenset().union(*(found[name] for name in ("targets", "diseases", "drugs")))


@dataclass
class Score:
    """How a model reads: questions understood, and read as something else than the rules do."""

    understood: int = 0
    newly_wrong: int = 0
    overturned: int = 0
    foreign: int = 0


class Reading:
    """Reads questions on an instance."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._lookup = held_by(context.evidence, context.resolver)

    def read(self, text: str, answer: Answer | None = None) -> ParsedText:
        """Return a question as it is understood, by rules alone or with a model."""
        drafter = make_drafter(InProcess(answer)) if answer else None
        return read_question(text, self._context.resolver, self._lookup, drafter)

    def score(self, cases: list[Case], answer: Answer | None, *, shown: bool = False) -> Score:
        """Return how a model reads some questions."""
        score = Score()
        for case in cases:
            rules, plain = self.read(case.question), self.read(case.plain)
            parsed = self.read(case.question, answer)
            is_right = named(parsed) == named(plain) and bool(entities(plain))
            score.understood += is_right
            was_right = named(rules) == named(plain)
            extra = entities(parsed) - entities(rules)
            score.newly_wrong += bool(extra - entities(plain)) or (was_right and not is_right)
            score.foreign += bool(extra - entities(plain))
            kept = all(named(rules)[name] <= named(parsed)[name] for name in named(rules))
            score.overturned += not kept
            if shown and not is_right:
                say(f"  {case.question!r}: {sorted(entities(parsed))} {parsed.words}")
        return score


def measure(context: RunContext, *, shown: bool = False) -> dict[str, Any]:
    """Return the figures of both halves and of every liar, and print them."""
    reading = Reading(context)
    cases = list(make_cases())
    table = {**DISEASES, **TARGETS}
    lower = {name.casefold(): meant for name, meant in table.items()}
    figures: dict[str, Any] = {}
    for title, is_held_out in (("seen", False), ("held out", True)):
        part = [case for case in cases if case.is_held_out is is_held_out]
        rules, honest = (
            reading.score(part, answer, shown=shown) for answer in (None, make_reader(lower))
        )
        figures[title] = (len(part), rules, honest)
        say(
            f"{title}: {len(part)} questions; understood by rules {rules.understood}, "
            f"with an honest model {honest.understood} "
            f"(+{100 * (honest.understood - rules.understood) / len(part):.1f} points); newly "
            f"wrong {honest.newly_wrong}, rules overturned {honest.overturned}"
        )
    for kind in READING_LIES:
        score = reading.score(cases, make_liar(kind))
        figures[kind] = score
        say(
            f"liar, {kind}: entities that the question does not name {score.foreign}, rules "
            f"overturned {score.overturned}"
        )
    return figures


if __name__ == "__main__":
    random.seed(1)
    HOME, *more = sys.argv[1:]
    measure(make_context(Settings(home=Path(HOME))), shown="--show" in more)
