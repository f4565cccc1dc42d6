#include "base/json.h"

#include "base/text.h"

#include <string.h>

static void put(gd_json *json, const char *text, size_t n) {
  if (n >= json->capacity - json->used) {
    json->failed = true;
    return;
  }
  memcpy(json->text + json->used, text, n);
  json->used += n;
  json->text[json->used] = '\0';
}

static void put_text(gd_json *json, const char *text) {
  put(json, text, strlen(text));
}

static void begin_item(gd_json *json) {
  if (json->after_item) {
    put(json, ",", 1);
  }
  json->after_item = true;
}

/* Bytes that JSON does not take as they are, and all that are not ASCII. */
static void put_escaped(gd_json *json, const char *value) {
  put(json, "\"", 1);
  for (; *value != '\0'; value++) {
    uint8_t byte = (uint8_t)*value;
    if (byte == '"' || byte == '\\') {
      put(json, "\\", 1);
      put(json, value, 1);
    } else if (byte < 0x20 || byte > 0x7e) {
      char hex[3];
      gd_text_hex(hex, &byte, 1);
      put(json, "\\u00", 4);
      put(json, hex, 2);
    } else {
      put(json, value, 1);
    }
  }
  put(json, "\"", 1);
}

void gd_json_init(gd_json *json, char *text, size_t capacity) {
  json->text = text;
  json->capacity = capacity;
  json->used = 0;
  json->failed = false;
  json->after_item = false;
  text[0] = '\0';
}

void gd_json_open(gd_json *json, char bracket) {
  begin_item(json);
  put(json, &bracket, 1);
  json->after_item = false;
}

void gd_json_close(gd_json *json, char bracket) {
  put(json, &bracket, 1);
  json->after_item = true;
}

void gd_json_key(gd_json *json, const char *name) {
  begin_item(json);
  put_escaped(json, name);
  put(json, ":", 1);
  json->after_item = false;
}

void gd_json_string(gd_json *json, const char *value) {
  begin_item(json);
  put_escaped(json, value);
}

void gd_json_u64(gd_json *json, uint64_t value) {
  char digits[GD_TEXT_U64_BYTES];
  gd_text_u64(digits, value);
  gd_json_value(json, digits);
}

void gd_json_bool(gd_json *json, bool value) {
  gd_json_value(json, value ? "true" : "false");
}

void gd_json_null(gd_json *json) {
  gd_json_value(json, "null");
}

void gd_json_value(gd_json *json, const char *text) {
  begin_item(json);
  put_text(json, text);
}
