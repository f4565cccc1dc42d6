# npm packages, pinned by package-lock.json.  Sourced by scripts/setup.

# install_npm run|test: what the page and the dataset need, or the tests' tools too.
install_npm() {
  local lock stamp=node_modules/.set-up
  lock=$(sha256sum package-lock.json | cut -d ' ' -f 1)
  if [ -e "$stamp" ]; then
    [ "$(cat "$stamp")" = "test $lock" ] && return 0
    [ "$(cat "$stamp")" = "$1 $lock" ] && return 0
  fi
  say "set-up: installing npm packages"
  local omit=()
  [ "$1" = test ] || omit=(--omit=dev)
  npm ci --no-audit --no-fund --no-update-notifier --loglevel=error "${omit[@]}" >&2 ||
    fail "npm could not install the packages of package-lock.json; is its registry reachable?"
  echo "$1 $lock" > "$stamp"
}
