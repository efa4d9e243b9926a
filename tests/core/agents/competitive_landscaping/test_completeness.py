"""How complete the answer is: the two lists, the estimate with its sentence, and none."""

from dataclasses import replace

import pytest

from core.agents.competitive_landscaping import completeness
from core.agents.competitive_landscaping.completeness import in_words, read_lists
from core.agents.competitive_landscaping.gathering import find_drugs, understand
from core.agents.competitive_landscaping.report import compose
from core.agents.competitive_landscaping.schema import CompetitiveLandscapingRequest
from core.evidence.proof.claim_checks import check_claims
from core.reports.document import About, Paragraph
from tests.core.agents.competitive_landscaping.conftest import NOW, QUERY
from tests.core.agents.competitive_landscaping.drugs import LUNG, Drug, Study, antibody
from tests.core.agents.competitive_landscaping.drugs import drug as made
from tests.core.agents.competitive_landscaping.test_memo import alter_number, claims_of
from tests.core.evidence.assets.conftest import make_label

ABOUT = About("u", "competitive-landscaping", "Competitive landscaping", "x", NOW, 1.0, {})
N_BOTH, N_TRIALS_ONLY, N_LISTED_ONLY = 14, 16, 11


class NoTables:
    """A run without tables."""

    def names(self) -> list[str]:
        return []

    def read(self, name: str) -> None:
        raise AssertionError(name)


def drug(number: int, *, is_registered: bool, is_listed: bool) -> Drug:
    """Return a drug that a registered trial tests, a pipeline lists, or both."""
    trials = (Study(number),) if is_registered else ()
    shown = {LUNG: "Phase 3"} if is_listed else {}
    return made(antibody(number), *trials, shown=shown, is_in_pipeline=is_listed)


@pytest.fixture
def field(landscape):
    """Return 41 drugs: 30 in the register of trials, 25 in pipelines, 14 in both."""
    kinds = [(True, True)] * N_BOTH + [(True, False)] * N_TRIALS_ONLY
    kinds += [(False, True)] * N_LISTED_ONLY
    landscape.drugs = [
        drug(number, is_registered=registered, is_listed=listed)
        for number, (registered, listed) in enumerate(kinds, start=1)
    ]
    return landscape


def last_section(data):
    return data.memo[-1]


def test_two_lists_give_an_estimate_with_its_limits(field) -> None:
    found = field.run().completeness
    assert (found.n_found, found.n_registered, found.n_listed, found.n_both) == (41, 30, 25, 14)
    assert found.n_neither == 0
    assert (found.n_expected_low, found.n_expected, found.n_expected_high) == (45, 53, 72)
    assert found.reason == ""
    assert "not fully independent" in found.limits
    assert "found 41, about 53 expected" in in_words(found)


def test_memo_tells_the_estimate_in_one_cited_claim(field) -> None:
    data = field.run()
    section = last_section(data)
    assert section.title == "How complete this is"
    (claim,) = section.claims
    assert claim.kind == "computed"
    assert claim.source_ids
    assert claim.text.startswith("Found 41: 30 in registers of trials, 25 in labels")
    assert "about 53 on either list are expected" in claim.text
    assert not [one for one in data.warnings if one.startswith("claims_dropped")]


def test_altered_estimate_is_caught(field) -> None:
    claims, ground = claims_of(field, None)
    claim = next(one for one in claims if one.text.startswith("Found 41"))
    assert check_claims([claim], ground) == []
    changed = alter_number(claim, ground)
    assert changed is not None
    assert check_claims([changed], ground)
    for part in ("about 53", "interval 45", "to 72", "14 in both", "30 in registers"):
        figure = "".join(sign for sign in part if sign.isdigit())
        text = claim.text.replace(part, part.replace(figure, "99"))
        assert check_claims([replace(claim, text=text)], ground), part
    wrong = tuple(
        replace(one, value=54.0, shown="54") if one.operation == "capture-recapture" else one
        for one in claim.figures
    )
    lie = replace(claim, text=claim.text.replace("about 53", "about 54"), figures=wrong)
    assert [one.kind for one in check_claims([lie], ground)] == ["wrong_number"]


def test_small_overlap_gives_counts_and_the_reason_alone(landscape) -> None:
    data = landscape.run()
    found = data.completeness
    assert (found.n_found, found.n_registered, found.n_both) == (3, 3, 0)
    assert found.n_expected is found.n_expected_low is found.n_expected_high is None
    assert found.reason == "no drugs on both lists; an estimate needs 7 drugs on both"
    assert found.limits == ""
    (claim,) = last_section(data).claims
    assert claim.kind == "rule"
    assert "cannot be estimated, since an estimate needs 7 drugs on both lists" in claim.text
    assert not [one for one in data.warnings if one.startswith("claims_dropped")]


def test_list_within_the_other_gives_no_estimate(field) -> None:
    field.drugs = field.drugs[: N_BOTH + N_TRIALS_ONLY]
    data = field.run()
    assert data.completeness.n_expected is None
    assert data.completeness.reason == completeness.WITHIN
    assert "one list holds the other" in last_section(data).claims[0].text


def test_no_drug_gives_no_estimate_and_no_claim(landscape) -> None:
    data = landscape.run("zzzzmab")
    assert data.completeness.reason == "no drug was found"
    assert all(section.title != "How complete this is" for section in data.memo)


def test_query_by_disease_counts_pipelines_alone_as_the_other_list(field) -> None:
    found = field.run("lung cancer").completeness
    assert found.listed_in == "company pipelines"
    assert (found.n_listed, found.n_expected) == (25, 53)


def test_each_list_counts_where_it_was_looked_through(landscape) -> None:
    landscape.drugs = [made("alphamab", Study(1), is_in_pipeline=False)]
    use = "alphamab is indicated for the treatment of non-small cell lung cancer."
    landscape.further = [make_label("set1", "alphamab", use, {"acts_on": "PD-1/VEGF"})]
    landscape.hold()
    context = landscape.context()
    whole = CompetitiveLandscapingRequest(query=QUERY)
    (found,) = find_drugs(understand(whole, context), whole, context).drugs
    records = context.evidence.records(found.asset.record_ids)
    wanted = {"PD-1/VEGF": {"UNII:1": ("label:set1",)}, "lung cancer": {}, "mab": {}}
    for query, listed in wanted.items():
        asked = understand(CompetitiveLandscapingRequest(query=query), context)
        lists = read_lists(asked.scope, [found], records)
        assert lists.registered == {"UNII:1": ("ctgov:NCT00000001",)}
        assert lists.listed == listed, query


def test_report_tells_the_estimate(field) -> None:
    document = compose(field.run(), NoTables(), ABOUT)
    texts = [block.text for block in document.blocks if isinstance(block, Paragraph)]
    told = [text for text in texts if text.startswith("Completeness: found 41, about 53 expected")]
    assert len(told) == 1
    assert "95 % interval 45 to 72" in told[0]
