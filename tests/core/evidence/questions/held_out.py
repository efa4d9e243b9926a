"""Qualified questions held out from the readers' own set: answers checked row by row.

Every template is a topic and a qualifier. The answer to the topic alone gives the rows; a rule
over each row's drug says which of them the qualifier keeps. An answer is right where it shows all
of those and none of the others, or says that the qualifier was not understood or not applied.
`python -m tests.core.evidence.questions.held_out HOME` prints the figure over whole answers.
"""

import csv
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from core.agents.company_asset_searcher import pipeline as companies
from core.agents.company_asset_searcher.schema import CompanyAssetSearcherRequest
from core.agents.competitive_landscaping.gathering import find_drugs, understand
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.agents.deal_sourcing import pipeline as deals
from core.agents.deal_sourcing.schema import DealSourcingRequest
from core.agents.new_developments import pipeline as scans
from core.agents.new_developments.schema import NewDevelopmentsRequest
from core.briefs.developments.records import Development
from core.briefs.settings import make_area
from core.briefs.watching.asked import drug_to_watch, read_question
from core.errors import InvalidInput
from core.evidence.assets.roles import owners_of
from core.evidence.names.aliases import Named
from core.evidence.sources.pack.reading import load_rows
from core.records.alerts import WatchQuestion
from core.records.programs import Asset, Program
from core.settings import Settings
from core.vocabulary.company_homes import home_of, is_in
from core.workbench import RunContext
from tests.benchmarks.frozen_answers import make_context
from tests.benchmarks.targets import say

SEED = 20261128
TABLE = Path(__file__).with_name("held_out.csv")
N = 120
FEWEST, MOST = 10, 70
"""Drugs of a disease or target that is drawn."""
NOT_READ = re.compile(
    r"^(?:line_)?(?:not_\w+|no_match|soft_only|disease_unknown|indication_unknown|kind_alone): "
)
OWNERS = ("Pfizer", "Novartis", "Roche", "AstraZeneca", "Eli Lilly", "Sanofi", "Amgen", "AbbVie")
BOUGHT = ("Seagen", "Immunomedics", "Kite Pharma", "Allergan", "Horizon Therapeutics", "Alexion")
REGIONS = {"China": "China", "the US": "United States", "Europe": "Europe", "Japan": "Japan"}
KINDS = {
    "antibodies": {"monoclonal antibody", "bispecific antibody"},
    "small molecules": {"small molecule"},
    "biologics": {
        *("monoclonal antibody", "bispecific antibody", "antibody-drug conjugate"),
        *("fusion protein", "recombinant protein", "peptide", "enzyme", "immune globulin"),
    },
    "peptides": {"peptide"},
    "mAbs": {"monoclonal antibody"},
}
DRUGS = ("semaglutide", "dupilumab", "osimertinib", "adalimumab", "apixaban", "nivolumab")


@dataclass(frozen=True)
class Row:
    """What the rules look at of one row of an answer."""

    id: str
    kind: str = ""
    targets: frozenset[str] = frozenset()
    routes: frozenset[str] = frozenset()
    homes: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()
    diseases: frozenset[str] = frozenset()
    stages: frozenset[str] = frozenset()
    agencies: frozenset[str] = frozenset()
    day: str = ""
    type: str = ""
    keys: frozenset[str] = frozenset()
    partners: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Answer:
    """Rows by their id, and what the answer says of its question."""

    rows: dict[str, Row] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def _split(targets: Iterable[str]) -> frozenset[str]:
    """Return targets with the parts of combined ones: "PD-1 x VEGF"."""
    texts = list(targets)
    return frozenset([*texts, *(one for text in texts for one in re.split(r" x |/", text))])


def _row_of(asset: Asset, programs: Iterable[Program], *stages: str) -> Row:
    shown = list(programs)
    owners = frozenset(owners_of(asset))
    makers = {company.company for company in asset.companies if company.role == "originator"}
    homes = {home_of(owner) for owner in owners | makers} - {""}
    return Row(
        id=asset.key,
        kind=asset.modality.text if asset.modality else "",
        targets=_split(link.target.text for link in asset.targets),
        routes=frozenset(route.text for route in asset.routes) - {"long-acting"},
        homes=frozenset(homes),
        owners=owners,
        diseases=frozenset(program.indication_key for program in shown) - {""},
        stages=frozenset(stages or (str(program.shown_stage) for program in shown)),
        agencies=frozenset(
            region.region
            for region in asset.regions
            if region.stage == "APPROVED" and not region.is_over
        ),
        keys=frozenset({asset.key}),
    )


def _event_row(what: Development) -> Row:
    return Row(
        id=what.id,
        kind=what.drugs[0].modality if what.drugs else "",
        targets=_split(target.text for drug in what.drugs for target in drug.targets),
        owners=frozenset({what.company, what.owner, *what.companies} - {""}),
        diseases=frozenset(disease.key for disease in what.diseases) - {""},
        stages=frozenset({str(what.stage)}),
        agencies=frozenset({what.region} - {""}),
        day=what.event.day,
        type=str(what.type),
        keys=frozenset(key for drug in what.drugs for key in (drug.key, *drug.key.split(" + "))),
    )


class Doors:
    """The five agents, each asked for its rows."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self.ask = lru_cache(maxsize=None)(self._ask)

    def _ask(self, agent: str, question: str) -> Answer:
        answer: Answer = getattr(self, f"_{agent}")(question)
        return answer

    def _landscape(self, question: str) -> Answer:
        request = CompetitiveLandscapingRequest(query=question)
        asked = understand(request, self._context)
        taken = find_drugs(asked, request, self._context)
        rows = {drug.asset.key: _row_of(drug.asset, drug.programs) for drug in taken.drugs}
        return Answer(rows, (*asked.warnings, *taken.fitted.notices))

    def _deals(self, question: str) -> Answer:
        request = DealSourcingRequest(thesis=question)
        thesis = deals.understand(request, self._context)
        sourced = deals.gather(request, thesis, self._context)
        rows = {
            lead.asset.key: replace(
                _row_of(lead.asset, lead.programs, str(lead.top)),
                partners=frozenset(role.company for role in lead.partners),
            )
            for lead in sourced.subjects
        }
        return Answer(rows, (*thesis.warnings, *sourced.warnings))

    def _scan(self, question: str) -> Answer:
        request = NewDevelopmentsRequest(query=question, lookback_days=365)
        wanted = scans.understand(request, self._context)
        scanned = scans.gather(request, wanted, self._context)
        rows = {one.what.id: _event_row(one.what) for one in scanned.own}
        return Answer(rows, tuple(wanted.warnings))

    def _company(self, question: str) -> Answer:
        request = CompanyAssetSearcherRequest(company=question)
        company = companies.understand(request, self._context)
        found = companies.gather(request, company, self._context)
        rows = {drug.asset.key: _row_of(drug.asset, drug.programs) for drug in found.subjects}
        return Answer(rows, (*company.warnings, *found.warnings))

    def _watch(self, question: str) -> Answer:
        """Return what an alert on a saved query would fire for, of the year's events."""
        context = self._context
        watched = read_question(WatchQuestion(query=question), context.evidence, context.resolver)
        met = [what for what in self._year() if watched.meets(what)]
        return Answer({what.id: _event_row(what) for what in met}, tuple(watched.wanted.warnings))

    @lru_cache(maxsize=1)  # noqa: B019 (one object lives as long as the measure)
    def _year(self) -> tuple[Development, ...]:
        request = NewDevelopmentsRequest(lookback_days=365)
        wanted = scans.understand(request, self._context)
        return tuple(one.what for one in scans.gather(request, wanted, self._context).own)

    def _typed(self, question: str) -> Answer:
        """Return what an alert on a drug that is typed in says; it has no rows."""
        try:
            drug = drug_to_watch(question, self._context.evidence, self._context.resolver)
        except InvalidInput as error:
            return Answer(notices=(f"no_match: {error.message}",))
        return Answer(notices=drug.warnings)


@dataclass(frozen=True)
class Values:
    """What a template is filled with; `d` and `t` with keys and texts for the rules."""

    d: str
    d_keys: frozenset[str]
    e: str
    e_keys: frozenset[str]
    t: str
    c: str
    b: str
    g: str
    g_key: str
    m: str
    kinds: frozenset[str]
    r: str
    home: str
    keys_of: Callable[[str], frozenset[str]]


Template = Mapping[str, str]
"""A row of the table: agent, topic, question, what the qualifier keeps, and its words in a notice.

Of "keeps", conditions are joined by "&"; a value that names a field of `Values` or a set stands for
it. Empty: no row tells, so that the answer must say that nothing was narrowed.
"""
SETS: Mapping[str, tuple[str, ...]] = {
    "PHASE3+": ("PHASE3", "PHASE2_3", "FILED", "APPROVED"),
    "PHASE2+": ("PHASE1_2", "PHASE2", "PHASE2_3", "PHASE3", "FILED", "APPROVED"),
    "CLINICAL": ("PHASE1", "PHASE1_2", "PHASE2", "PHASE2_3", "PHASE3", "FILED"),
    "NEEDLES": ("injection", "subcutaneous", "intravenous", "intramuscular", "intravitreal"),
    "APPROVALS": (
        *("original_approval", "biosimilar_approval", "generic_approval", "tentative_approval"),
        *("supplement_efficacy", "supplement_unclassed"),
    ),
    "DEALS": (
        *("license", "option", "co_development", "acquisition", "asset_purchase", "newco"),
        *("rights_return", "deal_other"),
    ),
    "OWNERS": OWNERS,
}
_TOLD_OF_ALL = frozenset({"agencies", "partners"})
"""Fields in which nothing means none, not unknown."""


def keeps(row: Row, conditions: str, values: Values) -> bool | None:
    """Return whether a qualifier keeps a row; None where nothing tells."""
    verdicts = [_meets(row, condition, values) for condition in conditions.split(" & ")]
    return False if False in verdicts else None if None in verdicts else True


def _meets(row: Row, condition: str, values: Values) -> bool | None:
    match = re.fullmatch(r"(\w+)(==|!=|>=|<=|=)(.+)", condition)
    assert match is not None, condition
    field_name, sign, wanted = match.groups()
    if field_name == "day":
        ordered = row.day >= wanted if sign == ">=" else row.day <= wanted
        return ordered if row.day else None
    chosen = _chosen(wanted, values)
    if field_name == "programs":
        inside = [key in (chosen or values.keys_of(wanted)) for key in row.diseases]
        return (
            None if not inside or (any(inside) and not all(inside)) else inside[0] == (sign == "=")
        )
    if field_name == "home":
        inside = [is_in(home, one) for home in row.homes for one in chosen or {wanted}]
        return (
            None if not inside or (any(inside) and not all(inside)) else inside[0] == (sign == "=")
        )
    told = getattr(row, field_name)
    told = frozenset({told} - {""}) if isinstance(told, str) else told
    if not told and field_name not in _TOLD_OF_ALL:
        return None
    chosen = chosen or frozenset(wanted.split("|"))
    return told == chosen if sign == "==" else bool(told & chosen) == (sign == "=")


def _chosen(wanted: str, values: Values) -> frozenset[str]:
    """Return what a slot or a set stands for; nothing for plain words."""
    if wanted in SETS:
        return frozenset(SETS[wanted])
    slot = getattr(values, wanted, "")
    return frozenset({slot} - {""}) if isinstance(slot, str) else frozenset(slot)


def load(path: Path) -> list[Template]:
    """Return the templates of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def draw(
    templates: Sequence[Template],
    seed: int,
    context: RunContext,
    count: int = N,
    most: int = MOST,
) -> Iterator[tuple[Template, Values]]:
    """Yield templates in turn, filled with diseases and targets of the pack drawn by a seed."""
    chance, resolver = random.Random(seed), context.resolver
    diseases, targets = _topics(context, most)
    chosen_diseases, chosen_targets = chance.sample(diseases, 12), chance.sample(targets, 8)

    @lru_cache
    def keys_of(name: str) -> frozenset[str]:
        match = resolver.resolve("disease", name)
        return make_area(Named("disease", match.key, match.label, name, ()), resolver).keys

    for number in range(count):
        d, e = chance.sample(chosen_diseases, 2)
        t, c, b, g = map(chance.choice, (chosen_targets, OWNERS, BOUGHT, DRUGS))
        m, r = chance.choice(list(KINDS)), chance.choice(list(REGIONS))
        g_key = resolver.resolve_drug(g).key
        kinds, home = frozenset(KINDS[m]), REGIONS[r]
        yield (
            templates[number % len(templates)],
            Values(d, keys_of(d), e, keys_of(e), t, c, b, g, g_key, m, kinds, r, home, keys_of),
        )


def _topics(context: RunContext, most: int) -> tuple[list[str], list[str]]:
    """Return the diseases and targets of the pack that have a readable number of drugs."""
    by_disease, by_target = defaultdict(set), Counter[str]()
    for row in load_rows("stages"):
        by_disease[row["indication"]].add(row["drug"])
    for row in load_rows("drugs"):
        by_target[row["target"]] += 1
    diseases = [name for name, drugs in by_disease.items() if name and FEWEST <= len(drugs) <= most]
    known = [name for name in diseases if context.resolver.resolve("disease", name).key]
    targets = [name for name, n in by_target.items() if name and FEWEST <= n <= MOST]
    return sorted(known), sorted(targets)


@dataclass(frozen=True)
class Verdict:
    """What became of one question."""

    agent: str
    question: str
    is_right: bool
    is_opposite: bool
    why: str


def judge(template: Template, values: Values, doors: Doors) -> Verdict:
    """Ask the topic and the question, and hold the rows of the one against those of the other."""
    agent, question = template["agent"], template["question"].format(**vars(values))
    answer = doors.ask(agent, question)
    names = template["told"].format(**{k: re.escape(str(v)) for k, v in vars(values).items()})
    told = [
        notice
        for notice in answer.notices
        if NOT_READ.search(notice) and re.search(names, notice, re.IGNORECASE)
    ]
    conditions = template["keeps"]
    if told or not conditions:
        return Verdict(agent, question, bool(told), False, (*told, "silent")[0])
    control = doors.ask(agent, template["topic"].format(**vars(values)))
    bad = [row.id for row in answer.rows.values() if keeps(row, conditions, values) is False]
    due = [row.id for row in control.rows.values() if keeps(row, conditions, values)]
    lost = [key for key in due if key not in answer.rows]
    is_opposite = bool(bad) and len(bad) == len(answer.rows) and bool(due)
    why = f"{len(answer.rows)} of {len(control.rows)}; not kept {bad[:3]}; lost {lost[:3]}"
    return Verdict(agent, question, not (bad or lost), is_opposite, why)


def main(home: str, table: str = str(TABLE), seed: str = str(SEED)) -> None:
    """Print every question that is not right, and the figure by agent."""
    context = make_context(Settings(home=Path(home), database_url=None))
    doors, right, totals = Doors(context), Counter[str](), Counter[str]()
    for template, values in draw(load(Path(table)), int(seed), context):
        verdict = judge(template, values, doors)
        totals[verdict.agent] += 1
        right[verdict.agent] += verdict.is_right
        if not verdict.is_right:
            mark = "OPPOSITE" if verdict.is_opposite else "wrong"
            say(f"{mark} {verdict.agent}: {verdict.question}: {verdict.why}")
    say(f"{sum(right.values())} of {sum(totals.values())} right: {dict(right)} of {dict(totals)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
