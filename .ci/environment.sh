# Shared by ./run and ./test: the Python environment and the instance folder.

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
    stamp=.venv/.stamp-$1
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(lock_sum "$1")" ]; then
        return
    fi
    if [ "$1" = requirements.lock ] && [ -f .venv/.stamp-requirements-dev.lock ] &&
        [ "$(cat .venv/.stamp-requirements-dev.lock)" = "$(lock_sum requirements-dev.lock)" ]; then
        return
    fi
    if [ ! -x .venv/bin/python ]; then
        python=$(find_python)
        "$python" -m venv .venv || {
            rm -rf .venv
            missing "python3-venv" "the environment cannot be made" "python3-venv"
            exit 1
        }
    fi
    echo "installing the packages of $1 (once)" >&2
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
        -r requirements-tool.lock
    .venv/bin/uv pip sync --quiet --require-hashes "$1"
    rm -f .venv/.stamp-*
    lock_sum "$1" >"$stamp"
}

lock_sum() {
    sha256sum requirements.lock "$1" | sha256sum | cut -d ' ' -f 1
}

# Migrates the instance, creates its administrator, compiles numeric code once.
set_up_instance() {
    .venv/bin/python -m api setup
    if [ ! -f .venv/.stamp-compiled ]; then
        echo "compiling numeric code (once)" >&2
        .venv/bin/python -m api warm
        touch .venv/.stamp-compiled
    fi
}
