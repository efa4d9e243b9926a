"""The order of sentences under honest models and liars: all stay, caveats stay with figures."""

import random

import pytest

from core.drafting.selecting import Selection, select
from tests.core.drafting.claims import CAVEAT, FIGURES, FIRST, FIXED, N_CLAIMS, OF_THEM, memo
from tests.standin.inprocess import InProcess, make_drafter
from tests.standin.models import SELECTION_LIES, Answer, eager, honest, idle, make_liar

N_ANSWERS = 100
REFUSED = {*SELECTION_LIES} - {"lead without caveat"}


def choose(answer: Answer, seed: int = 1) -> Selection | None:
    model = InProcess(answer, random.Random(seed))
    return select("drugs to beat in asthma", memo(), make_drafter(model), FIXED)


def check(selection: Selection) -> None:
    """Check that every sentence stands once, and none without what it needs."""
    placed = [number for order in selection.order for number in order]
    assert sorted(placed) == list(range(N_CLAIMS))
    assert selection.order[0] == (0,)
    assert placed.index(FIRST) < placed.index(OF_THEM)
    assert max(placed.index(number) for number in FIGURES) < placed.index(CAVEAT)
    lead = selection.lead
    assert len(lead) <= 3
    assert CAVEAT in lead or not FIGURES & {*lead}
    assert FIRST in lead or OF_THEM not in lead
    assert OF_THEM not in lead or lead.index(FIRST) < lead.index(OF_THEM)


@pytest.mark.parametrize("answer", [honest, eager])
def test_an_honest_model_orders_all_sentences(answer: Answer) -> None:
    for seed in range(N_ANSWERS):
        selection = choose(answer, seed)
        assert selection is not None
        check(selection)


def test_a_model_that_finds_no_answer_leaves_the_order() -> None:
    assert choose(idle) is None


@pytest.mark.parametrize("kind", SELECTION_LIES)
def test_a_liar_changes_nothing_but_an_order(kind: str) -> None:
    for seed in range(N_ANSWERS):
        selection = choose(make_liar(kind), seed)
        if kind in REFUSED:
            assert selection is None
        else:
            assert selection is not None
            check(selection)
