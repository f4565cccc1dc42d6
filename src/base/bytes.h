/* Loads and stores of integers in a given byte order, at any alignment, on any machine. */
#ifndef GD_BASE_BYTES_H
#define GD_BASE_BYTES_H

#include <stdint.h>

/* Four bytes, least significant first. */
static inline uint32_t gd_load_u32_le(const uint8_t bytes[4]) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

/* Four bytes, most significant first. */
static inline uint32_t gd_load_u32_be(const uint8_t bytes[4]) {
  return (uint32_t)bytes[3] | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[1] << 16 |
         (uint32_t)bytes[0] << 24;
}

/* Writes four bytes, least significant first. */
static inline void gd_store_u32_le(uint8_t bytes[4], uint32_t value) {
  for (unsigned i = 0; i < 4; i++) {
    bytes[i] = (uint8_t)(value >> (8 * i));
  }
}

/* Writes eight bytes, least significant first. */
static inline void gd_store_u64_le(uint8_t bytes[8], uint64_t value) {
  for (unsigned i = 0; i < 8; i++) {
    bytes[i] = (uint8_t)(value >> (8 * i));
  }
}

#endif
