# The build folders, made with meson.  Sourced by scripts/setup.

# Node of 20 knows relaxed SIMD behind a flag only; newer ones know it without, and not the flag.
node_command() {
  local flag=--experimental-wasm-relaxed-simd
  # A module with one function: i8x16.relaxed_swizzle of two constants, dropped.
  local probe='
    const zeros = [0xfd, 12, ...new Array(16).fill(0)];
    const body = [0, ...zeros, ...zeros, 0xfd, 0x80, 0x02, 0x1a, 0x0b];
    const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0,
      10, body.length + 2, 1, body.length, ...body];
    process.exit(WebAssembly.validate(new Uint8Array(bytes)) ? 0 : 1);'
  if ! node -e "$probe" && node "$flag" -e "$probe" 2> /dev/null; then
    echo "['node', '$flag']"
  else
    echo "['node']"
  fi
}

# configure FOLDER ARGUMENT...: makes a build folder, anew if the arguments are not those it has.
configure() {
  local folder=$1 arguments
  shift
  arguments="${CC:-} $*"
  [ "$(cat "$folder.arguments" 2> /dev/null)" = "$arguments" ] || rm -rf "$folder"
  if [ ! -e "$folder/build.ninja" ]; then
    run_meson setup "$folder" "$@"
    printf '%s\n' "$arguments" > "$folder.arguments"
  fi
}

# configure_wasm true|false: build/wasm, with or without the test programs.
configure_wasm() {
  local toolchain
  toolchain="[constants]
sdk = '$emscripten_bin'
node = $(node_command)"
  # Meson tries the compiler with a program that node is to run as CommonJS, whatever its name.
  [ -e build/package.json ] || echo '{"type": "commonjs"}' > build/package.json
  if [ "$(cat build/toolchain.ini 2> /dev/null)" != "$toolchain" ]; then
    rm -rf build/wasm
    printf '%s\n' "$toolchain" > build/toolchain.ini
  fi
  configure build/wasm --cross-file build/toolchain.ini --cross-file scripts/emscripten.ini \
    -Dtests=false
  if [ "$1" = true ] && [ ! -e build/wasm/.tests ]; then
    run_meson configure build/wasm -Dtests=true
    : > build/wasm/.tests
  fi
}

# build/native is clang's, optimised; build/sanitize is gcc's (clang 14 takes minutes for a kernel
# with both sanitizers).
configure_native() {
  CC=clang configure build/native
  CC=gcc configure build/sanitize -Dbuildtype=debug -Doptimization=1 \
    -Db_sanitize=address,undefined -Dc_args=-fno-sanitize-recover=all
}

run_meson() {
  local log
  log=$(mktemp)
  if ! meson "$@" > "$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "meson $1 $2 failed"
  fi
  rm -f "$log"
}
