"""New developments: form, feed, what lies ahead, themes over time."""

from core.agents.new_developments import AGENT
from pages.ui.run_view import show_agent
from pages.ui.session import signed_in_caller
from pages.ui.view import View

show_agent(AGENT, signed_in_caller(), View(files=("upcoming.ics",)))
