# Emscripten: the one on PATH, or a private SDK from Debian's packages.  Sourced by scripts/setup.

# The first release with the final opcodes of relaxed SIMD that the lab has been measured with.
emscripten_minimum=3.1.69
# The Debian release that has it, and the name of our layout of its packages in the cache.
emscripten_suite=trixie
emscripten_layout=emscripten-3.1.69-debian-2

# Sets emscripten_bin, the folder that holds emcc, emar and emstrip.
find_emscripten() {
  local version
  if has emcc; then
    version=$(emcc --version 2> /dev/null | sed -n '1s/.* \([0-9]*\.[0-9]*\.[0-9]*\).*/\1/p')
    if [ -n "$version" ] && at_least "$version" "$emscripten_minimum"; then
      emscripten_bin=$(dirname "$(command -v emcc)")
      return 0
    fi
    say "set-up: the emcc on PATH is ${version:-of an unknown version}, older than $emscripten_minimum: left aside"
  fi
  if ! is_debian || [ "$(dpkg --print-architecture)" != amd64 ]; then
    fail "Emscripten $emscripten_minimum or newer is needed: install it (https://emscripten.org), put
emcc on PATH, and run this command again."
  fi
  local prefix
  prefix=$(cache_folder)/$emscripten_layout
  if [ ! -e "$prefix/.ready" ]; then
    # The SDK knows its own place, so it is made there and not renamed: one set-up at a time.
    (
      exec 9> "$prefix.lock"
      flock 9
      [ -e "$prefix/.ready" ] || make_sdk "$prefix"
    )
  fi
  emscripten_bin=$prefix/bin
}

# make_sdk PREFIX: unpacks the packages, gives the programs their own loader and libraries.
make_sdk() {
  local prefix=$1
  say "set-up: unpacking Emscripten into $prefix (once, 700 MB)"
  rm -rf "$prefix"
  mkdir -p "$prefix"
  download_sdk_packages "$prefix"
  unpack_sdk_packages "$prefix"
  adopt_sdk_libraries "$prefix"
  configure_sdk "$prefix"
  seed_zlib_port "$prefix"
  "$prefix/bin/emcc" --version | head -n 1 > "$prefix/.ready"
}

# An apt with lists, cache and status of its own below PREFIX/.apt; the machine's is not touched.
private_apt() {
  local apt=$1/.apt
  shift
  apt-get -qq -o Dir::Etc::sourcelist="$apt/private.sources" -o Dir::Etc::sourceparts="$apt/empty" \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts="$apt/empty" \
    -o Dir::State="$apt" -o Dir::State::lists="$apt/lists" -o Dir::State::status="$apt/status" \
    -o Dir::Cache="$apt/cache" -o Dir::Cache::archives="$apt/cache/archives" \
    -o APT::Sandbox::User= -o Debug::NoLocking=1 -o Acquire::Languages=none \
    -o Acquire::Retries=3 "$@"
}

# What Emscripten needs, less what the machine has (node, python) or a C project does not use.
sdk_packages='emscripten|binaryen|node-acorn|patchelf|clang-[0-9]+|lld-[0-9]+'
sdk_packages+='|llvm-[0-9]+(-linker-tools|-runtime)?|libllvm[0-9]+|libclang-cpp[0-9]+'
sdk_packages+='|libclang1-[0-9]+|libclang-common-[0-9]+-dev|libc6|libgcc-s1|libstdc\+\+6|libz3-4'
sdk_packages+='|libedit2|libtinfo6|libbsd0|libmd0|libxml2.*|libicu[0-9]+|liblzma5|libzstd1|zlib1g'
sdk_packages+='|libffi8'

download_sdk_packages() {
  local prefix=$1 archive names
  archive=$(debian_archive) || fail "this machine's apt has no Debian archive configured"
  mkdir -p "$prefix"/.apt/{lists/partial,cache/archives/partial,empty} "$prefix/.debs"
  : > "$prefix/.apt/status"
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$archive" \
    "$emscripten_suite" /usr/share/keyrings/debian-archive-keyring.gpg \
    > "$prefix/.apt/private.sources"
  private_apt "$prefix" update
  names=$(private_apt "$prefix" install --yes --no-install-recommends --print-uris \
    emscripten patchelf 2> /dev/null |
    sed -n "s/^'[^']*' \([^_ ]*\)_.*/\1/p" | grep -E "^($sdk_packages)\$") ||
    fail "the Debian archive offers no Emscripten in $emscripten_suite"
  # shellcheck disable=SC2086  # a list of names
  (cd "$prefix/.debs" && private_apt "$prefix" download $names)
}

# Of the system libraries that come built, only the kinds that a C project links are kept.
unpack_sdk_packages() {
  local prefix=$1 package
  local libraries='*/wasm32-emscripten'
  for package in "$prefix"/.debs/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$prefix" --no-same-owner \
      --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' \
      --exclude='./usr/share/emscripten/test/*' --exclude='./usr/share/emscripten/docs/*' \
      --exclude="$libraries/pic/*" --exclude="$libraries/lto-pic/*" --exclude="$libraries/*-ww*" \
      --exclude='*/libGL*emu*' --exclude='*/libGL*ofb*' --exclude='*/libGL*full_es3*' \
      --exclude='*/libwasmfs*' --exclude='*/libembind*' --exclude='*/libemmalloc*'
  done
  # LLVM's other programs need libraries that were not taken.
  find "$prefix"/usr/lib/llvm-[0-9]*/bin -type f -regextype posix-extended \
    ! -regex '.*/(clang|lld|llvm-(ar|dwarfdump|dwp|nm|objcopy))' -delete
  rm -rf "$prefix/.debs" "$prefix/.apt"
}

is_elf() {
  [ -f "$1" ] && [ ! -L "$1" ] && [ "$(head -c 4 "$1" | od -An -tx1 | tr -d ' ')" = 7f454c46 ]
}

# The programs are of a newer Debian than the machine: they get that one's loader and libraries.
adopt_sdk_libraries() {
  local prefix=$1 file
  local loader=$prefix/usr/lib64/ld-linux-x86-64.so.2 libraries=$prefix/usr/lib/x86_64-linux-gnu
  local patchelf=("$loader" --library-path "$libraries" "$prefix/usr/bin/patchelf")
  for file in "$libraries"/libLLVM*.so* "$libraries"/libclang*.so*; do
    if is_elf "$file"; then
      "${patchelf[@]}" --set-rpath "$libraries" "$file"
    fi
  done
  for file in "$prefix"/usr/lib/llvm-[0-9]*/bin/* "$prefix"/usr/bin/wasm*; do
    if is_elf "$file"; then
      "${patchelf[@]}" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$file"
      if LD_TRACE_LOADED_OBJECTS=1 "$file" | grep 'not found' >&2; then
        fail "$file lacks a library"
      fi
    fi
  done
}

# Emscripten's settings, and commands in PREFIX/bin that carry them.
configure_sdk() {
  local prefix=$1 root=$1/usr/share/emscripten version tool
  version=$(basename "$prefix"/usr/lib/llvm-[0-9]*)
  version=${version#llvm-}
  ln -sfn nodejs "$prefix/usr/share/node_modules" # where node looks for acorn
  cat > "$prefix/emscripten.cfg" << END
LLVM_ROOT = '$prefix/usr/bin'
BINARYEN_ROOT = '$prefix/usr'
EMSCRIPTEN_ROOT = '$root'
NODE_JS = 'node'
LLVM_ADD_VERSION = '$version'
CLANG_ADD_VERSION = '$version'
CACHE = '$root/cache'
END
  mkdir -p "$prefix/bin"
  for tool in emcc emar emranlib emnm emstrip emsize em-config embuilder; do
    [ -x "$root/$tool" ] || continue
    {
      echo '#!/bin/sh'
      echo "export EM_CONFIG='$prefix/emscripten.cfg' EMSDK_PYTHON='$(command -v python3)'"
      if [ "$tool" = emcc ]; then
        # Meson asks for the linker's version by linking an empty program, for which Emscripten
        # would first build its debug libraries: answered by the linker itself.
        echo "[ \"\$1\" != -Wl,--version ] || exec '$prefix/usr/bin/wasm-ld-$version' --version"
      fi
      echo "exec '$root/$tool' \"\$@\""
    } > "$prefix/bin/$tool"
    chmod +x "$prefix/bin/$tool"
  done
}

# Emscripten's zlib port fetches its source from upstream unless it finds it in its cache, with a
# note of the address it came from.
seed_zlib_port() {
  local prefix=$1 root=$1/usr/share/emscripten version tarball
  version=$(sed -n "s/^VERSION = '\(.*\)'/\1/p" "$root/tools/ports/zlib.py")
  [ "zlib-$version" = "${zlib_source[0]}" ] || return 0
  tarball=$(archived_source "${zlib_source[2]}" "${zlib_source[3]}") || return 0
  mkdir -p "$root/cache/ports/zlib"
  unpack_source "$tarball" "$root/cache/ports/zlib/zlib-$version"
  printf 'https://github.com/madler/zlib/archive/refs/tags/v%s.tar.gz' "$version" \
    > "$root/cache/ports/zlib/.emscripten_url"
}
