/* SHA-256 and MD5 against published vectors, and every length up to 255 against another library. */
#include "base/md5.h"
#include "base/sha256.h"
#include "base/text.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <bearssl_hash.h>
#include <cmocka.h>

#include <string.h>

#define N_LENGTHS 256

static void assert_sha256(const gd_sha256 *hash, const char *expected) {
  uint8_t digest[GD_SHA256_BYTES];
  char text[GD_SHA256_TEXT_BYTES];
  gd_sha256_read(hash, digest);
  gd_text_hex(text, digest, sizeof digest);
  assert_string_equal(text, expected);
}

static void assert_md5(const gd_md5 *hash, const char *expected) {
  uint8_t digest[GD_MD5_BYTES];
  char text[2 * GD_MD5_BYTES + 1];
  gd_md5_read(hash, digest);
  gd_text_hex(text, digest, sizeof digest);
  assert_string_equal(text, expected);
}

/* The examples that NIST publishes with FIPS 180-4. */
static void gives_sha256_examples(void **state) {
  (void)state;
  static const struct {
    const char *message;
    const char *digest;
  } examples[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
       "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
  };
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    gd_sha256 hash;
    gd_sha256_init(&hash);
    gd_sha256_update(&hash, examples[i].message, strlen(examples[i].message));
    assert_sha256(&hash, examples[i].digest);
  }
}

static void gives_sha256_of_a_million_a(void **state) {
  (void)state;
  gd_sha256 hash;
  char piece[1000];
  memset(piece, 'a', sizeof piece);
  gd_sha256_init(&hash);
  for (int i = 0; i < 1000; i++) {
    gd_sha256_update(&hash, piece, sizeof piece);
  }
  assert_sha256(&hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* The test suite of RFC 1321, section A.5. */
static void gives_md5_examples(void **state) {
  (void)state;
  static const struct {
    const char *message;
    const char *digest;
  } examples[] = {
      {"", "d41d8cd98f00b204e9800998ecf8427e"},
      {"a", "0cc175b9c0f1b6a831c399e269772661"},
      {"abc", "900150983cd24fb0d6963f7d28e17f72"},
      {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
      {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
      {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
       "d174ab98d277d9f5a5611c2c9f419d9f"},
      {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
       "57edf4a22be3c955ac49da2e2107b67a"},
  };
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    gd_md5 hash;
    gd_md5_init(&hash);
    gd_md5_update(&hash, examples[i].message, strlen(examples[i].message));
    assert_md5(&hash, examples[i].digest);
  }
}

static void fill(uint8_t message[N_LENGTHS]) {
  for (unsigned i = 0; i < N_LENGTHS; i++) {
    message[i] = (uint8_t)(7 * i + 3);
  }
}

/* The digests of all lengths, hashed once more; the two constants come from OpenSSL (node:crypto).
 */
static void agrees_at_every_length(void **state) {
  (void)state;
  uint8_t message[N_LENGTHS];
  gd_sha256 all_sha256;
  gd_md5 all_md5;
  fill(message);
  gd_sha256_init(&all_sha256);
  gd_md5_init(&all_md5);
  for (unsigned n = 0; n < N_LENGTHS; n++) {
    uint8_t digest[GD_SHA256_BYTES];
    gd_md5 md5;
    gd_sha256_of(message, n, digest);
    gd_sha256_update(&all_sha256, digest, GD_SHA256_BYTES);
    gd_md5_init(&md5);
    gd_md5_update(&md5, message, n);
    gd_md5_read(&md5, digest);
    gd_md5_update(&all_md5, digest, GD_MD5_BYTES);
  }
  assert_sha256(&all_sha256, "cc4831e6f534159712644176ab1440dd8fb9e07917fbce63fa2039127f59df99");
  assert_md5(&all_md5, "fe4da2bca0e65d32c3a1fef7cbf782f3");
}

/* Messages of many blocks against BearSSL, in pieces of any length. */
static void agrees_with_bearssl(void **state) {
  (void)state;
  static uint8_t message[10000];
  uint64_t random = support_seed("agrees_with_bearssl", 1);
  for (unsigned round = 0; round < 200; round++) {
    const size_t n = support_below(&random, sizeof message + 1);
    uint8_t expected[GD_SHA256_BYTES];
    uint8_t digest[GD_SHA256_BYTES];
    br_sha256_context oracle;
    gd_sha256 hash;
    for (size_t i = 0; i < n; i++) {
      message[i] = (uint8_t)support_random(&random);
    }
    br_sha256_init(&oracle);
    br_sha256_update(&oracle, message, n);
    br_sha256_out(&oracle, expected);
    gd_sha256_init(&hash);
    for (size_t at = 0; at < n;) {
      const size_t left = n - at;
      const size_t piece = support_below(&random, 300);
      gd_sha256_update(&hash, message + at, piece < left ? piece : left);
      at += piece < left ? piece : left;
    }
    gd_sha256_read(&hash, digest);
    assert_memory_equal(digest, expected, sizeof digest);
  }
}

/* Any cut gives the same; a copy goes its own way; reading changes nothing. */
static void streams_and_copies(void **state) {
  (void)state;
  uint8_t message[N_LENGTHS];
  uint8_t expected[GD_SHA256_BYTES];
  fill(message);
  gd_sha256_of(message, sizeof message, expected);
  for (size_t cut = 0; cut <= sizeof message; cut++) {
    uint8_t digest[GD_SHA256_BYTES];
    gd_sha256 hash;
    gd_sha256_init(&hash);
    gd_sha256_update(&hash, message, cut);
    gd_sha256_read(&hash, digest);
    gd_sha256 copy = hash;
    gd_sha256_update(&hash, "something else", 14);
    gd_sha256_update(&copy, message + cut, sizeof message - cut);
    gd_sha256_read(&copy, digest);
    assert_memory_equal(digest, expected, sizeof digest);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gives_sha256_examples), cmocka_unit_test(gives_sha256_of_a_million_a),
      cmocka_unit_test(gives_md5_examples),    cmocka_unit_test(agrees_at_every_length),
      cmocka_unit_test(agrees_with_bearssl),   cmocka_unit_test(streams_and_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
