/* SPDX-License-Identifier: MIT */
/*
 * IDs as text. Every form but decimal has a fixed width and an alphabet in ASCII order, so that
 * texts sort exactly as their IDs do. A decoder accepts only what the encoder writes: one ID, one
 * text.
 *
 * The encoders cut the number into parts whose digits do not wait for each other, and take two
 * digits at a time from a table of all pairs.
 */
#include "internal.h"

#include <string.h>

#define DEC "0123456789"
#define HEX DEC "abcdef"
#define BASE32 DEC "ABCDEFGHJKMNPQRSTVWXYZ" /* Crockford's: no I L O U */
#define BASE58 "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz" /* no 0 I O l */
#define BASE62 DEC "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* All pairs that begin with digit a, by alphabet. */
#define PAIRS10(a) a "0" a "1" a "2" a "3" a "4" a "5" a "6" a "7" a "8" a "9"
#define PAIRS32(a)                                                                            \
  PAIRS10(a)                                                                                  \
  a "A" a "B" a "C" a "D" a "E" a "F" a "G" a "H" a "J" a "K" a "M" a "N" a "P" a "Q" a "R" a \
    "S" a "T" a "V" a "W" a "X" a "Y" a "Z"
#define PAIRS58(a)                                                                            \
  a "1" a "2" a "3" a "4" a "5" a "6" a "7" a "8" a "9" a "A" a "B" a "C" a "D" a "E" a "F" a \
    "G" a "H" a "J" a "K" a "L" a "M" a "N" a "P" a "Q" a "R" a "S" a "T" a "U" a "V" a "W" a \
    "X" a "Y" a "Z" a "a" a "b" a "c" a "d" a "e" a "f" a "g" a "h" a "i" a "j" a "k" a "m" a \
    "n" a "o" a "p" a "q" a "r" a "s" a "t" a "u" a "v" a "w" a "x" a "y" a "z"
#define PAIRS62(a)                                                                            \
  PAIRS10(a)                                                                                  \
  a "A" a "B" a "C" a "D" a "E" a "F" a "G" a "H" a "I" a "J" a "K" a "L" a "M" a "N" a "O" a \
    "P" a "Q" a "R" a "S" a "T" a "U" a "V" a "W" a "X" a "Y" a "Z" a "a" a "b" a "c" a "d" a \
    "e" a "f" a "g" a "h" a "i" a "j" a "k" a "l" a "m" a "n" a "o" a "p" a "q" a "r" a "s" a \
    "t" a "u" a "v" a "w" a "x" a "y" a "z"

static const char pairs10[] = PAIRS10("0") PAIRS10("1") PAIRS10("2") PAIRS10("3") PAIRS10("4")
    PAIRS10("5") PAIRS10("6") PAIRS10("7") PAIRS10("8") PAIRS10("9");
static const char pairs32[] =
    PAIRS32("0") PAIRS32("1") PAIRS32("2") PAIRS32("3") PAIRS32("4") PAIRS32("5") PAIRS32("6")
        PAIRS32("7") PAIRS32("8") PAIRS32("9") PAIRS32("A") PAIRS32("B") PAIRS32("C") PAIRS32("D")
            PAIRS32("E") PAIRS32("F") PAIRS32("G") PAIRS32("H") PAIRS32("J") PAIRS32("K")
                PAIRS32("M") PAIRS32("N") PAIRS32("P") PAIRS32("Q") PAIRS32("R") PAIRS32("S")
                    PAIRS32("T") PAIRS32("V") PAIRS32("W") PAIRS32("X") PAIRS32("Y") PAIRS32("Z");
static const char pairs58[] = PAIRS58("1") PAIRS58("2") PAIRS58("3") PAIRS58("4") PAIRS58("5")
    PAIRS58("6") PAIRS58("7") PAIRS58("8") PAIRS58("9") PAIRS58("A") PAIRS58("B") PAIRS58("C")
        PAIRS58("D") PAIRS58("E") PAIRS58("F") PAIRS58("G") PAIRS58("H") PAIRS58("J") PAIRS58("K")
            PAIRS58("L") PAIRS58("M") PAIRS58("N") PAIRS58("P") PAIRS58("Q") PAIRS58("R")
                PAIRS58("S") PAIRS58("T") PAIRS58("U") PAIRS58("V") PAIRS58("W") PAIRS58("X")
                    PAIRS58("Y") PAIRS58("Z") PAIRS58("a") PAIRS58("b") PAIRS58("c") PAIRS58("d")
                        PAIRS58("e") PAIRS58("f") PAIRS58("g") PAIRS58("h") PAIRS58("i")
                            PAIRS58("j") PAIRS58("k") PAIRS58("m") PAIRS58("n") PAIRS58("o")
                                PAIRS58("p") PAIRS58("q") PAIRS58("r") PAIRS58("s") PAIRS58("t")
                                    PAIRS58("u") PAIRS58("v") PAIRS58("w") PAIRS58("x") PAIRS58("y")
                                        PAIRS58("z");
static const char pairs62[] = PAIRS62("0") PAIRS62("1") PAIRS62("2") PAIRS62("3") PAIRS62("4")
    PAIRS62("5") PAIRS62("6") PAIRS62("7") PAIRS62("8") PAIRS62("9") PAIRS62("A") PAIRS62("B")
        PAIRS62("C") PAIRS62("D") PAIRS62("E") PAIRS62("F") PAIRS62("G") PAIRS62("H") PAIRS62("I")
            PAIRS62("J") PAIRS62("K") PAIRS62("L") PAIRS62("M") PAIRS62("N") PAIRS62("O")
                PAIRS62("P") PAIRS62("Q") PAIRS62("R") PAIRS62("S") PAIRS62("T") PAIRS62("U")
                    PAIRS62("V") PAIRS62("W") PAIRS62("X") PAIRS62("Y") PAIRS62("Z") PAIRS62("a")
                        PAIRS62("b") PAIRS62("c") PAIRS62("d") PAIRS62("e") PAIRS62("f")
                            PAIRS62("g") PAIRS62("h") PAIRS62("i") PAIRS62("j") PAIRS62("k")
                                PAIRS62("l") PAIRS62("m") PAIRS62("n") PAIRS62("o") PAIRS62("p")
                                    PAIRS62("q") PAIRS62("r") PAIRS62("s") PAIRS62("t") PAIRS62("u")
                                        PAIRS62("v") PAIRS62("w") PAIRS62("x") PAIRS62("y")
                                            PAIRS62("z");

_Static_assert(sizeof pairs10 == 2 * 10 * 10 + 1 && sizeof pairs32 == 2 * 32 * 32 + 1 &&
                   sizeof pairs58 == 2 * 58 * 58 + 1 && sizeof pairs62 == 2 * 62 * 62 + 1,
               "a table holds every pair");

/* ---- encoders: write the digits, return how many --------------------------------------------- */

/* Eight digits of n < 10^8. */
static void put8(char *text, uint32_t n) {
  uint32_t high = n / 10000, low = n % 10000;
  memcpy(text, pairs10 + 2 * (high / 100), 2);
  memcpy(text + 2, pairs10 + 2 * (high % 100), 2);
  memcpy(text + 4, pairs10 + 2 * (low / 100), 2);
  memcpy(text + 6, pairs10 + 2 * (low % 100), 2);
}

static int32_t encode_dec(uint64_t id, char *text) {
  char digits[24]; /* 20 digits are enough for 2^64-1 */
  uint64_t top = id / UINT64_C(100000000);
  put8(digits, (uint32_t)(top / UINT64_C(100000000)));
  put8(digits + 8, (uint32_t)(top % UINT64_C(100000000)));
  put8(digits + 16, (uint32_t)(id % UINT64_C(100000000)));
  int skip = id >= UINT64_C(1000000000000000000) ? 5 : 6;
  if (digits[4] != '0') skip = 4;
  while (skip < 23 && digits[skip] == '0') skip++;
  memcpy(text, digits + skip, (size_t)(24 - skip));
  return 24 - skip;
}

static int32_t encode_hex(uint64_t id, char *text) {
  for (int i = 15; i >= 0; i--, id >>= 4) text[i] = HEX[id & 15];
  return 16;
}

static int32_t encode_base32(uint64_t id, char *text) {
  text[0] = BASE32[id >> 60];
  for (int pair = 0; pair < 6; pair++)
    memcpy(text + 1 + 2 * pair, pairs32 + 2 * (id >> (50 - 10 * pair) & 1023), 2);
  return 13;
}

/* Five digits of n < base^5. */
static FLAKE_INLINE void put5(char *text, uint32_t n, uint32_t base, const char *pairs) {
  uint32_t square = base * base, rest = n % (square * square);
  text[0] = pairs[2 * (n / (square * square)) + 1];
  memcpy(text + 1, pairs + 2 * (rest / square), 2);
  memcpy(text + 3, pairs + 2 * (rest % square), 2);
}

/* Eleven digits; inline, so that each base divides by constants. */
static FLAKE_INLINE int32_t encode11(uint64_t id, uint32_t base, const char *pairs, char *text) {
  uint64_t fifth = (uint64_t)base * base * base * base * base, high = id / fifth;
  text[0] = pairs[2 * (high / fifth) + 1];
  put5(text + 1, (uint32_t)(high % fifth), base, pairs);
  put5(text + 6, (uint32_t)(id % fifth), base, pairs);
  return 11;
}

/* ---- the formats ----------------------------------------------------------------------------- */

static const struct {
  const char *name;
  const char *alphabet;
  size_t width; /* 0: as many digits as needed */
} formats[] = {
    {"dec", DEC, 0},        {"hex", HEX, 16},       {"base32", BASE32, 13},
    {"base58", BASE58, 11}, {"base62", BASE62, 11},
};

static int32_t encode(int32_t format, uint64_t id, char *text) {
  switch (format) {
    case FLAKE_FORMAT_DEC:
      return encode_dec(id, text);
    case FLAKE_FORMAT_HEX:
      return encode_hex(id, text);
    case FLAKE_FORMAT_BASE32:
      return encode_base32(id, text);
    case FLAKE_FORMAT_BASE58:
      return encode11(id, 58, pairs58, text);
    default:
      return encode11(id, 62, pairs62, text);
  }
}

static bool is_format(int64_t format) {
  return format >= 0 && format < (int64_t)(sizeof formats / sizeof formats[0]);
}

const char *flake_format_name(int32_t format) {
  return is_format(format) ? formats[format].name : NULL;
}

int32_t flake_encode(int32_t format, uint64_t id, char *text, size_t text_size) {
  if (!is_format(format) || !text || text_size < FLAKE_TEXT_SIZE) return FLAKE_E_INVALID_ARGUMENT;
  int32_t len = encode(format, id, text);
  text[len] = 0;
  return len;
}

/* Whether the text has the length that the encoder gives: decimal has no leading zero. */
static bool length_ok(int32_t format, const char *text, size_t text_len) {
  size_t width = formats[format].width;
  if (width) return text_len == width;
  return text_len == 1 || (text_len >= 1 && text_len <= 20 && text[0] != '0');
}

flake_status flake_decode_text(int32_t format, const char *text, size_t text_len, uint64_t *id) {
  if (!is_format(format) || !text || !id) return FLAKE_E_INVALID_ARGUMENT;
  if (!length_ok(format, text, text_len)) return FLAKE_E_BAD_TEXT;
  const char *alphabet = formats[format].alphabet;
  size_t base = strlen(alphabet);
  uint64_t n = 0;
  for (size_t i = 0; i < text_len; i++) {
    const char *digit = memchr(alphabet, text[i], base);
    if (!digit || __builtin_mul_overflow(n, base, &n) ||
        __builtin_add_overflow(n, (uint64_t)(digit - alphabet), &n))
      return FLAKE_E_BAD_TEXT;
  }
  *id = n;
  return FLAKE_OK;
}
