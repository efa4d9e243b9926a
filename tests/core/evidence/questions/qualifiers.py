"""Questions with qualifiers, drawn by rule: templates filled with names by a seed."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.evidence.readers.questions.parsed import ParsedText

SEED = 20261127
DISEASES = (
    *("psoriasis", "asthma", "COPD", "multiple myeloma", "ulcerative colitis", "obesity"),
    *("non-small cell lung cancer", "hepatocellular carcinoma", "atopic dermatitis", "lupus"),
    *("Alzheimer's disease", "schizophrenia", "heart failure", "type 2 diabetes", "NASH"),
    *("ovarian cancer", "rheumatoid arthritis", "myasthenia gravis", "hemophilia A", "gout"),
)
TARGETS = ("EGFR", "KRAS G12C", "TROP2", "CLDN18.2", "PCSK9", "TYK2", "BTK", "FcRn", "IL-23")
COMPANIES = ("Pfizer", "Novartis", "Roche", "AstraZeneca", "Takeda", "Gilead", "Sanofi")
KINDS = {
    "antibodies": "monoclonal antibody",
    "antibody-drug conjugates": "ADC",
    "small molecules": "small molecule",
    "gene therapies": "gene therapy",
    "vaccines": "vaccine",
}
DRUGS = ("semaglutide", "pembrolizumab", "dupilumab", "osimertinib", "adalimumab")


@dataclass(frozen=True)
class Values:
    """What a template is filled with."""

    d: str
    e: str
    t: str
    u: str
    c: str
    m: str
    g: str


Read = Callable[[ParsedText, Values], tuple[bool, bool]]
"""Returns whether the qualifier was read, and whether its opposite was."""


def _holds(names: Sequence[object], name: str) -> bool:
    words = [str(getattr(n, "said", None) or getattr(n, "text", None) or n) for n in names]
    labels = [str(getattr(n, "label", "")) for n in names]
    return any(name.casefold() in word.casefold() for word in (*words, *labels))


def _without(field: str, slot: str) -> Read:
    """Expect a name among what is excluded, and never among what is asked for."""

    def read(parsed: ParsedText, values: Values) -> tuple[bool, bool]:
        name = getattr(values, slot)
        name = KINDS.get(name, name)
        excluded = _holds(getattr(parsed, f"not_{field}"), name) or (
            field == "modalities" and bool(parsed.not_modalities)
        )
        asked = _holds(getattr(parsed, field), name) and not excluded
        return excluded, asked

    return read


def _has(field: str, *values: str) -> Read:
    """Expect values of a field; the opposite is that they are excluded."""

    def read(parsed: ParsedText, _: Values) -> tuple[bool, bool]:
        held = [str(value) for value in getattr(parsed, field)]
        against = [str(value) for value in getattr(parsed, f"not_{field}", ())]
        return set(values) <= set(held), bool(set(values) & set(against))

    return read


def _any(*fields: str) -> Read:
    return lambda parsed, _: (any(getattr(parsed, field) for field in fields), False)


def _not_stage(stage: str) -> Read:
    return lambda parsed, _: (
        stage in parsed.not_stages or (bool(parsed.stages) and stage not in parsed.stages),
        stage in parsed.stages,
    )


def _names(*slots: str) -> Read:
    """Expect all named things to be asked for."""

    def read(parsed: ParsedText, values: Values) -> tuple[bool, bool]:
        fields = {
            "d": "diseases",
            "e": "diseases",
            "t": "targets",
            "u": "targets",
            "c": "companies",
        }
        asked = [_holds(getattr(parsed, fields[slot]), getattr(values, slot)) for slot in slots]
        return all(asked), False

    return read


def _unread(*words: str) -> Read:
    """Expect words that no question can narrow by to be left over, not to be dropped."""

    def read(parsed: ParsedText, _: Values) -> tuple[bool, bool]:
        left = " ".join(parsed.words).casefold()
        return any(word in left for word in words), False

    return read


TEMPLATES: tuple[tuple[str, Read], ...] = (
    ("{t} inhibitors outside {d}", _without("diseases", "d")),
    ("{t} inhibitors except in {d}", _without("diseases", "d")),
    ("{t} drugs, not in {d}", _without("diseases", "d")),
    ("{t} drugs in any disease other than {d}", _without("diseases", "d")),
    ("{m} in {d} other than those of {c}", _without("companies", "c")),
    ("{d} drugs not from {c}", _without("companies", "c")),
    ("{d} drugs except {c}", _without("companies", "c")),
    ("{d} drugs excluding {m}", _without("modalities", "m")),
    ("{d} drugs without {m}", _without("modalities", "m")),
    ("{d} drugs that are not {m}", _without("modalities", "m")),
    ("{d} drugs other than {t} inhibitors", _without("targets", "t")),
    ("{d} except {t}", _without("targets", "t")),
    ("{d} drugs other than {g}", _without("drugs", "g")),
    ("{d} drugs besides {g}", _without("drugs", "g")),
    ("{d} drugs from China", _has("regions", "China")),
    ("{d} drugs of Chinese companies", _has("regions", "China")),
    ("{d} drugs from Japanese companies", _has("regions", "Japan")),
    ("{d} drugs not from China", _has("not_regions", "China")),
    ("{d} drugs outside China", _has("not_regions", "China")),
    ("non-Chinese {t} drugs", _has("not_regions", "China")),
    ("oral {d} drugs", _has("routes", "oral")),
    ("{d} drugs, not oral", _has("not_routes", "oral")),
    ("subcutaneous {m} in {d}", _has("routes", "subcutaneous")),
    ("inhaled drugs for {d}", _has("routes", "inhaled")),
    ("phase 3 {d} drugs", _has("stages", "PHASE3")),
    ("{d} drugs in phase 2", _has("stages", "PHASE2")),
    ("preclinical {t} programs", _has("stages", "PRECLINICAL")),
    ("approved {d} drugs", _has("stages", "APPROVED")),
    ("{d} drugs not yet approved", _not_stage("APPROVED")),
    ("unapproved {t} drugs", _not_stage("APPROVED")),
    ("{d} drugs that are not in phase 1", _not_stage("PHASE1")),
    ("discontinued {t} programs", _has("stages", "DISCONTINUED")),
    ("first-line {d}", _any("lines")),
    ("second-line {d} treatment", _any("lines")),
    ("{d} drugs, not first-line", _names("d")),
    ("{t} or {u} inhibitors", _names("t", "u")),
    ("{t} inhibitors in {d}", _names("t", "d")),
    ("{c} drugs in {d}", _names("c", "d")),
    ("{d} or {e}", _names("d", "e")),
    ("{d} drugs in Japan", _any("territories", "regions")),
    ("{d} drugs with an upfront above 100 million", _unread("upfront", "million", "100")),
)


def draw() -> Iterator[tuple[str, Values, Read]]:
    """Yield each template three times, with names drawn by the seed."""
    chance = random.Random(SEED)
    for _ in range(3):
        for template, read in TEMPLATES:
            (d, e), (t, u) = chance.sample(DISEASES, 2), chance.sample(TARGETS, 2)
            c, m, g = (chance.choice(names) for names in (COMPANIES, tuple(KINDS), DRUGS))
            values = Values(d, e, t, u, c, m, g)
            yield template.format(**vars(values)), values, read
