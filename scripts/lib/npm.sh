# npm packages, pinned by package-lock.json.  Sourced by scripts/setup.

# install_npm run|test: what the page and the dataset need, or the tests' tools too.
install_npm() {
  local stamp=node_modules/.set-up
  if npm_state test | cmp -s - "$stamp" || npm_state "$1" | cmp -s - "$stamp"; then
    return 0
  fi
  say "set-up: installing npm packages"
  local omit=
  [ "$1" = test ] || omit=--omit=dev
  npm ci $omit --no-audit --no-fund --no-update-notifier --loglevel=error >&2 ||
    fail "npm could not install the packages of package-lock.json; is its registry reachable?"
  npm_state "$1" > "$stamp"
}

# What has been installed, as it is noted inside node_modules.
npm_state() {
  echo "$1"
  cat package-lock.json
}
