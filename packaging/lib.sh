# Shared by packaging/run and packaging/test: find Python, make the environment, install what is missing.
# shellcheck shell=bash

say() { printf '%s\n' "$*" >&2; }
fail() { say "$*"; exit 4; }

root_dir() { cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd; }

# As root on Debian or Ubuntu, packages can be installed; elsewhere people are told what is missing.
can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

apt_updated=""
install_packages() {
    local missing=()
    local package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ "${#missing[@]}" = 0 ] && return 0
    say "Installing system packages: ${missing[*]}"
    if [ -z "$apt_updated" ]; then
        apt-get update -qq >&2 || fail "The package lists could not be fetched. Check the network and try again."
        apt_updated=yes
    fi
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        fail "Some system packages could not be installed: ${missing[*]}"
}

QT_PACKAGES=(libegl1 libgl1 libfontconfig1 libfreetype6 libdbus-1-3 libxkbcommon0 libx11-6 libglib2.0-0 fonts-dejavu)
# The tests start a private server from these programs; the one that the package sets up is not used.
SERVER_PACKAGES=(postgresql)
QT_WINDOW_PACKAGES=(libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0
    libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-util1 libxcb-xfixes0 libxcb-xkb1 libx11-xcb1 libxkbcommon-x11-0)

# A screen in memory, a window manager and real keys, for the test that works by keyboard alone.
# The font writes Chinese.
SCREEN_PACKAGES=(xvfb openbox xdotool fonts-wqy-zenhei)

good_python() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3.13 python3.12 python3.11 python3 python; do
        [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 && good_python "$candidate" &&
            { command -v "$candidate"; return 0; }
    done
    if can_install; then
        install_packages ca-certificates python3 python3-venv
        good_python python3 && { command -v python3; return 0; }
    fi
    fail "Python 3.11 or later with its venv module is needed. Install it (Debian: python3 python3-venv) and try again."
}

engine_answers() { "$1/bin/python" -c 'import docker; docker.from_env(timeout=5).ping()' >/dev/null 2>&1; }

# start_engine ENVIRONMENT: a Docker engine for the sandbox, with data of its own; stopped again by stop_engine.
engine_pid=""
start_engine() {
    local environment=$1 root=${ANNOTATOR_DOCKER_ROOT:-/var/lib/annotator-docker} tries
    engine_answers "$environment" && return 0
    can_install || return 1
    install_packages docker.io iptables debootstrap
    mkdir -p "$root" /run/annotator-docker
    dockerd --data-root "$root" --exec-root /run/annotator-docker --pidfile /run/annotator-docker/dockerd.pid \
        --host unix:///var/run/docker.sock --bridge none --iptables=false >"$root/dockerd.log" 2>&1 &
    engine_pid=$!
    for tries in $(seq 60); do
        engine_answers "$environment" && return 0
        kill -0 "$engine_pid" 2>/dev/null || break
        sleep 1
    done
    say "The Docker engine did not start (after $tries s):"
    tail -n 3 "$root/dockerd.log" >&2
    return 1
}

stop_engine() {
    if [ -n "$engine_pid" ]; then
        kill "$engine_pid" 2>/dev/null || true
        wait "$engine_pid" 2>/dev/null || true
    fi
}

has_display() { [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; }

# make_environment FOLDER NAME EXTRA...: a virtual environment with the locked versions, made once per lock file.
make_environment() {
    local folder=$1 requirements=$2 python stamp
    shift 2
    stamp=$(cat "$requirements" pyproject.toml packaging/lib.sh | cksum | tr ' ' '-')
    if [ -x "$folder/bin/python" ] && [ "$(cat "$folder/.stamp" 2>/dev/null)" = "$stamp" ]; then
        return 0
    fi
    python=$(find_python) || exit 4
    say "Creating the environment in $folder"
    [ -x "$folder/bin/python" ] || "$python" -m venv "$folder" || fail "The virtual environment could not be made in $folder."
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check 'uv>=0.5' ||
        fail "uv could not be installed. Check the network and try again."
    say "Installing the locked packages"
    "$folder/bin/uv" pip install --quiet --python "$folder/bin/python" --require-hashes -r "$requirements" ||
        fail "The packages could not be installed. Check the network and try again."
    "$folder/bin/uv" pip install --quiet --python "$folder/bin/python" --no-deps "$@" -e . ||
        fail "Annotator itself could not be installed."
    printf '%s' "$stamp" >"$folder/.stamp"
}
