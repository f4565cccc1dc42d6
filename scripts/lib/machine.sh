# What the machine has, and what can be installed on it.  Sourced by scripts/setup.

say() {
  printf '%s\n' "$*" >&2
}

fail() {
  printf 'set-up: %s\n' "$*" >&2
  exit 1
}

has() {
  command -v "$1" > /dev/null 2>&1
}

# at_least VERSION MINIMUM: whether a dotted version is high enough.
at_least() {
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

is_debian() {
  has apt-get && [ "$(. /etc/os-release 2> /dev/null && echo "${ID:-}")" = debian ]
}

# Folder for what several clones share; made on the first call.
cache_folder() {
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/mnist-browser-lab
  mkdir -p "$folder"
  realpath "$folder"
}

missing_packages=()

# need_command COMMAND PACKAGE: notes Debian's package for a command that is not on PATH.
need_command() {
  has "$1" || missing_packages+=("$2")
}

# need_package PACKAGE: notes a package that is not installed, where the machine has Debian's dpkg.
need_package() {
  if has dpkg-query; then
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ] ||
      missing_packages+=("$1")
  fi
}

# Installs what was noted, or says what to install and ends.
install_missing() {
  [ ${#missing_packages[@]} -gt 0 ] || return 0
  local list=${missing_packages[*]}
  if ! is_debian; then
    fail "these are missing (Debian's names): $list
Install them with this machine's package manager, then run this command again."
  fi
  local command="apt-get install --yes --no-install-recommends $list"
  if [ "$(id -u)" != 0 ]; then
    fail "these packages are missing, and installing them needs root. Run
  sudo apt-get update && sudo $command
then run this command again."
  fi
  say "set-up: installing $list"
  local log
  log=$(mktemp)
  if ! apt_install > "$log" 2>&1 && ! { apt-get update && apt_install; } > "$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "the packages could not be installed. Run
  apt-get update && $command
and see why."
  fi
  rm -f "$log"
  missing_packages=()
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    -o DPkg::Lock::Timeout=300 "${missing_packages[@]}"
}

# Node: nothing older runs the lab's modules.
need_node() {
  local minimum=20.0.0 found
  if ! has node; then
    found=$(apt-cache policy nodejs 2> /dev/null | awk '/Candidate:/ {print $2}')
    if [ -n "$found" ] && [ "$found" != '(none)' ] && at_least "$found" "$minimum"; then
      missing_packages+=(nodejs)
    else
      fail "Node.js 20 or newer is needed (https://nodejs.org), with npm; there is none on PATH."
    fi
  else
    found=$(node --version)
    at_least "${found#v}" "$minimum" ||
      fail "Node.js 20 or newer is needed (https://nodejs.org); the one on PATH is $found."
  fi
  need_command npm npm
}

# The root of the Debian archive that this machine's apt is configured for, ending in a slash.
debian_archive() {
  local uri codename
  uri=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(RELEASE)' 'Created-By: Packages' |
    awk '$2 == "Debian" && $3 !~ /security|updates|backports/ {print $1; exit}')
  if [ -z "$uri" ]; then
    # No lists have been downloaded yet: ask what an update would fetch.
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
    uri=$(apt-get update --print-uris 2> /dev/null |
      sed -n "s,^'\([^']*/\)dists/\($codename\|stable\|testing\|unstable\)/InRelease'.*,\1,p" |
      head -n 1)
  fi
  [ -n "$uri" ] || return 1
  printf '%s\n' "$uri"
}

# fetch_archived PATH FILE SHA256: a file of the Debian archive, by its path below the root.
fetch_archived() {
  local archive
  archive=$(debian_archive) || return 1
  /usr/lib/apt/apt-helper -qq download-file "$archive$1" "$2" "SHA256:$3" > /dev/null 2>&1
}
