"""A combination's patents are not those of its parts."""

from types import SimpleNamespace

from core.briefs.exclusivity import _alone
from core.records.evidence import Mention


def test_only_applications_of_one_ingredient_count():
    said = {
        "drugsfda:1": (Mention("drug", "ALPHA FUMARATE", relation="ingredient"),),
        "drugsfda:2": (Mention("drug", "ALPHA; BETA", relation="ingredient"),),
        "drugsfda:3": tuple(Mention("drug", one, relation="ingredient") for one in ("A1", "B2")),
    }
    evidence = SimpleNamespace(mentions=lambda _ids: said)
    assert _alone(list(said), evidence) == {"drugsfda:1"}
