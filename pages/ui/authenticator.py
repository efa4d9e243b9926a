"""The password form of streamlit-authenticator over the accounts of this instance.

Sign-in stays with the server's own sessions: no cookie controller is built, and the package gets no
record and no hash. It draws the form and checks that both entries agree; `core.accounts` checks the
current password, rates the new one and stores it.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit_authenticator.controllers import AuthenticationController
from streamlit_authenticator.utilities import ResetError, Validator
from streamlit_authenticator.views import Authenticate

from core import accounts
from core.records.runs import Caller
from core.workbench import Workbench

FIELDS = {
    "Form name": "Password",
    "Current password": "Current password",
    "New password": "New password (at least 12 characters)",
    "Repeat password": "New password again",
    "Reset": "Change password",
}


class _Rules(Validator):  # type: ignore[misc]
    """Leaves the rating of passwords to `core.accounts`, whose messages say what to change."""

    def validate_password(self, password: str) -> bool:
        """Return whether there is a password to rate."""
        return bool(password)


class _Controller(AuthenticationController):  # type: ignore[misc]
    """Writes through `core.accounts`, whoever the form names."""

    def __init__(self, caller: Caller) -> None:
        super().__init__({"usernames": {caller.name: {"name": caller.name}}}, auto_hash=False)
        self.validator = _Rules()

    def reset_password(
        self,
        username: str,
        password: str,
        new_password: str,
        new_password_repeat: str,
        callback: Callable[[dict[str, str]], None] | None = None,
    ) -> bool:
        """Change the password of the person who is signed in.

        Raises:
            ResetError: The new password is missing, or the two entries differ.
            WorkbenchError: The current password is wrong, or the new one too weak.
        """
        if not self.validator.validate_password(new_password):
            raise ResetError("Enter a new password")
        if new_password != new_password_repeat:
            raise ResetError("The two new passwords differ")
        if callback is not None:
            callback({"password": password, "new_password": new_password})
        return True


class AccountForms(Authenticate):  # type: ignore[misc]
    """The package's widgets for the person who is signed in."""

    def __init__(self, caller: Caller, workbench: Workbench, token: str | None) -> None:
        """Build the controller alone; the package's own constructor would build a cookie, too.

        Args:
            caller: Who is signed in.
            workbench: Where accounts are stored.
            token: Session that survives the change.
        """
        self.authentication_controller = _Controller(caller)
        self._caller, self._workbench, self._token = caller, workbench, token
        st.session_state["authentication_status"] = True

    def change_password(self) -> bool:
        """Draw the form; return whether the password has just been changed.

        Raises:
            ResetError: The entries do not agree.
            WorkbenchError: The change is refused.
        """

        def store(entered: dict[str, Any]) -> None:
            accounts.change_password(
                self._workbench.stores,
                self._caller,
                entered["password"],
                entered["new_password"],
                self._token,
            )

        done = self.reset_password(
            self._caller.name,
            fields=FIELDS,
            clear_on_submit=True,
            key="password",
            callback=store,
        )
        return bool(done)
