# need_producer ROOT   builds the producer module, if it is not there yet.
need_producer() {
  if [ ! -e "$1/build/wasm/src/wasm/producer.wasm" ]; then
    "$1/scripts/setup" run >&2
    ninja -C "$1/build/wasm" --quiet modules >&2
  fi
}
