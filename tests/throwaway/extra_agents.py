"""Makes the throw-away agents of the tests visible in the process that imports this."""

from pathlib import Path

import core.agents

FOLDER = str(Path(__file__).parent / "agents")

if FOLDER not in core.agents.__path__:
    core.agents.__path__.append(FOLDER)
