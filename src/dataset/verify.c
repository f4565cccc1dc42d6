#include "dataset/verify.h"

#include "base/bytes.h"
#include "base/text.h"

#include <string.h>

#define TEXT_BYTES 96

/* One check with numbers or texts in the making. */
typedef struct finding {
  const char *name;
  gd_status fault;
  uint64_t offset;
  char expected[TEXT_BYTES];
  char found[TEXT_BYTES];
} finding;

static finding begin(const char *name, gd_status fault, uint64_t offset) {
  finding made = {.name = name, .fault = fault, .offset = offset};
  return made;
}

static void add_text(char text[TEXT_BYTES], const char *more) {
  gd_text_append(text, TEXT_BYTES, more);
}

static void add_number(char text[TEXT_BYTES], uint64_t number) {
  char digits[GD_TEXT_U64_BYTES];
  gd_text_u64(digits, number);
  add_text(text, digits);
}

static void enter_as(gd_split *split, const finding *made, gd_check_state state) {
  gd_checklist_add(&split->checks, made->name, state, made->fault, made->offset, made->expected,
                   made->found);
}

static void enter(gd_split *split, const finding *made, bool passed) {
  enter_as(split, made, passed ? GD_CHECK_PASSED : GD_CHECK_FAILED);
}

static void enter_not_needed(gd_split *split, const char *name, const char *because) {
  finding made = begin(name, GD_OK, GD_NO_OFFSET);
  add_text(made.found, because);
  enter_as(split, &made, GD_CHECK_NOT_NEEDED);
}

static void check_gzip(gd_split *split, bool was_gzip) {
  if (!was_gzip) {
    const char *because = "the file came uncompressed";
    enter_not_needed(split, "gzip size", because);
    enter_not_needed(split, "gzip SHA-256", because);
    enter_not_needed(split, "gzip stream", because);
    return;
  }
  uint8_t digest[GD_SHA256_BYTES];
  gd_sha256_read(&split->gz_hash, digest);
  gd_checklist_number(&split->checks, "gzip size", GD_WRONG_GZIP_SIZE, split->n_gz_bytes,
                      split->expected.gz_bytes, split->n_gz_bytes);
  gd_checklist_digest(&split->checks, "gzip SHA-256", GD_WRONG_GZIP_DIGEST, GD_NO_OFFSET,
                      split->expected.gz_sha256, digest, GD_SHA256_BYTES);
  if (!split->uses_gunzip) {
    enter_not_needed(split, "gzip stream", "not decompressed by zlib here");
    return;
  }
  gd_report report;
  gd_status status = gd_gunzip_finish(split->gunzip, &report);
  finding made = begin("gzip stream", status, report.offset);
  add_text(made.expected, status == GD_OK ? "one whole stream" : report.expected);
  add_text(made.found, status == GD_OK ? "one whole stream" : report.found);
  enter(split, &made, status == GD_OK);
}

static void check_whole(gd_split *split) {
  uint8_t digest[GD_SHA256_BYTES];
  gd_sha256_read(&split->hash, digest);
  gd_checklist_number(&split->checks, "size", GD_WRONG_SIZE, split->n_bytes, split->expected.bytes,
                      split->n_bytes);
  if (split->n_bytes == split->expected.bytes) {
    gd_checklist_digest(&split->checks, "SHA-256", GD_WRONG_DIGEST, GD_NO_OFFSET,
                        split->expected.sha256, digest, GD_SHA256_BYTES);
  }
}

/* Eight bytes in quotes, those that are not printable as \xx. */
static void add_quoted(char text[TEXT_BYTES], const uint8_t bytes[GD_MAGIC_BYTES]) {
  add_text(text, "\"");
  for (unsigned i = 0; i < GD_MAGIC_BYTES; i++) {
    if (bytes[i] >= 0x20 && bytes[i] < 0x7f) {
      char character[2] = {(char)bytes[i], '\0'};
      add_text(text, character);
    } else {
      char hex[3];
      gd_text_hex(hex, bytes + i, 1);
      add_text(text, "\\x");
      add_text(text, hex);
    }
  }
  add_text(text, "\"");
}

static void check_header(gd_split *split) {
  const uint8_t *header = split->bytes;
  const gd_layout *layout = &split->layout;
  finding magic = begin("magic", GD_WRONG_MAGIC, 0);
  add_quoted(magic.expected, (const uint8_t *)GD_MAGIC);
  add_quoted(magic.found, header);
  enter(split, &magic, memcmp(header, GD_MAGIC, GD_MAGIC_BYTES) == 0);

  gd_checklist_number(&split->checks, "image count", GD_WRONG_COUNT, GD_AT_COUNT, layout->n_images,
                      gd_load_u32_le(header + GD_AT_COUNT));

  uint32_t n_rows = gd_load_u32_le(header + GD_AT_ROWS);
  uint32_t n_columns = gd_load_u32_le(header + GD_AT_COLUMNS);
  finding dimensions =
      begin("dimensions", GD_WRONG_DIMENSIONS, n_rows != GD_N_ROWS ? GD_AT_ROWS : GD_AT_COLUMNS);
  add_text(dimensions.expected, "28 x 28");
  add_number(dimensions.found, n_rows);
  add_text(dimensions.found, " x ");
  add_number(dimensions.found, n_columns);
  enter(split, &dimensions, n_rows == GD_N_ROWS && n_columns == GD_N_COLUMNS);

  gd_checklist_number(&split->checks, "pixel offset", GD_WRONG_PIXEL_OFFSET, GD_AT_PIXEL_OFFSET,
                      layout->pixel_offset, gd_load_u32_le(header + GD_AT_PIXEL_OFFSET));
  gd_checklist_number(&split->checks, "label offset", GD_WRONG_LABEL_OFFSET, GD_AT_LABEL_OFFSET,
                      layout->label_offset, gd_load_u32_le(header + GD_AT_LABEL_OFFSET));
  gd_checklist_number(&split->checks, "index offset", GD_WRONG_INDEX_OFFSET, GD_AT_INDEX_OFFSET,
                      layout->index_offset, gd_load_u32_le(header + GD_AT_INDEX_OFFSET));
}

static void check_padding(gd_split *split) {
  uint32_t at = split->layout.padding_offset;
  uint32_t end = split->layout.index_offset;
  if (at == end) {
    enter_not_needed(split, "padding", "the indices follow the labels directly");
    return;
  }
  while (at < end && split->bytes[at] == 0) {
    at++;
  }
  finding made = begin("padding", GD_PADDING_NOT_ZERO, at);
  add_text(made.expected, "0");
  add_number(made.found, at < end ? split->bytes[at] : 0);
  enter(split, &made, at == end);
}

static void check_label_range(gd_split *split, const uint8_t *labels, uint32_t n) {
  uint32_t i = 0;
  while (i < n && labels[i] < GD_N_CLASSES) {
    i++;
  }
  finding made = begin("labels", GD_LABEL_OUT_OF_RANGE, (uint64_t)split->layout.label_offset + i);
  add_text(made.expected, "0 to 9");
  if (i < n) {
    add_number(made.found, labels[i]);
    add_text(made.found, " for image ");
    add_number(made.found, i);
  } else {
    add_text(made.found, "0 to 9");
  }
  enter(split, &made, i == n);
}

static void add_counts(char text[TEXT_BYTES], const uint32_t counts[GD_N_CLASSES]) {
  for (unsigned digit = 0; digit < GD_N_CLASSES; digit++) {
    add_text(text, digit == 0 ? "" : " ");
    add_number(text, counts[digit]);
  }
}

static void check_class_counts(gd_split *split, const uint8_t *labels, uint32_t n) {
  uint32_t counts[GD_N_CLASSES] = {0};
  for (uint32_t i = 0; i < n; i++) {
    if (labels[i] < GD_N_CLASSES) {
      counts[labels[i]]++;
    }
  }
  finding made = begin("class counts", GD_WRONG_CLASS_COUNTS, split->layout.label_offset);
  add_counts(made.expected, split->expected.class_counts);
  add_counts(made.found, counts);
  enter(split, &made, memcmp(counts, split->expected.class_counts, sizeof counts) == 0);
}

static void check_order(gd_split *split, const uint8_t *labels, uint32_t n) {
  if (!split->expected.is_balanced) {
    enter_not_needed(split, "digit order", "not a balanced split");
    return;
  }
  uint32_t i = 0;
  while (i < n && labels[i] == i % GD_N_CLASSES) {
    i++;
  }
  finding made = begin("digit order", GD_NOT_INTERLEAVED, (uint64_t)split->layout.label_offset + i);
  if (i < n) {
    add_number(made.expected, i % GD_N_CLASSES);
    add_text(made.expected, " for image ");
    add_number(made.expected, i);
    add_number(made.found, labels[i]);
  } else {
    add_text(made.expected, "0 to 9 in turn");
    add_text(made.found, "0 to 9 in turn");
  }
  enter(split, &made, i == n);
}

static uint32_t index_of(const gd_split *split, uint32_t i) {
  return gd_load_u32_le(split->bytes + split->layout.index_offset + (size_t)4 * i);
}

static uint64_t index_place(const gd_split *split, uint32_t i) {
  return (uint64_t)split->layout.index_offset + (uint64_t)4 * i;
}

static void check_index_range(gd_split *split, uint32_t n) {
  uint32_t n_collection = split->expected.n_collection;
  uint32_t i = 0;
  while (i < n && index_of(split, i) < n_collection) {
    i++;
  }
  finding made = begin("index range", GD_INDEX_OUT_OF_RANGE, index_place(split, i));
  add_text(made.expected, "below ");
  add_number(made.expected, n_collection);
  if (i < n) {
    add_number(made.found, index_of(split, i));
    add_text(made.found, " for image ");
    add_number(made.found, i);
  } else {
    add_text(made.found, made.expected);
  }
  enter(split, &made, i == n);
}

/* Marks the members on the way. Indices outside the collection are the range check's affair. */
static void check_index_uniqueness(gd_split *split, uint32_t n) {
  uint32_t first_repeated = n;
  memset(split->is_member, 0, (size_t)split->expected.n_collection / 8 + 1);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t index = index_of(split, i);
    if (index >= split->expected.n_collection) {
      continue;
    }
    uint8_t bit = (uint8_t)(1u << (index % 8));
    if ((split->is_member[index / 8] & bit) != 0 && first_repeated == n) {
      first_repeated = i;
    }
    split->is_member[index / 8] |= bit;
  }
  finding made = begin("index uniqueness", GD_INDEX_REPEATED, index_place(split, first_repeated));
  add_text(made.expected, "each index once");
  if (first_repeated < n) {
    add_number(made.found, index_of(split, first_repeated));
    add_text(made.found, " again for image ");
    add_number(made.found, first_repeated);
  } else {
    add_text(made.found, "each index once");
  }
  enter(split, &made, first_repeated == n);
}

static void check_indices(gd_split *split) {
  uint32_t n = split->layout.n_images;
  uint8_t digest[GD_SHA256_BYTES];
  check_index_range(split, n);
  check_index_uniqueness(split, n);
  gd_sha256_of(split->bytes + split->layout.index_offset, (size_t)4 * n, digest);
  gd_checklist_digest(&split->checks, "index SHA-256", GD_WRONG_INDEX_DIGEST,
                      split->layout.index_offset, split->expected.index_sha256, digest,
                      GD_SHA256_BYTES);
}

static void enter_not_made(gd_split *split) {
  static const char *const names[] = {
      "SHA-256",      "magic",        "image count",      "dimensions",   "pixel offset",
      "label offset", "index offset", "padding",          "labels",       "class counts",
      "digit order",  "index range",  "index uniqueness", "index SHA-256"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    finding made = begin(names[i], GD_OK, GD_NO_OFFSET);
    add_text(made.found, "the size is wrong");
    enter_as(split, &made, GD_CHECK_NOT_MADE);
  }
}

void gd_split_verify(gd_split *split, bool was_gzip) {
  split->checks.n_checks = 0;
  check_gzip(split, was_gzip);
  check_whole(split);
  /* The layout's size is expected.bytes (gd_expectation_check), so all its places are in the file.
   */
  if (split->n_bytes != split->layout.bytes) {
    enter_not_made(split);
    return;
  }
  const uint8_t *labels = split->bytes + split->layout.label_offset;
  uint32_t n = split->layout.n_images;
  check_header(split);
  check_padding(split);
  check_label_range(split, labels, n);
  check_class_counts(split, labels, n);
  check_order(split, labels, n);
  check_indices(split);
}
