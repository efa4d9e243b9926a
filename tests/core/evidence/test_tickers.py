"""Tickers: of the company itself, on its main exchange, and none where that is not sure."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.evidence.names.companies import find_ticker
from core.evidence.names.identity.resolver import Resolver
from core.evidence.names.identity.vocabularies import TICKERS, company_rows
from storage.identity import IdentityStore

REGISTER = (
    ("1806837", "VERX", "Nasdaq", "Vertex, Inc."),
    ("875320", "VRTX", "Nasdaq", "VERTEX PHARMACEUTICALS INC / MA"),
    ("353278", "NONOF", "OTC", "NOVO NORDISK A S"),
    ("353278", "NVO", "NYSE", "NOVO NORDISK A S"),
    ("310158", "MRK", "NYSE", "Merck & Co., Inc."),
    ("1395064", "TAK", "NYSE", "TAKEDA PHARMACEUTICAL CO LTD"),
    ("1764013", "IMVT", "Nasdaq", "Immunovant, Inc."),
    ("1", "ROAD", "Nasdaq", "Apex Inc."),
    ("2", "INVT", "Nasdaq", "Invented Therapeutics, Inc."),
)
"""As the register of filings writes them; the last two are invented."""


@pytest.fixture(scope="module")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    folder = tmp_path_factory.mktemp("register")
    (folder / TICKERS).parent.mkdir(parents=True)
    columns = zip(*REGISTER, strict=True)
    table = dict(zip(("cik", "ticker", "exchange", "name"), map(list, columns), strict=True))
    parquet.write_table(pa.table(table), folder / TICKERS)
    identity = IdentityStore(folder / "identity.db")
    identity.build(company_rows(folder), [], "test")
    return Resolver(identity)


@pytest.mark.parametrize(
    ("group", "written", "ticker"),
    [
        ("Vertex Pharmaceuticals", ("Vertex", "Vertex Pharmaceuticals Inc"), "VRTX"),
        ("Novo Nordisk", ("Novo Nordisk A/S",), "NVO"),
        ("Merck & Co.", ("Merck Sharp & Dohme LLC",), "MRK"),
        ("Takeda", ("Takeda",), "TAK"),
        ("Roivant", ("Immunovant", "Roivant"), None),
        ("Apex", ("Apex",), None),
        ("Invented Therapeutics", ("Invented Therapeutics",), "INVT"),
    ],
)
def test_a_ticker_is_the_companys_own_or_none(resolver, group, written, ticker) -> None:
    assert find_ticker(group, written, resolver) == ticker
