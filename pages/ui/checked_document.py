"""A checked document on its page: counts by verdict, statements with their records, files."""

from collections.abc import Callable
from pathlib import PurePosixPath

import pandas as pd
import streamlit as st

from core.checking.renderings import CheckFormat
from core.checking.results import (
    VERDICT_WORDS,
    VERDICTS,
    CheckedAssertion,
    CheckedSentence,
    DocumentCheck,
)
from core.documents.guard import MOST_MB, MOST_PAGES
from core.evidence.proof.citations import record_page
from core.execution.document_checks import render_for
from core.records.runs import Caller
from core.workbench import current
from pages.ui.downloads import MEDIA
from pages.ui.look import on_accent
from pages.ui.plain import file_stem, plain, show_count, show_number
from pages.ui.tables import draw_table

KINDS = ("docx", "pptx", "pdf", "md", "txt")
MEANINGS = {
    "differs": "The evidence has another value.",
    "older": "True once; the evidence has a later state.",
    "supported": "A record says the same.",
    "not_covered": "The evidence does not say.",
    "not_checkable": "Opinions, forecasts, headings and text without a fact.",
}
FILES: dict[CheckFormat, str] = {
    "docx": "Marked document (DOCX)",
    "md": "Marked document (Markdown)",
    "xlsx": "Table (XLSX)",
    "csv": "Table (CSV)",
}
_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def pick_document() -> tuple[str, bytes] | None:
    """Draw the box for a document; return name and content when the button is pressed."""
    with st.form("document", border=False, width=820):
        file = st.file_uploader(
            "Document",
            type=KINDS,
            max_upload_size=MOST_MB,
            help=f"Up to {MOST_MB} MB and {MOST_PAGES} pages, without a password. Macros are not "
            "run, and links are not followed.",
        )
        pressed = st.form_submit_button(on_accent("Check"), type="primary")
    if not pressed:
        return None
    if file is None:
        st.error(
            "Choose a document: docx, pptx, pdf, md or txt. A file larger than "
            f"{MOST_MB} MB is not read.",
            icon=":material/error:",
        )
        return None
    return file.name, file.getvalue()


def show_counts(check: DocumentCheck) -> None:
    """Draw how many sentences have each verdict."""
    pages = show_number(check.pages, "page")
    statements = show_number(check.n_assertions, "statement")
    st.subheader(plain(check.name), anchor=False)
    st.caption(f"{pages} · {statements} read · compared as of {plain(check.checked_on)}")
    with st.container(horizontal=True):
        for verdict in VERDICTS:
            label = VERDICT_WORDS[verdict].capitalize()
            count = show_count(check.counts.get(verdict, 0))
            st.metric(label, count, border=True, width=165, help=MEANINGS[verdict])
    for notice in check.notices:
        st.caption(plain(notice))


def show_statements(check: DocumentCheck) -> None:
    """Draw the statements with their records, those that differ first, with filters."""
    pairs = [(sentence, x) for sentence in check.sentences for x in sentence.assertions]
    if not pairs:
        st.info("No statement about a drug, trial or deal was found.", icon=":material/info:")
        return
    order = {verdict: number for number, verdict in enumerate(VERDICTS)}
    pairs.sort(key=lambda pair: (order[pair[1].verdict], pair[0].number))
    words = [VERDICT_WORDS[each] for each in VERDICTS if any(x.verdict == each for _, x in pairs)]
    verdicts = st.pills(
        "Verdict",
        words,
        selection_mode="multi",
        default=[word for word in words if word not in {"not covered", "not checkable"}],
        key="check:verdicts",
    )
    text = st.text_input(
        "Filter", placeholder="Drug, trial or words", key="check:filter", width=420
    )
    wanted = text.strip().casefold()
    rows = [
        _row(sentence, assertion)
        for sentence, assertion in pairs
        if VERDICT_WORDS[assertion.verdict] in verdicts
        and (not wanted or wanted in f"{assertion.subject} {sentence.text}".casefold())
    ]
    if not rows:
        st.caption("No statement matches the filters.")
        return
    columns = {
        "Source": st.column_config.LinkColumn(display_text="open", width="small"),
        "Record": st.column_config.LinkColumn(display_text="open", width="small"),
        "Sentence": st.column_config.TextColumn(width="large"),
    }
    draw_table(pd.DataFrame(rows), "Statements with their verdicts", columns=columns)


def _row(sentence: CheckedSentence, assertion: CheckedAssertion) -> dict[str, object]:
    source = assertion.source
    return {
        "Verdict": VERDICT_WORDS[assertion.verdict],
        "Document": assertion.stated,
        "Evidence": assertion.recorded or assertion.note,
        "Place": sentence.place,
        "As of": source.as_of if source else "",
        "Title of the source": source.title if source else "",
        "Source": source.url if source else "",
        "Record": record_page(source.record_id) if source else "",
        "Sentence": sentence.text,
    }


def offer_files(check: DocumentCheck, caller: Caller) -> None:
    """Draw a button for each file of the check; a file is made when its button is pressed."""
    st.subheader("Download", anchor=False)
    stem = file_stem(PurePosixPath(check.name).stem, "check")
    with st.container(horizontal=True):
        for form, label in FILES.items():
            st.download_button(
                label,
                _maker(check, form, caller),
                f"{stem}.{form}",
                MEDIA.get(form, _DOCX),
                key=f"check:{form}",
                icon=":material/download:",
                on_click="ignore",
            )


def _maker(check: DocumentCheck, form: CheckFormat, caller: Caller) -> Callable[[], bytes]:
    workbench = current()

    def make() -> bytes:
        content = render_for(check, form, workbench)
        workbench.stores.audit.note(caller.name, "export", "document check", form)
        return content

    return make
