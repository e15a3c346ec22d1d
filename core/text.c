/* SPDX-License-Identifier: MIT */
/*
 * IDs as text. Every form but decimal has a fixed width and an alphabet in ASCII order, so that
 * texts sort exactly as their IDs do. A decoder accepts only what the encoder writes: one ID, one
 * text.
 *
 * The encoders cut the number into parts whose digits do not wait for each other: two digits at a
 * time from a table of all pairs, and eight characters in one word. Whole words are written, also
 * past the end, which FLAKE_TEXT_SIZE has room for.
 */
#include "internal.h"

#include <string.h>

#define DEC "0123456789"
#define HEX DEC "abcdef"
#define BASE32 DEC "ABCDEFGHJKMNPQRSTVWXYZ" /* Crockford's: no I L O U */
#define BASE58 "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz" /* no 0 I O l */
#define BASE62 DEC "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* All pairs of digits, by value: row a holds those that begin with a. */
/* clang-format off */
#define ROW10(a) a"0" a"1" a"2" a"3" a"4" a"5" a"6" a"7" a"8" a"9"
static const char pairs10[] =
  ROW10("0") ROW10("1") ROW10("2") ROW10("3") ROW10("4") ROW10("5") ROW10("6") ROW10("7")
  ROW10("8") ROW10("9");

#define ROW32(a) \
  a"0" a"1" a"2" a"3" a"4" a"5" a"6" a"7" a"8" a"9" a"A" a"B" a"C" a"D" a"E" a"F" a"G" a"H" \
  a"J" a"K" a"M" a"N" a"P" a"Q" a"R" a"S" a"T" a"V" a"W" a"X" a"Y" a"Z"
static const char pairs32[] =
  ROW32("0") ROW32("1") ROW32("2") ROW32("3") ROW32("4") ROW32("5") ROW32("6") ROW32("7")
  ROW32("8") ROW32("9") ROW32("A") ROW32("B") ROW32("C") ROW32("D") ROW32("E") ROW32("F")
  ROW32("G") ROW32("H") ROW32("J") ROW32("K") ROW32("M") ROW32("N") ROW32("P") ROW32("Q")
  ROW32("R") ROW32("S") ROW32("T") ROW32("V") ROW32("W") ROW32("X") ROW32("Y") ROW32("Z");

#define ROW58(a) \
  a"1" a"2" a"3" a"4" a"5" a"6" a"7" a"8" a"9" a"A" a"B" a"C" a"D" a"E" a"F" a"G" a"H" a"J" \
  a"K" a"L" a"M" a"N" a"P" a"Q" a"R" a"S" a"T" a"U" a"V" a"W" a"X" a"Y" a"Z" a"a" a"b" a"c" \
  a"d" a"e" a"f" a"g" a"h" a"i" a"j" a"k" a"m" a"n" a"o" a"p" a"q" a"r" a"s" a"t" a"u" a"v" \
  a"w" a"x" a"y" a"z"
static const char pairs58[] =
  ROW58("1") ROW58("2") ROW58("3") ROW58("4") ROW58("5") ROW58("6") ROW58("7") ROW58("8")
  ROW58("9") ROW58("A") ROW58("B") ROW58("C") ROW58("D") ROW58("E") ROW58("F") ROW58("G")
  ROW58("H") ROW58("J") ROW58("K") ROW58("L") ROW58("M") ROW58("N") ROW58("P") ROW58("Q")
  ROW58("R") ROW58("S") ROW58("T") ROW58("U") ROW58("V") ROW58("W") ROW58("X") ROW58("Y")
  ROW58("Z") ROW58("a") ROW58("b") ROW58("c") ROW58("d") ROW58("e") ROW58("f") ROW58("g")
  ROW58("h") ROW58("i") ROW58("j") ROW58("k") ROW58("m") ROW58("n") ROW58("o") ROW58("p")
  ROW58("q") ROW58("r") ROW58("s") ROW58("t") ROW58("u") ROW58("v") ROW58("w") ROW58("x")
  ROW58("y") ROW58("z");

#define ROW62(a) \
  a"0" a"1" a"2" a"3" a"4" a"5" a"6" a"7" a"8" a"9" a"A" a"B" a"C" a"D" a"E" a"F" a"G" a"H" \
  a"I" a"J" a"K" a"L" a"M" a"N" a"O" a"P" a"Q" a"R" a"S" a"T" a"U" a"V" a"W" a"X" a"Y" a"Z" \
  a"a" a"b" a"c" a"d" a"e" a"f" a"g" a"h" a"i" a"j" a"k" a"l" a"m" a"n" a"o" a"p" a"q" a"r" \
  a"s" a"t" a"u" a"v" a"w" a"x" a"y" a"z"
static const char pairs62[] =
  ROW62("0") ROW62("1") ROW62("2") ROW62("3") ROW62("4") ROW62("5") ROW62("6") ROW62("7")
  ROW62("8") ROW62("9") ROW62("A") ROW62("B") ROW62("C") ROW62("D") ROW62("E") ROW62("F")
  ROW62("G") ROW62("H") ROW62("I") ROW62("J") ROW62("K") ROW62("L") ROW62("M") ROW62("N")
  ROW62("O") ROW62("P") ROW62("Q") ROW62("R") ROW62("S") ROW62("T") ROW62("U") ROW62("V")
  ROW62("W") ROW62("X") ROW62("Y") ROW62("Z") ROW62("a") ROW62("b") ROW62("c") ROW62("d")
  ROW62("e") ROW62("f") ROW62("g") ROW62("h") ROW62("i") ROW62("j") ROW62("k") ROW62("l")
  ROW62("m") ROW62("n") ROW62("o") ROW62("p") ROW62("q") ROW62("r") ROW62("s") ROW62("t")
  ROW62("u") ROW62("v") ROW62("w") ROW62("x") ROW62("y") ROW62("z");
/* clang-format on */

_Static_assert(sizeof pairs10 == 2 * 10 * 10 + 1 && sizeof pairs32 == 2 * 32 * 32 + 1 &&
                   sizeof pairs58 == 2 * 58 * 58 + 1 && sizeof pairs62 == 2 * 62 * 62 + 1,
               "a table holds every pair");

/* ---- encoders: write the digits, return how many --------------------------------------------- */

/* Eight characters, the first in the low byte. */
static FLAKE_INLINE void store8(char *text, uint64_t characters) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  characters = __builtin_bswap64(characters);
#endif
  memcpy(text, &characters, 8);
}

/* The pair of a value below base^2, as store8 takes it. */
static FLAKE_INLINE uint64_t pair(const char *pairs, uint64_t value) {
  const unsigned char *at = (const unsigned char *)pairs + 2 * value;
  return (uint64_t)at[0] | (uint64_t)at[1] << 8;
}

static FLAKE_INLINE void store4pairs(char *text, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  store8(text, a | b << 16 | c << 32 | d << 48);
}

#define ZEROS UINT64_C(0x3030303030303030) /* "00000000" */

/* The eight decimal digits of n < 10^8: n / 10^6 with 57 bits after the point. Each step takes two
 * digits more, times 100 = 25 * 4, where the 4 moves the point. The constant is rounded up by less
 * than 1, which adds less than 10^8 / 2^57 < 10^-9: too little to reach the last digit. */
static FLAKE_INLINE uint64_t digits8(uint32_t n) {
  const uint64_t one = 1;
  uint64_t a = n * ((one << 57) / 1000000 + 1);
  uint64_t b = a % (one << 57) * 25, c = b % (one << 55) * 25, d = c % (one << 53) * 25;
  return pair(pairs10, a >> 57) | pair(pairs10, b >> 55) << 16 | pair(pairs10, c >> 53) << 32 |
         pair(pairs10, d >> 51) << 48;
}

/* The four of n < 10^4. */
static FLAKE_INLINE uint64_t digits4(uint32_t n) {
  return pair(pairs10, n / 100) | pair(pairs10, n % 100) << 16;
}

/* Some of the digits are not 0; those before them are left out. */
static FLAKE_INLINE int32_t put_trimmed(char *text, uint64_t digits, int count) {
  int skip = __builtin_ctzll(digits ^ ZEROS) / 8;
  store8(text, digits >> 8 * skip);
  return count - skip;
}

static FLAKE_INLINE int32_t encode_dec(uint64_t id, char *text) {
  const uint64_t unit = UINT64_C(100000000);
  uint64_t top = id / unit;
  uint32_t low = (uint32_t)(id - top * unit);
  int32_t len;
  if (top >= unit) {
    uint32_t highest = (uint32_t)(top >> 8) / 390625; /* top / unit, in 32 bits */
    len = put_trimmed(text, digits4(highest), 4);
    store8(text + len, digits8((uint32_t)(top - highest * unit)));
    len += 8;
  } else if (top > 0) {
    len = put_trimmed(text, digits8((uint32_t)top), 8);
  } else {
    text[0] = '0';
    return id ? put_trimmed(text, digits8((uint32_t)id), 8) : 1;
  }
  store8(text + len, digits8(low));
  return len + 8;
}

static FLAKE_INLINE int32_t encode_hex(uint64_t id, char *text) {
  for (int half = 0; half < 2; half++) {
    uint64_t n = half ? id & UINT32_MAX : id >> 32; /* a digit a byte, the first in the low one */
    n = n >> 16 | (n & 0xffff) << 32;
    n = (n >> 8 & UINT64_C(0x000000ff000000ff)) | (n & UINT64_C(0x000000ff000000ff)) << 16;
    n = (n >> 4 & UINT64_C(0x000f000f000f000f)) | (n & UINT64_C(0x000f000f000f000f)) << 8;
    uint64_t letters = (n + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
    store8(text + 8 * half, n + ZEROS + letters * ('a' - '9' - 1));
  }
  return 16;
}

static FLAKE_INLINE int32_t encode_base32(uint64_t id, char *text) {
  uint64_t first = (unsigned char)BASE32[id >> 60];
  store8(text, first | pair(pairs32, id >> 50 & 1023) << 8 | pair(pairs32, id >> 40 & 1023) << 24 |
                   pair(pairs32, id >> 30 & 1023) << 40);
  store8(text + 7, pair(pairs32, id >> 20 & 1023) | pair(pairs32, id >> 10 & 1023) << 16 |
                       pair(pairs32, id & 1023) << 32);
  return 13;
}

/* Eleven digits: three, four, four. Inline, so that each base divides by constants. */
static FLAKE_INLINE int32_t encode11(uint64_t id, uint32_t base, const char *pairs, char *text) {
  const uint32_t square = base * base, fourth = square * square;
  uint64_t high = id / fourth;
  uint32_t top = (uint32_t)(high / fourth), middle = (uint32_t)(high % fourth);
  uint32_t low = (uint32_t)(id % fourth);
  text[0] = pairs[2 * (top / square) + 1];
  store8(text + 1, pair(pairs, top % square));
  store4pairs(text + 3, pair(pairs, middle / square), pair(pairs, middle % square),
              pair(pairs, low / square), pair(pairs, low % square));
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

/* Comparisons, for a jump through a table costs more than the shorter encoders. */
static FLAKE_INLINE int32_t encode(int32_t format, uint64_t id, char *text) {
  if (format == FLAKE_FORMAT_BASE32) return encode_base32(id, text);
  if (format == FLAKE_FORMAT_DEC) return encode_dec(id, text);
  if (format == FLAKE_FORMAT_BASE62) return encode11(id, 62, pairs62, text);
  if (format == FLAKE_FORMAT_BASE58) return encode11(id, 58, pairs58, text);
  return encode_hex(id, text);
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
