"""How a company came by a drug: each rule, and the order of the rules."""

from core.briefs.portfolio.companies import Company
from core.briefs.portfolio.holdings import trace_origin
from core.records.programs import Asset, CompanyRole, Statement
from core.vocabulary.companies import load_companies
from core.vocabulary.company_codes import load_codes, owner_of_code
from tests.rows import over_rows


def role(company: str, word: str, said: str = "") -> CompanyRole:
    return CompanyRole(company, word, "", Statement(said or company, ("r:1",)))


def drug(*roles: CompanyRole, aliases: tuple[str, ...] = ()) -> Asset:
    return Asset("UNII:1", "alphamab", aliases, (), None, roles, ())


COMPANY = Company(
    "Merck & Co.",
    ("Merck & Co.",),
    "MRK",
    tuple(one for one in load_companies() if one.name == "Prometheus Biosciences"),
    (),
)


@over_rows(
    ("roles", "aliases", "origin"),
    [
        ((role("Merck & Co.", "originator"),), (), "in-house"),
        ((role("Merck & Co.", "holder"), role("Kelun", "originator")), (), "licensed-in"),
        ((role("Merck & Co.", "partner"), role("Kelun", "originator")), (), "partnered"),
        ((role("Merck & Co.", "originator"), role("Organon", "holder")), (), "licensed-out"),
        ((role("Merck & Co.", "holder"), role("Eisai", "partner")), (), "partnered"),
        ((role("Merck & Co.", "holder", "Prometheus Biosciences Inc"),), (), "acquired"),
        ((role("Merck & Co.", "holder", "Prometheus Biosciences Canada, Inc."),), (), "acquired"),
        ((role("Merck & Co.", "holder", "Prometheus Biosciences Ventures"),), (), None),
        ((role("Merck & Co.", "sponsor"),), ("PRA023",), "acquired"),
        ((role("Merck & Co.", "sponsor"),), ("MK-1234",), "in-house"),
        ((role("Merck & Co.", "sponsor"),), ("AZD1234",), "licensed-in"),
        ((role("Merck & Co.", "holder"), role("AstraZeneca", "holder")), ("AZD1234",), None),
        ((role("Merck & Co.", "holder"), role("Ono", "holder")), ("MK-1234",), "in-house"),
        ((role("Merck & Co.", "holder"),), ("MK-1234", "KER050"), None),
        ((role("Merck & Co.", "holder"),), ("MK-1234", "NSC-259242"), "in-house"),
        ((role("Merck & Co.", "sponsor"),), (), None),
    ],
)
def test_each_rule_gives_its_origin(roles, aliases, origin):
    found = trace_origin(drug(*roles, aliases=aliases), COMPANY)
    assert found.origin == origin
    assert found.rule


def test_partners_are_the_other_companies():
    found = trace_origin(drug(role("Merck & Co.", "holder"), role("Eisai", "partner")), COMPANY)
    assert found.partners == ("Eisai",)


def test_a_word_is_no_code():
    assert owner_of_code("mab 12 of something") == ""
    assert owner_of_code("MK-3475") == "Merck & Co."


def test_every_code_names_a_company_once_and_in_order():
    prefixes = list(load_codes())
    assert prefixes == sorted(set(prefixes))
    assert all(prefix.isupper() for prefix in prefixes)
    assert {row.group for row in load_companies()} & set(load_codes().values())
