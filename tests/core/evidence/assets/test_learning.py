"""Names found once after an import are those that a run would find."""

from collections.abc import Sequence

import pytest

from core.evidence.assets.curators_drugs import known_by_key, load_drugs
from core.evidence.assets.joined_names import joined_names
from core.evidence.names.identity.resolver import Resolver
from core.records.identity import EntityName, NameKind
from storage.identity import IdentityStore

pytestmark = [
    pytest.mark.reference,
    pytest.mark.slow,
    pytest.mark.xdist_group("reference"),
]


class _Outdated(IdentityStore):
    """The same learned names, built for other records."""

    def version(self) -> str:
        return "names of before"

    def all_names(self, kind: NameKind) -> Sequence[EntityName]:
        raise AssertionError(f"outdated names of kind {kind} were read")


def test_kept_names_are_those_that_are_found_anew(held) -> None:
    assert isinstance(held.learned_names, IdentityStore)
    kept = Resolver(held.identity, held.learned_names)
    anew = Resolver(held.identity, _Outdated(held.learned_names.path))
    joined = joined_names(held.evidence, kept)
    assert len(joined) > 100
    assert joined == joined_names(held.evidence, anew)
    known = known_by_key(kept)
    assert sum(map(len, known.values())) == len(load_drugs())
    assert known == known_by_key(anew)


def test_kept_names_are_what_a_run_reads(held, monkeypatch) -> None:
    read: list[NameKind] = []
    whole = IdentityStore.all_names

    def noted(store: IdentityStore, kind: NameKind) -> Sequence[EntityName]:
        read.append(kind)
        return whole(store, kind)

    monkeypatch.setattr(IdentityStore, "all_names", noted)
    resolver = Resolver(held.identity, held.learned_names)
    joined_names(held.evidence, resolver)
    known_by_key(resolver)
    assert read == ["asset", "starter"]
