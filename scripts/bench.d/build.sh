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

# The kernels as the engine has them, in both numerics.
libraries=build/wasm/src
for numerics in mul-add fused; do
  flags=
  [ $numerics = mul-add ] || flags='-DGD_FUSED=1 -mrelaxed-simd'
  target=$out/wasm/kernels-$numerics.wasm
  kernels="$libraries/libgd-nn-$numerics.a $libraries/libgd-lab-$numerics.a"
  # shellcheck disable=SC2086  # several libraries
  if is_older $target $here/wasm/kernels.c $here/build.sh $kernels; then
    # shellcheck disable=SC2086  # several flags
    "$EMCC" -O3 -msimd128 $flags -ffp-contract=off -Isrc --no-entry -sINITIAL_MEMORY=128MB \
      -o $target $here/wasm/kernels.c $kernels $libraries/libgd-data.a
  fi
done
