"""`python -m tests.warm`: compiles numeric code, which served instances would each do at first."""

from core.execution.warming import compile_numeric_code, is_compiled
from core.settings import Settings
from tests.instances import FOLDER

if __name__ == "__main__" and not is_compiled():
    compile_numeric_code(Settings(home=FOLDER.parent / "numeric", database_url=None))
