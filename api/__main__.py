"""`python -m api`: the command line."""

import sys

from api.cli import main
from core.logs import log_warnings_alone

if __name__ == "__main__":
    if sys.argv[1:2] not in (["serve"], ["worker"]):
        log_warnings_alone()
    sys.exit(main())
