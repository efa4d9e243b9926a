"""The page of the letter count."""

import streamlit as st
from core.agents.letter_count import AGENT
from core.agents.letter_count.schema import LetterCountData

from core.records.runs import RunRecord
from pages.ui.plain import plain
from pages.ui.run_view import View, show_agent
from pages.ui.session import signed_in_caller


def _show(run: RunRecord, data: LetterCountData) -> None:
    st.markdown(plain(data.summary))


show_agent(AGENT, signed_in_caller(), View(show=_show))
