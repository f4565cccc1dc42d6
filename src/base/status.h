/* Status codes and fault reports: how every part of the library says what went wrong. */
#ifndef GD_BASE_STATUS_H
#define GD_BASE_STATUS_H

#include <stdint.h>

/* One name, number, sentence for each distinct fault: GD_STATUS_LIST(X) calls X(NAME, sentence).
 * The numbers are the list's order, so new entries go to the end of their room's part. */
#define GD_STATUS_LIST(X)                                                                          \
  X(OK, "no fault")                                                                                \
  /* base */                                                                                       \
  X(OUT_OF_MEMORY, "the memory that this needs is not available")                                  \
  X(SIZE_OVERFLOW, "a size is too large to be computed")                                           \
  X(STALE_HANDLE, "the handle does not name anything that is open")                                \
  X(WRONG_STATE, "this cannot be done at this point")                                              \
  /* gzip */                                                                                       \
  X(GZIP_CORRUPT, "the gzip stream is damaged")                                                    \
  X(GZIP_TRUNCATED, "the gzip stream ends too early")                                              \
  X(GZIP_TRAILING, "bytes follow the end of the gzip stream")                                      \
  /* GDMNIST1 */                                                                                   \
  X(TOO_LONG, "there are more bytes than the manifest allows")                                     \
  X(WRONG_SIZE, "the size differs from the manifest")                                              \
  X(WRONG_DIGEST, "the SHA-256 differs from the manifest")                                         \
  X(WRONG_GZIP_SIZE, "the compressed size differs from the manifest")                              \
  X(WRONG_GZIP_DIGEST, "the SHA-256 of the compressed file differs from the manifest")             \
  X(WRONG_MAGIC, "the file does not start with GDMNIST1")                                          \
  X(WRONG_COUNT, "the number of images differs from the manifest")                                 \
  X(WRONG_DIMENSIONS, "the images are not 28 by 28 pixels")                                        \
  X(WRONG_PIXEL_OFFSET, "the pixel offset in the header is wrong")                                 \
  X(WRONG_LABEL_OFFSET, "the label offset in the header is wrong")                                 \
  X(WRONG_INDEX_OFFSET, "the index offset in the header is wrong")                                 \
  X(PADDING_NOT_ZERO, "a padding byte is not zero")                                                \
  X(LABEL_OUT_OF_RANGE, "a label is not a digit")                                                  \
  X(WRONG_CLASS_COUNTS, "the number of images of a digit differs from the manifest")               \
  X(NOT_INTERLEAVED, "the digits of a balanced split are not interleaved 0 to 9")                  \
  X(INDEX_OUT_OF_RANGE, "an original index lies outside its collection")                           \
  X(INDEX_REPEATED, "an original index occurs twice")                                              \
  X(WRONG_INDEX_DIGEST, "the SHA-256 of the original indices differs from the manifest")           \
  X(SPLITS_OVERLAP, "two splits share an image")                                                   \
  X(MANIFEST_INCONSISTENT, "the manifest contradicts itself")                                      \
  /* rebuild */                                                                                    \
  X(IDX_WRONG_MAGIC, "the file does not start with the IDX magic number of its kind")              \
  X(IDX_WRONG_COUNT, "the IDX file holds another number of items than expected")                   \
  X(IDX_WRONG_DIMENSIONS, "the IDX images are not 28 by 28 pixels")                                \
  X(IDX_TRUNCATED, "the IDX file ends too early")                                                  \
  X(IDX_TRAILING, "bytes follow the end of the IDX file")                                          \
  X(SOURCE_WRONG_SIZE, "the size of the original file differs from the manifest")                  \
  X(SOURCE_WRONG_MD5, "the MD5 of the original file differs from the manifest")                    \
  X(SOURCE_WRONG_DIGEST, "the SHA-256 of the original file differs from the manifest")             \
  X(WRONG_POOL_DIGEST, "the SHA-256 of a parent pool differs from the manifest")                   \
  X(TOO_FEW_OF_A_DIGIT, "a pool holds too few images of a digit")                                  \
  X(WRONG_PREVIEW_SIZE, "the size of the preview differs from the manifest")                       \
  X(WRONG_PREVIEW_DIGEST, "the SHA-256 of the preview differs from the manifest")                  \
  /* networks and runs */                                                                          \
  X(WRONG_SHAPE, "the layer widths are not a network of this lab")                                 \
  X(FIELD_OUT_OF_RANGE, "a setting lies outside its range")                                        \
  X(FIELD_NOT_INTEGER, "a setting is not a whole number")                                          \
  X(FIELD_NOT_LISTED, "a setting is none of the values on offer")                                  \
  X(FIELD_REPEATED, "a list names a value twice")                                                  \
  X(NOT_COMPARABLE, "the two runs differ in more than their mask")                                 \
  X(DIVERGED, "training diverged: the loss is no longer a finite number")                          \
  X(KERNEL_MISMATCH, "a fast kernel disagrees with its reference on this machine")                 \
  X(WRONG_PARAMETER_COUNT, "the number of weights differs from the network's")                     \
  X(WEIGHT_NOT_FINITE, "a weight is not a finite number")

typedef enum gd_status {
#define GD_STATUS_ENUM(name, sentence) GD_##name,
  GD_STATUS_LIST(GD_STATUS_ENUM)
#undef GD_STATUS_ENUM
      GD_N_STATUSES
} gd_status;

/* What a fault was, for a person and for a program. All texts are NUL-terminated and may be empty.
 *   subject   the field, tensor, file part or file that is at fault
 *   expected  what should stand there (a number, a range, a digest in hex, quoted ASCII)
 *   found     what stands there, in the same form
 *   offset    the byte in the file at which it stands; GD_NO_OFFSET where there is none */
typedef struct gd_report {
  gd_status status;
  uint64_t offset;
  char subject[48];
  char expected[96];
  char found[96];
} gd_report;

#define GD_NO_OFFSET UINT64_MAX

/* The sentence of a status: a static string, never NULL; for a number that is no status, one that
 * says so. */
const char *gd_status_text(gd_status status);

/* The name of a status, as "WRONG_MAGIC": a static string, never NULL. */
const char *gd_status_name(gd_status status);

/* Fills a report and returns its status, so that a function can end with `return
 * gd_report_fault(...)`. The texts are copied, cut to the room there is; NULL stands for an empty
 * one. `report` may be NULL: then only the status is passed on. */
gd_status gd_report_fault(gd_report *report, gd_status status, uint64_t offset, const char *subject,
                          const char *expected, const char *found);

/* The same with two whole numbers for expected and found. */
gd_status gd_report_numbers(gd_report *report, gd_status status, uint64_t offset,
                            const char *subject, uint64_t expected, uint64_t found);

#endif
