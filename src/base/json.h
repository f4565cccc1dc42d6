/* Writes JSON text (RFC 8259) into a buffer of the caller's. Commas come by themselves; braces are
 * the caller's duty. A buffer that is too small sets `failed` and is never overrun; its text then
 * stays NUL-terminated but is not whole. */
#ifndef GD_BASE_JSON_H
#define GD_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gd_json {
  char *text;      /* NUL-terminated, the caller's */
  size_t capacity; /* bytes of it, the NUL included */
  size_t used;     /* bytes written, the NUL not included */
  bool failed;     /* something did not fit: stays set */
  bool after_item; /* the next item needs a comma in front */
} gd_json;

/* Starts an empty text; capacity > 0. */
void gd_json_init(gd_json *json, char *text, size_t capacity);

/* Brackets: '{' '}' '[' ']'. */
void gd_json_open(gd_json *json, char bracket);
void gd_json_close(gd_json *json, char bracket);

/* "name": in an object; the next call gives its value. */
void gd_json_key(gd_json *json, const char *name);

/* Values, alone or in an array. A string's bytes outside printable ASCII, quotes and backslashes
 * are escaped (\u00xx for each byte), so that any bytes give valid JSON. */
void gd_json_string(gd_json *json, const char *value);
void gd_json_u64(gd_json *json, uint64_t value);
void gd_json_bool(gd_json *json, bool value);
void gd_json_null(gd_json *json);

/* A number that the caller has written out, or any other text that is one JSON value already. */
void gd_json_value(gd_json *json, const char *text);

#endif
