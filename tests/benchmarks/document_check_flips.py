"""Checks true sentences made from the evidence, and the same sentences made false.

`python -m tests.benchmarks.document_check_flips HOME [SEED]`: HOME is an instance with names and
the starter pack. Drugs are drawn by seed; each fact of theirs becomes a true sentence and its
flips: denials and hedges, wrong regions, days and times, a second wrong target, a turned action, a
line, biomarker or combination that nothing bears out, another brand, another endpoint, size or
interval of a result, the direction, currency and kind of a deal's amount, an old stage, a sponsor.
Printed are, by kind, false sentences called supported, true ones called wrong, and the share of
true ones that is supported.
"""

import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from core.checking.checker import check_document
from core.checking.entities import find_entities
from core.checking.facts import Facts, gather_facts
from core.checking.results import CheckedSentence
from core.documents.reading import read_document
from core.evidence.assets.roles import ORIGINATOR, owners_of
from core.records.evidence_pack import FactQuery
from core.records.programs import Asset
from core.records.stages import phase_words
from tests.benchmarks.document_check import SEED, open_library
from tests.benchmarks.targets import say

N_DRUGS, N_BATCH = 300, 300
OTHER_TARGETS = ("PCSK9", "BRAF", "IL-17A", "CGRP")
OTHER_COMPANIES = ("Ipsen", "UCB", "Lundbeck", "Grifols")


class Made(NamedTuple):
    """A sentence made from the evidence."""

    kind: str
    text: str
    is_true: bool


def _day(on: str) -> str:
    day = date.fromisoformat(on)
    return f"{day:%B} {day.day}, {day.year}"


def of_approvals(name: str, asset: Asset) -> Iterator[Made]:
    """Yield a drug's FDA approval, its day and uses, with their flips."""
    regions = {x.region: x for x in asset.regions if x.stage == "APPROVED" and not x.is_over}
    fda = regions.get("FDA")
    if fda is None:
        return
    yield Made("approved", f"{name} is approved by the FDA.", is_true=True)
    yield Made("denial", f"{name} was refused approval by the FDA.", is_true=False)
    yield Made("denial", f"{name} has almost been approved by the FDA.", is_true=False)
    yield Made("denial", f"{name} is approved neither by the FDA nor in Japan.", is_true=False)
    if "EMA" in regions:
        text = f"{name} is approved in the United States but not in Europe."
        yield Made("wrong region", text, is_true=False)
        yield Made("wrong region", f"{name} is approved only in the United States.", is_true=False)
    if len(fda.first_on) == len("2021-05-28"):
        year, month = int(fda.first_on[:4]), int(fda.first_on[5:7])
        half = "second" if month <= 6 else "first"
        yield Made("day", f"{name} was approved by the FDA on {_day(fda.first_on)}.", is_true=True)
        for when in (
            f"before {year - 1}",
            f"between {year - 6} and {year - 3}",
            f"in the {half} half of {year}",
            f"on {_day(fda.first_on.replace(str(year), str(year - 2)).replace('-29', '-28'))}",
        ):
            yield Made("wrong day", f"{name} was approved by the FDA {when}.", is_true=False)
    for program in asset.programs:
        uses = [x for x in program.stages if x.stage == "APPROVED" and x.region == "FDA"]
        if not uses or uses[0].is_over or not program.indication_key:
            continue
        use = program.indication
        yield Made("use", f"{name} is approved by the FDA for {use}.", is_true=True)
        for flip in (
            f"{name} is approved by the FDA as a third-line treatment of {use}.",
            f"{name} is approved by the FDA for GNAQ-negative {use}.",
            f"{name} plus aspirin is approved by the FDA for {use}.",
            f"{name} eye drops are approved by the FDA for {use}.",
            f"{name} is the only drug that is approved by the FDA for {use}.",
        ):
            yield Made("line, marker, form", flip, is_true=False)
        return


def of_makers(name: str, asset: Asset, chance: random.Random) -> Iterator[Made]:
    """Yield who made a drug and what it acts on, with their flips."""
    owners = [x.company for x in asset.companies if x.role == ORIGINATOR] or owners_of(asset)
    if not owners or len(asset.targets) != 1:
        return
    [link] = asset.targets
    word = re.search(r"\b(?:ant)?agonist\b|\binhibitor\b", link.mechanism.text)
    if link.target.relation != "single" or word is None:
        return
    owner, target, action = owners[0], link.target.text, word[0]
    article = "an" if target[0] in "AEFHILMNORSX" else "a"
    other = chance.choice(OTHER_TARGETS)
    wrong = chance.choice(OTHER_COMPANIES)
    turned = "inhibitor" if action == "agonist" else "agonist"
    begin = f"{name}, developed by {owner}, is {article}"
    yield Made("maker and target", f"{begin} {target} {action}.", is_true=True)
    yield Made("target", f"{name} is {article} {target} {action}.", is_true=True)
    if other != target:
        yield Made("second target", f"{begin} {target} and {other} {action}.", is_true=False)
    yield Made("action turned", f"{name} is {article} {target} {turned}.", is_true=False)
    yield Made("dual", f"{name} is a dual {target} {action}.", is_true=False)
    if wrong not in {x.company for x in asset.companies}:
        text = f"{name}, developed by {wrong}, is {article} {target} {action}."
        yield Made("owner", text, is_true=False)
        yield Made("owner", f"{name} was discovered by {wrong}.", is_true=False)


def of_stages(name: str, asset: Asset) -> Iterator[Made]:
    """Yield the current stage of a drug in development, with its flips."""
    program = next(iter(asset.programs), None)
    if program is None or program.shown_stage != "PHASE3" or not program.indication_key:
        return
    use = program.indication
    yield Made("stage", f"{name} is in phase 3 for {use}.", is_true=True)
    yield Made("past stage", f"{name} is still in phase 1 for {use}.", is_true=False)
    yield Made("past stage", f"In 1991, {name} was in phase 3 for {use}.", is_true=False)
    yield Made("past stage", f"{name} has not yet entered phase 3 for {use}.", is_true=False)


def of_trials(name: str, asset: Asset) -> Iterator[Made]:
    """Yield one trial of a drug, with its flips."""
    trials = [x for y in asset.programs for x in y.trials if x.phase and x.n and x.sponsor_group]
    for trial in trials[:1]:
        number, phase, n = trial.number, phase_words(trial.phase), trial.n or 0
        begin = f"{number} is a {phase} trial of {name}"
        text = f"{begin} with {n} participants sponsored by {trial.sponsor_group}."
        yield Made("trial", text, is_true=True)
        yield Made("trial size", f"{begin} in {n * 10 + 7} patients.", is_true=False)
        yield Made("sponsor", f"{begin} sponsored by Grifols.", is_true=False)
        other = "phase 1" if "3" in phase else "phase 3"
        yield Made("trial phase", f"{number} is a {other} trial of {name}.", is_true=False)
        status = "terminated" if trial.status.upper() != "TERMINATED" else "completed"
        yield Made("trial status", f"{begin} that was {status}.", is_true=False)
        yield Made("trial design", f"{begin} with prisoners, double-masked.", is_true=False)


def of_figures(name: str, asset: Asset, facts: Facts) -> Iterator[Made]:
    """Yield one hazard ratio of a drug, with its flips."""
    for stored in facts.figures.get(asset.key, ()):
        fact = stored.fact
        mark = [x.strip() for x in fact.qualifiers.population.split(";")]
        if fact.unit != "hazard ratio" or not fact.record_id.startswith("pack:") or len(mark) < 3:
            continue
        value, endpoint, trial = fact.value or 0.0, fact.object, mark[1]
        text = f"In {trial}, {name} had a hazard ratio of {value} for {endpoint}"
        yield Made("figure", f"{text}.", is_true=True)
        other = "overall survival" if "overall" not in endpoint else "disease-free survival"
        for kind, flip in (
            ("hazard ratio", text.replace(f"of {value}", f"of {value + 0.21:.2f}")),
            ("hazard ratio", text.replace(f"of {value}", "of 1")),
            ("endpoint", text.replace(endpoint, other)),
            ("trial of a figure", text.replace(trial, "KEYNOTE-999")),
            ("size of a figure", f"{text} (n=17)"),
            ("interval", f"{text} (95% CI 0.11-0.12)"),
            ("population", f"{text} in pregnant women"),
        ):
            yield Made(kind, f"{flip}.", is_true=False)
        return


def of_deals(name: str, asset: Asset, facts: Facts) -> Iterator[Made]:
    """Yield one license of a drug, with its flips."""
    for deal in facts.deals.get(asset.key, ()):
        giver, taker, upfront = deal.licensor, deal.licensee, deal.upfront
        if not (giver and taker and upfront) or len(deal.day) != len("2021-05-28"):
            continue
        when, paid = f"in {date.fromisoformat(deal.day):%B %Y}", f"{upfront.value:g} million"
        text = f"{taker} licensed {name} from {giver} {when} for ${paid} upfront"
        yield Made("deal", f"{text}.", is_true=True)
        for kind, flip in (
            ("direction", f"{giver} licensed {name} from {taker} {when} for ${paid} upfront"),
            ("direction", f"{taker} licensed {name} to {giver} {when}"),
            ("currency", text.replace(f"${paid}", f"\u20ac{paid}")),
            ("kind of amount", f"{text[: -len('upfront')]}in milestones"),
            ("ended deal", text.replace("licensed", "declined to license")),
            ("territory", text.replace(name, f"the Antarctic rights to {name}")),
        ):
            yield Made(kind, f"{flip}.", is_true=False)
        return


def of_brands(asset: Asset, facts: Facts) -> Iterator[Made]:
    """Yield the days of two US brands of a drug, and one brand with the other's day."""
    days: dict[str, str] = {}
    for stored in facts.dates.get(asset.key, ()):
        record_id, on = stored.fact.record_id, stored.fact.object
        names = facts.names.get(asset.key, {}).get(record_id, ())
        is_brand = len(names) == 2 and re.fullmatch(r"[A-Za-z]{4,}", names[1])
        if is_brand and record_id.startswith("drugsfda:") and len(on) == len("2021-05-28"):
            days[names[1].capitalize()] = min(on, days.get(names[1].capitalize(), on))
    if len({on[:4] for on in days.values()}) != len(days) or len(days) < 2:
        return
    (first, early), (last, late) = sorted(days.items(), key=lambda pair: pair[1])[:: len(days) - 1]
    yield Made("brand", f"{first} was approved by the FDA on {_day(early)}.", is_true=True)
    yield Made("brand", f"{last} was approved by the FDA on {_day(late)}.", is_true=True)
    yield Made("brand", f"{last} was approved by the FDA on {_day(early)}.", is_true=False)


def make(seed: int, home: str) -> list[Made]:
    """Return sentences about drugs drawn by seed."""
    library, chance = open_library(home), random.Random(f"{seed} flips")
    stored = library.evidence.facts(FactQuery(sources=["pack"], predicates=["in_stage"]))
    results = library.evidence.facts(FactQuery(sources=["pack"], predicates=["label_result"]))
    deals = library.evidence.facts(FactQuery(sources=["deals"], predicates=["deal_type"]))
    drawn: list[str] = []
    for each in (stored, results, deals):
        names = {x.fact.subject for x in each if re.fullmatch(r"[A-Za-z][\w-]{5,}", x.fact.subject)}
        drawn += chance.sample(sorted(names), min(N_DRUGS, len(names)))
    document = read_document("a.txt", "\n\n".join(f"{x} is here." for x in drawn).encode())
    entities = find_entities(document.sentences, library)
    facts = gather_facts((x for each in entities for x in each), library)
    made: list[Made] = []
    for named in entities:
        drug = next((x for x in named if x.kind == "drug"), None)
        asset = facts.assets.get(drug.key) if drug else None
        if drug is None or asset is None:
            continue
        name = drug.said.capitalize()
        made += [*of_approvals(name, asset), *of_makers(name, asset, chance)]
        made += [*of_stages(name, asset), *of_trials(name, asset)]
        made += [*of_figures(name, asset, facts), *of_deals(name, asset, facts)]
        made += of_brands(asset, facts)
    return made


def main(home: str, seed: int = SEED) -> int:
    """Print the figures by kind; return how many verdicts are wrong."""
    say(f"seed {seed}")
    library, made = open_library(home), make(seed, home)
    counts: dict[tuple[bool, str], Counter[str]] = defaultdict(Counter)
    wrong: Counter[bool] = Counter()
    for start in range(0, len(made), N_BATCH):
        batch = made[start : start + N_BATCH]
        text = "\n\n".join(each.text for each in batch)
        by_paragraph: dict[int, list[CheckedSentence]] = defaultdict(list)
        for sentence in check_document("a.txt", text.encode(), library).sentences:
            by_paragraph[sentence.paragraph].append(sentence)
        for each, paragraph in zip(batch, sorted(by_paragraph), strict=True):
            verdicts = {sentence.verdict for sentence in by_paragraph[paragraph]}
            verdict = "supported" if verdicts == {"supported"} else min(verdicts - {"supported"})
            counts[each.is_true, each.kind][verdict] += 1
            if verdict in ({"differs", "older"} if each.is_true else {"supported"}):
                wrong[each.is_true] += 1
                parts = [x for y in by_paragraph[paragraph] for x in y.assertions]
                say(f"wrong   {each.text} | {[(x.stated, x.verdict, x.recorded) for x in parts]}")
    for (is_true, kind), verdicts_of in sorted(counts.items(), reverse=True):
        n = verdicts_of.total()
        share = f"supported {verdicts_of['supported']} of {n}, wrong "
        share += str(verdicts_of["differs"] + verdicts_of["older"]) if is_true else "verdicts "
        say(f"{'true' if is_true else 'false':6} {kind:20} {share} {dict(verdicts_of)}")
    n_true = sum(each.is_true for each in made)
    say(f"true: {n_true}, called wrong {wrong[True]}")
    say(f"false: {len(made) - n_true}, called supported {wrong[False]}")
    return wrong.total()


if __name__ == "__main__":
    HOME, *further = sys.argv[1:]
    sys.exit(bool(main(HOME, *map(int, further[:1]))))
