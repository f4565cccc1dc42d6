/* preview.json: the first images of train as text, for drawing digits before anything is fetched.
 */
#ifndef GD_REBUILD_PREVIEW_H
#define GD_REBUILD_PREVIEW_H

#include "dataset/split.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes of text that n_examples can become at most. */
size_t gd_preview_bound(uint32_t n_examples);

/* Writes the first n_examples images of a verified split (it has that many) to `out`, which has
 * gd_preview_bound(n_examples) bytes, and returns the length. Indented by two spaces, keys sorted,
 * a newline at the end, no NUL: the text is part of the dataset, to the byte. */
size_t gd_preview_write(const gd_split *split, uint32_t n_examples, uint8_t *out);

#endif
