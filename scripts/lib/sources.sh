# Sources of libraries that the builds compile.  Sourced by scripts/setup.
#
# Meson fetches each from its upstream address (subprojects/*.wrap).  Where the machine has a Debian
# archive, its copy is placed first, so that upstream need not be reached.

# name in subprojects/, our overlay, path in the archive, SHA-256
bearssl_source=(bearssl-0.6 bearssl
  pool/main/b/bearssl/bearssl_0.6+dfsg.1.orig.tar.xz
  102a625bd8f6155260867a50c508df8d8c3f796985dd744df1a68e5cd1a79004)
zlib_source=(zlib-1.2.13 zlib
  pool/main/z/zlib/zlib_1.2.13.dfsg.orig.tar.bz2
  71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1)
cmocka_source=(cmocka-1.1.5 cmocka
  pool/main/c/cmocka/cmocka_1.1.5.orig.tar.xz
  f0ccd8242d55e2fd74b16ba518359151f6f8383ff8aef4976e48393f77bba8b6)

# archived_source PATH SHA256: prints the tarball's place in the cache; fetched once.
archived_source() {
  local folder file
  is_debian || return 1
  folder=$(cache_folder)/sources
  file=$folder/$(basename "$1")
  if ! echo "$2  $file" | sha256sum --status --check - 2> /dev/null; then
    mkdir -p "$folder"
    fetch_archived "$1" "$file.$$" "$2" || { rm -f "$file.$$"; return 1; }
    mv -f "$file.$$" "$file"
  fi
  printf '%s\n' "$file"
}

# unpack_source TARBALL FOLDER: replaces FOLDER by what is in the tarball's only folder.
unpack_source() {
  local temporary=$2.$$
  rm -rf "$temporary"
  mkdir -p "$temporary"
  tar -x -f "$1" -C "$temporary" --strip-components=1 --no-same-owner
  rm -rf "$2"
  mv "$temporary" "$2"
}

# place_subproject NAME OVERLAY PATH SHA256: the source with our build file, under subprojects/.
place_subproject() {
  local folder=subprojects/$1 overlay=subprojects/packagefiles/$2/meson.build tarball
  if [ ! -e "$folder/meson.build" ]; then
    tarball=$(archived_source "$3" "$4") || {
      say "set-up: $1 is not in a Debian archive of this machine; meson fetches it from upstream"
      return 0
    }
    unpack_source "$tarball" "$folder"
  fi
  cmp -s "$overlay" "$folder/meson.build" || cp "$overlay" "$folder/meson.build"
}
