#!/bin/sh
# Installs warpscope on Linux or macOS: downloads the program for this machine, checks its
# SHA-256 checksum, and puts it into a folder. Needs curl or wget, and tar.
#
#     sh install.sh [--version VERSION] [--to FOLDER] [--from URL]
set -eu

# Address of the repository. A release fills it in from `repository` in Cargo.toml.
repository=""

usage() {
  cat <<'EOF'
Installs warpscope for this user.

  --version VERSION  a release such as 0.2.0 [default: the newest]
  --to FOLDER        where the program goes [default: ~/.local/bin]
  --from URL         folder of the archives, in place of a release
EOF
}

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 1
}

# The target triple of this machine.
target() {
  system=$(uname -s)
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no archive for the processor $machine: build with cargo install" ;;
  esac
  case $system in
    Linux)
      # "glibc 2.36"; fails where the C library is another one.
      glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) ||
        fail "this Linux has no glibc: build with cargo install"
      glibc=${glibc#* }
      major=${glibc%%.*} minor=${glibc#*.} minor=${minor%%.*}
      if [ "$major" -lt 2 ] || { [ "$major" -eq 2 ] && [ "$minor" -lt 28 ]; }; then
        fail "the archives need glibc 2.28, this system has $glibc: build with cargo install"
      fi
      echo "$machine-unknown-linux-gnu"
      ;;
    Darwin)
      # Under Rosetta the processor appears as x86_64.
      if [ "$(sysctl -n hw.optional.arm64 2>/dev/null || true)" = 1 ]; then machine=aarch64; fi
      echo "$machine-apple-darwin"
      ;;
    *) fail "there is no archive for $system: on Windows use install.ps1" ;;
  esac
}

# download URL FILE
download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1"
  else
    fail "curl and wget are missing: install one of them"
  fi || fail "cannot download $1"
}

sha256() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1"
  elif command -v shasum >/dev/null; then
    shasum -a 256 "$1"
  else
    fail "sha256sum and shasum are missing: the download cannot be checked"
  fi
}

main() {
  version=latest
  to=${HOME:?}/.local/bin
  from=
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) usage; exit 0 ;;
      --version | --to | --from) [ $# -ge 2 ] || fail "$1 needs a value" ;;
      *) usage >&2; fail "unknown option $1" ;;
    esac
    case $1 in
      --version) version=${2#v} ;;
      --to) to=$2 ;;
      --from) from=${2%/} ;;
    esac
    shift 2
  done
  if [ -z "$from" ]; then
    [ -n "$repository" ] ||
      fail "this copy does not know its repository: take install.sh from a release, or use --from URL"
    case $version in
      latest) from=$repository/releases/latest/download ;;
      *) from=$repository/releases/download/v$version ;;
    esac
  fi

  # Assigned apart: `fail` in a substitution ends only the substitution.
  target=$(target) || exit 1
  name=warpscope-$target
  place=$(mktemp -d)
  trap 'rm -rf "$place"' EXIT
  trap 'exit 130' INT TERM
  download "$from/$name.tar.gz" "$place/$name.tar.gz"
  download "$from/$name.tar.gz.sha256" "$place/expected"
  expected=$(cut -d ' ' -f 1 "$place/expected")
  found=$(sha256 "$place/$name.tar.gz") || exit 1
  found=${found%% *}
  if [ -z "$expected" ] || [ "$found" != "$expected" ]; then
    fail "the checksum of $name.tar.gz is $found, the release says ${expected:-nothing}: nothing was installed; download again"
  fi
  tar -xzf "$place/$name.tar.gz" -C "$place"
  "$place/$name/warpscope" --version >/dev/null ||
    fail "the program does not start on this machine: build with cargo install"
  mkdir -p "$to" || fail "cannot create $to: use --to FOLDER"
  # Under another name first: a running program cannot be overwritten, only replaced.
  { cp "$place/$name/warpscope" "$to/.warpscope.new" && mv "$to/.warpscope.new" "$to/warpscope"; } ||
    fail "cannot write $to/warpscope: use --to FOLDER"
  echo "installed $("$to/warpscope" --version) in $to"
  case :$PATH: in
    *":$to:"*) ;;
    *) echo "to start it by name, add to your shell's profile: export PATH=\"$to:\$PATH\"" ;;
  esac
}

# The last line, so that half a download does nothing.
main "$@"
