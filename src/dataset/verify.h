/* All checks of a GDMNIST1 file that has arrived. */
#ifndef GD_DATASET_VERIFY_H
#define GD_DATASET_VERIFY_H

#include "dataset/split.h"

#include <stdbool.h>

/* Makes the checks below in this order, enters each into split->checks with its value, and marks
 * split->is_member. All are made even after one has failed, but for those that a wrong size makes
 * meaningless. Places come from the layout of the expected number of images, never from the file.
 *
 *   name              status                offset of a fault
 *   gzip size         WRONG_GZIP_SIZE       end of the compressed file
 *   gzip SHA-256      WRONG_GZIP_DIGEST     none
 *   gzip stream       GZIP_TRUNCATED, …     in the compressed file
 *   size              WRONG_SIZE            end of the file
 *   SHA-256           WRONG_DIGEST          none
 *   magic             WRONG_MAGIC           0
 *   image count       WRONG_COUNT           8
 *   dimensions        WRONG_DIMENSIONS      12 or 16
 *   pixel offset      WRONG_PIXEL_OFFSET    20
 *   label offset      WRONG_LABEL_OFFSET    24
 *   index offset      WRONG_INDEX_OFFSET    28
 *   padding           PADDING_NOT_ZERO      the first such byte
 *   labels            LABEL_OUT_OF_RANGE    the first such label
 *   class counts      WRONG_CLASS_COUNTS    the labels
 *   digit order       NOT_INTERLEAVED       the first label out of turn
 *   index range       INDEX_OUT_OF_RANGE    the first such index
 *   index uniqueness  INDEX_REPEATED        the first that occurred before
 *   index SHA-256     WRONG_INDEX_DIGEST    the indices */
void gd_split_verify(gd_split *split, bool was_gzip);

#endif
