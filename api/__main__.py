"""`python -m api`: the command line."""

import sys

from api.cli import main

if __name__ == "__main__":
    sys.exit(main())
