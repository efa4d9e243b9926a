"""The digest by mail: asked for, confirmed by a link, ended."""

import streamlit as st

from core.mail import ask_to_confirm
from core.records.mail import PERIODS, Mailing, Period
from core.records.runs import Caller
from core.workbench import current
from pages.ui.acting import act, keep_to_show
from pages.ui.plain import plain, show_time


def show_mail(caller: Caller) -> None:
    """Draw what a person gets by mail, where this instance sends mail at all.

    Args:
        caller: The person.
    """
    if not current().settings.sends_mail:
        return
    st.subheader("By mail", anchor=False)
    mailing = current().stores.mailings.get(caller.user_id)
    if mailing is None:
        _show_form(caller)
        return
    st.write(plain(_tell(mailing)))
    if st.button("End it", key="mail:end", icon=":material/unsubscribe:"):
        act(lambda: current().stores.mailings.end(caller.user_id))


def _tell(mailing: Mailing) -> str:
    if mailing.is_confirmed:
        return f"A digest of each {mailing.period} with a hit goes to {mailing.address}."
    sent = show_time(mailing.asked_at)
    return f"A link was sent to {mailing.address} ({sent}). Open it, and digests begin."


def _show_form(caller: Caller) -> None:
    with st.form("mail", width=820):
        address = st.text_input("Your own address", max_chars=254, placeholder="ana@example.org")
        period = st.segmented_control("Each", list(PERIODS), default="week", required=True)
        if st.form_submit_button("Send me a link that confirms it"):
            act(lambda: _ask(caller, address, period or "week"))


def _ask(caller: Caller, address: str, period: Period) -> None:
    ask_to_confirm(caller.user_id, address, period, current())
    keep_to_show("A link is on its way. Open it, and digests begin.")
