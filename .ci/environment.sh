# Shared by ./run and ./test: the Python environment.

say() {
    echo "$(date +%H:%M:%S) $1" >&2
}

# Names one missing system package: what is missing, what it costs, how to get it.
missing() {
    echo "missing: $1 ($2); on Debian: apt-get install $3" >&2
}

find_python() {
    for name in python3.11 python3.12 python3.13 python3; do
        if command -v "$name" >/dev/null 2>&1 &&
            "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; then
            echo "$name"
            return
        fi
    done
    missing "Python 3.11 to 3.13" "nothing runs without it" "python3 python3-venv"
    exit 1
}

# Brings .venv to exactly what a lock file lists; instant when it already is.
prepare() {
    if is_prepared "$1" || { [ "$1" = requirements.lock ] && is_prepared requirements-dev.lock; }; then
        return
    fi
    if [ ! -w . ] || { [ -e .venv ] && [ ! -w .venv ]; }; then
        echo "cannot write to $PWD, where the environment (.venv) belongs: use a copy of this" \
            "folder that your account can write to" >&2
        exit 1
    fi
    if [ -e .venv ] && ! .venv/bin/python -c '' 2>/dev/null; then
        say "the environment's Python is gone; making the environment again"
        rm -rf .venv
    fi
    if [ ! -e .venv ]; then
        say "making the environment"
        python=$(find_python)
        "$python" -m venv .venv || {
            rm -rf .venv
            missing "python3-venv" "the environment cannot be made" "python3-venv"
            exit 1
        }
    fi
    say "installing packages (once; a minute on a fast connection)"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
        -r requirements-tool.lock
    .venv/bin/uv pip sync --quiet --require-hashes "$1"
    rm -f .venv/.stamp-*
    stamp_of "$1" >".venv/.stamp-$1"
}

is_prepared() {
    [ -f ".venv/.stamp-$1" ] && [ "$(cat ".venv/.stamp-$1")" = "$(stamp_of "$1")" ]
}

# What an environment is made of: the locked packages and the interpreter; empty without one.
stamp_of() {
    interpreter=$(.venv/bin/python -c 'import sys; print(sys.version)' 2>/dev/null) &&
        { sha256sum requirements.lock "$1"; echo "$interpreter"; } | sha256sum | cut -d ' ' -f 1
}
