"""Settings: what free fields come to through the reader of questions, and what is not resolved."""

from pathlib import Path

import pytest

from core.briefs.settings import read_setting
from core.evidence.names.identity.resolver import Resolver
from core.evidence.readers.questions.reading import parse_text
from core.vocabulary.lines import AskedLine
from storage.identity import IdentityStore
from tests.core.agents.competitive_landscaping.conftest import identity_rows


@pytest.fixture(scope="module")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    folder: Path = tmp_path_factory.mktemp("names")
    identity = IdentityStore(folder / "identity.db")
    identity.build(identity_rows(), (), "test names")
    return Resolver(identity)


def read(resolver: Resolver, **fields: str):
    return read_setting(
        {part: parse_text(text, resolver) for part, text in fields.items()}, resolver
    )


def test_a_field_says_more_than_its_own_part(resolver) -> None:
    setting = read(resolver, disease="second-line PD-L1-positive NSCLC in China, phase 2")
    assert [area.label for area in setting.areas] == ["non-small cell lung cancer"]
    assert setting.lines == (AskedLine.SECOND,)
    assert setting.biomarkers == ("PD-L1",)
    assert setting.regions == ("China",)
    assert "PHASE2" in setting.stages
    assert setting.unresolved == ()


def test_fields_are_one_setting_and_each_thing_stands_once(resolver) -> None:
    setting = read(resolver, target="PD-1/VEGF", disease="NSCLC, first line", line="first line")
    assert [one.text for one in setting.targets] == ["PD-1 x VEGF"]
    assert setting.lines == (AskedLine.FIRST,)
    assert len(setting.areas) == 1


def test_an_area_holds_the_kinds_of_its_disease(resolver) -> None:
    (area,) = read(resolver, disease="lung cancer").areas
    assert area.key == "MONDO:1"
    assert "MONDO:2" in area.keys
    assert "MONDO:3" not in area.keys


def test_what_a_field_should_name_and_does_not_is_told(resolver) -> None:
    setting = read(resolver, disease="NSCLC", modality="something new [3]", region="gastric cancer")
    assert [part for part, _ in setting.unresolved] == ["modality", "region"]
    first, second = setting.notices
    assert first == (
        "not_resolved: “something new (3]” names no kind of drug known here, so that it narrows "
        "nothing."
    )
    assert "names no region known here" in second
    assert len(setting.areas) == 2


def test_no_field_is_no_setting(resolver) -> None:
    setting = read_setting({}, resolver)
    assert setting.areas == setting.targets == setting.unresolved == ()
    assert list(setting.notices) == []
