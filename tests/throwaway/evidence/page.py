"""The page of the sample agent: its report, drawn."""

from core.agents.target_stages import AGENT

from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import View

show_agent(AGENT, signed_in_caller(), View())
