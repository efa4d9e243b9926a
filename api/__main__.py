"""`python -m api`: the command line."""

import sys

from api.cli import main
from core.logs import configure_logs, log_warnings_alone

if __name__ == "__main__":
    if sys.argv[1:2] not in (["serve"], ["worker"]):
        log_warnings_alone()
    configure_logs()
    sys.exit(main())
