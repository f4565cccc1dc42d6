#!/bin/bash
# The benchmark's own programs, into build/bench/: called by scripts/bench, with $EMCC.
set -euo pipefail
cd "$(dirname "$0")/../.."

here=scripts/bench.d
out=build/bench
mkdir -p $out/wasm

# is_older FILE SOURCE...: whether there is no FILE, or one that is older than a SOURCE.
is_older() {
  local file=$1 source
  for source in "${@:2}"; do
    [ "$file" -nt "$source" ] || return 0
  done
  return 1
}

if is_older $out/openblas $here/native/openblas.c $here/build.sh; then
  # Its loops beside the products may use all that AVX2 offers, as OpenBLAS does.
  cc -O3 -march=haswell -ffast-math -Wall -Wextra -o $out/openblas $here/native/openblas.c -lopenblas -lm
fi

if is_older $out/train.bin dist/dataset/train.bin.gz; then
  gzip -dc dist/dataset/train.bin.gz > $out/train.bin
fi

if is_older $out/wasm/peak.wasm $here/wasm/peak.c $here/build.sh; then
  "$EMCC" -O3 -msimd128 -mrelaxed-simd --no-entry -o $out/wasm/peak.wasm $here/wasm/peak.c
fi
