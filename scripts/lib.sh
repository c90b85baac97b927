# Shared by the scripts of this folder: says what it does, and installs what is missing on a Debian machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }

# need PROGRAM PACKAGE: installs PACKAGE unless PROGRAM is there.
need() {
  command -v "$1" >/dev/null 2>&1 && return 0
  local sudo=""
  [ "$(id -u)" = 0 ] || sudo="sudo"
  command -v apt-get >/dev/null 2>&1 || {
    echo "$1 is missing and there is no apt-get: install $2 with your own package manager" >&2
    exit 1
  }
  echo "installing $2 (for $1)"
  [ -n "${APT_UPDATED:-}" ] || { $sudo apt-get update -qq; export APT_UPDATED=1; }
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" >/dev/null
}

# need_all LIST: installs what a list of programs and packages names, but for `-` and `optional`.
need_all() {
  local program package
  while read -r program package; do
    case "$program$package" in '#'* | '' | *- | *optional) ;; *) need "$program" "$package" </dev/null ;; esac
  done <"$1"
}

need_rust() {
  [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ] && PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
  command -v cargo >/dev/null 2>&1 || {
    echo "cargo is missing: install a Rust toolchain (see rust-version in Cargo.toml) from https://rustup.rs" >&2
    exit 1
  }
}

# The build is the same for the demo and the tests, so it is made once.
build() {
  need cc build-essential
  say "building (the first time takes a few minutes)"
  cargo build --locked
}
