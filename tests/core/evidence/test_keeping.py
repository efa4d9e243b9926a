"""A resolver is kept for a process, and never beyond a change of the evidence."""

from core.evidence.names.identity.resolver import keep_resolver
from core.records.identity import Entity, EntityName
from storage.identity import IdentityStore


def build(identity: IdentityStore, name: str, version: str) -> None:
    rows = [Entity("drug", "UNII:1", name), EntityName("drug", name, "UNII:1", 1, name)]
    identity.build(rows, (), version)


def test_resolver_is_kept_while_the_version_stays(tmp_path) -> None:
    identity = IdentityStore(tmp_path / "identity.db")
    build(identity, "acmemab", "1")
    first = keep_resolver("here", "1", identity, identity)
    assert keep_resolver("here", "1", identity, identity) is first


def test_what_was_remembered_ends_with_the_version(tmp_path) -> None:
    identity = IdentityStore(tmp_path / "identity.db")
    build(identity, "acmemab", "1")
    first = keep_resolver("here", "1", identity, identity)
    assert first.resolve_drug("betamab").status == "unresolved"
    build(identity, "betamab", "2")
    assert keep_resolver("here", "2", identity, identity).resolve_drug("betamab").key == "UNII:1"


def test_another_instance_has_its_own_names(tmp_path) -> None:
    one, other = IdentityStore(tmp_path / "1.db"), IdentityStore(tmp_path / "2.db")
    build(one, "acmemab", "1")
    build(other, "betamab", "1")
    keep_resolver("one", "1", one, one)
    found = keep_resolver("other", "1", other, other).resolve_drug("acmemab")
    assert found.status == "unresolved"
