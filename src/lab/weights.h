/* Parameters as one sequence of numbers: layer_0.weight (out, in) row-major, layer_0.bias,
 * layer_1.weight, ... The sequence's little-endian float32 bytes are what is hashed, exported and
 * imported. */
#ifndef GD_LAB_WEIGHTS_H
#define GD_LAB_WEIGHTS_H

#include "base/arena.h"
#include "base/sha256.h"
#include "base/status.h"
#include "lab/random.h"
#include "nn/network.h"

#include <stdint.h>

/* A place in the sequence: the next row of a layer's weight, or (row == out) its bias. */
typedef struct gd_weights_cursor {
  unsigned layer; /* GD_N_LAYERS: the end */
  uint32_t row;
} gd_weights_cursor;

/* Numbers of the cursor's row; 0 at the end. */
uint32_t gd_weights_next(const gd_shape *shape, const gd_weights_cursor *cursor);

/* Writes the cursor's row (gd_weights_next numbers) and moves on. */
void gd_weights_write(gd_parameters *parameters, gd_weights_cursor *cursor, const float *row);

/* Draws whole rows from the cursor on and hashes them, until at least `n_values` numbers are drawn or the end is reached: weights
 * and biases alike, uniform in +-1/sqrt(fan-in). `row`: room for GD_MAX_WIDTH floats. Returns how many numbers were drawn. */
uint64_t gd_weights_draw(gd_parameters *parameters, gd_weights_cursor *cursor, float *row,
                         uint64_t n_values, gd_random *random, gd_sha256 *sha);

/* Hashes whole rows from the cursor on until at least `n_values` numbers are hashed or the end is
 * reached (cursor->layer == GD_N_LAYERS). `row`: room for GD_MAX_WIDTH floats. Returns how many
 * numbers were hashed. */
uint64_t gd_weights_hash(const gd_parameters *parameters, gd_weights_cursor *cursor, float *row,
                         uint64_t n_values, gd_sha256 *sha);

/* The same in one go, for small networks and tests. */
void gd_weights_digest(const gd_parameters *parameters, float *row,
                       uint8_t digest[GD_SHA256_BYTES]);

/* Copies numbers first .. first + n - 1 of the sequence to `out` (n). WRONG_PARAMETER_COUNT where
 * they are not all there; then nothing is written. `row`: room for GD_MAX_WIDTH floats. */
gd_status gd_weights_read(const gd_parameters *parameters, float *row, uint64_t first, uint64_t n,
                          float *out, gd_report *report);

/* Parameters that arrive in pieces, in the sequence's order. */
typedef struct gd_weights_import {
  gd_parameters *parameters; /* the caller's, taken for the shape */
  gd_weights_cursor cursor;
  uint32_t n_in_row; /* numbers of the unfinished row */
  uint64_t n_done;
  gd_sha256 sha;
  float row[GD_MAX_WIDTH];
} gd_weights_import;

void gd_weights_import_start(gd_weights_import *import, gd_parameters *parameters);

/* Takes the next n numbers. WEIGHT_NOT_FINITE names the tensor ("layer_2.weight"), the byte in the
 * sequence, and what stands there; WRONG_PARAMETER_COUNT: more than the network has. After a fault
 * the import is of no further use. */
gd_status gd_weights_import_append(gd_weights_import *import, const float *values, uint64_t n,
                                   gd_report *report);

/* WRONG_PARAMETER_COUNT while numbers are missing; else the digest over all of them. */
gd_status gd_weights_import_finish(gd_weights_import *import, uint8_t digest[GD_SHA256_BYTES],
                                   gd_report *report);

#endif
