# Shared by the scripts here and by .ci/run: go to the project's root, install packages, make environments, start Docker.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# The tests start many processes: without its cache, Python would compile every module again in each of them.
unset PYTHONDONTWRITEBYTECODE

# Qt without a screen, and what its windows need besides.
QT_PACKAGES=(libegl1 libgl1 libfontconfig1 libfreetype6 libdbus-1-3 libxkbcommon0 libx11-6 libglib2.0-0 fonts-dejavu)
WINDOW_PACKAGES=(libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0
    libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-util1 libxcb-xfixes0 libxcb-xkb1 libx11-xcb1 libxkbcommon-x11-0)

say() { printf '%s\n' "$*" >&2; }
fail() { say "$*"; exit 4; }

# step NAME: say what is done now, and how long the step before it took. Call it without a name after the last step.
step_name="" step_start=0
step() {
    [ -z "$step_name" ] || say "-- $step_name: $((SECONDS - step_start)) s"
    step_name=${1:-} step_start=$SECONDS
    [ -z "$step_name" ] || say "== $step_name"
}

has_display() { [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; }
can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

# install_packages NAME...: install what is missing, as root on Debian or Ubuntu; on other Linux systems only say it.
install_packages() {
    local missing=() package
    for package in "$@"; do
        # Debian 13 gave some libraries the suffix t64.
        [[ $(dpkg-query -W -f '${Status} ' "$package" "${package}t64" 2>/dev/null) == *"ok installed"* ]] ||
            missing+=("$package")
    done
    [ "${#missing[@]}" -gt 0 ] && [ "$(uname -s)" = Linux ] || return 0
    if ! can_install; then
        say "Not root on Debian: install these packages if something is missing: ${missing[*]}"
        return 0
    fi
    say "Installing system packages: ${missing[*]}"
    apt-get update -qq >&2 || fail "The package lists could not be fetched. Check the network and try again."
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        fail "Some system packages could not be installed: ${missing[*]}"
}

good_python() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# find_python: print the path of a Python that can make environments; as root on Debian it is installed.
find_python() {
    local python
    for python in "${PYTHON:-}" python3.13 python3.12 python3.11 python3 python; do
        good_python "$python" && { command -v "$python"; return; }
    done
    if can_install; then
        install_packages ca-certificates python3 python3-venv
        good_python python3 && { command -v python3; return; }
    fi
    fail "Python 3.11 or later with its venv module is needed. Install it (Debian: python3 python3-venv) and try again."
}

# make_environment FOLDER LOCKFILE: a virtual environment with the locked packages, made again when they change.
make_environment() {
    local folder=$1 lock=$2 python stamp
    stamp=$(cat "$lock" pyproject.toml packaging/lib.sh | cksum)
    [ -x "$folder/bin/python" ] && [ "$(cat "$folder/.stamp" 2>/dev/null)" = "$stamp" ] && return 0
    python=$(find_python)
    say "Creating the environment in $folder"
    [ -x "$folder/bin/python" ] || "$python" -m venv "$folder" || fail "The environment could not be made in $folder."
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$(grep -o '^uv==[^ ]*' "$lock")" ||
        fail "uv could not be installed. Check the network and try again."
    say "Installing the locked packages"
    "$folder/bin/uv" pip install --quiet --python "$folder/bin/python" --require-hashes -r "$lock" ||
        fail "The packages could not be installed. Check the network and try again."
    # The first name of this distribution, which would stand beside it.
    "$folder/bin/uv" pip uninstall --quiet --python "$folder/bin/python" annotator 2>/dev/null || true
    "$folder/bin/uv" pip install --quiet --python "$folder/bin/python" --no-deps -e . ||
        fail "Annotator itself could not be installed."
    printf '%s' "$stamp" >"$folder/.stamp"
}

# make_headless FOLDER: the environment of the tests without PySide6.
make_headless() {
    make_environment "$1" packaging/requirements-test.lock
    "$1/bin/uv" pip uninstall --quiet --python "$1/bin/python" pyside6-essentials shiboken6 pytest-qt 2>/dev/null || true
}

# folder_in_memory: make a folder in memory, where programs may be started from, and print its path; fails without room.
folder_in_memory() {
    local place=/dev/shm options free
    options=$(awk -v place=$place '$2 == place { print $4 }' /proc/mounts 2>/dev/null | tail -n 1)
    free=$(df --output=avail -k $place 2>/dev/null | tail -n 1)
    [[ ,$options, == *,rw,* && ,$options, != *,noexec,* ]] && [ "${free:-0}" -gt 4000000 ] &&
        mktemp -d -p $place annotator-tests-XXXXXX
}

engine_answers() { "$1/bin/python" -c 'import docker; docker.from_env(timeout=5).ping()' >/dev/null 2>&1; }

# start_engine ENVIRONMENT: make sure that a Docker engine answers; one that is started here is ended by stop_engine.
engine_pid=""
start_engine() {
    local root=${ANNOTATOR_DOCKER_ROOT:-/var/lib/annotator-docker}
    engine_answers "$1" && return 0
    can_install || return 1
    install_packages docker.io iptables debootstrap
    mkdir -p "$root" /run/annotator-docker
    dockerd --data-root "$root" --exec-root /run/annotator-docker --pidfile /run/annotator-docker/dockerd.pid \
        --host unix:///var/run/docker.sock --bridge none --iptables=false >"$root/dockerd.log" 2>&1 &
    engine_pid=$!
    for _ in $(seq 60); do
        engine_answers "$1" && return 0
        kill -0 "$engine_pid" 2>/dev/null || break
        sleep 1
    done
    say "The Docker engine did not start:"
    tail -n 3 "$root/dockerd.log" >&2
    return 1
}

stop_engine() {
    [ -n "$engine_pid" ] || return 0
    kill "$engine_pid" 2>/dev/null || true
    wait "$engine_pid" 2>/dev/null || true
}
