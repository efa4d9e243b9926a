"""Says when an instance holds no evidence yet, and what to do."""

from pathlib import Path

import streamlit as st

from core.evidence_ports import EvidenceReader

COMMAND = "python -m api evidence import FOLDER"
_PAGE = Path(__file__).parents[1] / "evidence.py"


def show_pack_notice(evidence: EvidenceReader) -> None:
    """Draw a notice where nothing was imported; nothing otherwise."""
    if evidence.version():
        return
    st.warning(
        "**No evidence is imported on this instance.** Answers will hold no drugs until files of "
        "registers, labels and pipelines are read in:",
        icon=":material/database_off:",
    )
    st.code(COMMAND, language="sh")
    if _PAGE.exists():
        st.page_link("evidence.py", label="Evidence", icon=":material/arrow_forward:")
