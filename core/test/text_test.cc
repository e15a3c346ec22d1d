// SPDX-License-Identifier: MIT
// IDs as text: each form is what arithmetic says, reads back, sorts as the IDs do, and nothing else
// is read.
#include <algorithm>
#include <random>
#include <vector>

#include "flake_test.h"

namespace {

using std::string;

struct Form {
  int32_t format;
  const char *name;
  string alphabet;
  size_t width;  // 0: no fixed one
};

const Form kForms[] = {
    {FLAKE_FORMAT_DEC, "dec", "0123456789", 0},
    {FLAKE_FORMAT_HEX, "hex", "0123456789abcdef", 16},
    {FLAKE_FORMAT_BASE32, "base32", "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 13},
    {FLAKE_FORMAT_BASE58, "base58", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
     11},
    {FLAKE_FORMAT_BASE62, "base62",
     "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 11},
};

string encode(int32_t format, uint64_t id) {
  char text[FLAKE_TEXT_SIZE];
  std::fill(std::begin(text), std::end(text), '#');
  int32_t len = flake_encode(format, id, text, sizeof text);
  EXPECT_GT(len, 0);
  EXPECT_EQ(static_cast<size_t>(len), strlen(text)) << id;
  return text;
}

// By long division, one digit after another.
string by_division(const Form &form, uint64_t id) {
  string text;
  for (uint64_t rest = id; rest > 0 || text.size() < std::max<size_t>(form.width, 1);
       rest /= form.alphabet.size())
    text.insert(text.begin(), form.alphabet[rest % form.alphabet.size()]);
  return text;
}

// Reads a text that must be none, and must not touch the ID.
void expect_bad(const Form &form, const string &text) {
  uint64_t id = 77;
  EXPECT_STATUS(FLAKE_E_BAD_TEXT, flake_decode_text(form.format, text.data(), text.size(), &id))
      << form.name << " \"" << text << '"';
  EXPECT_EQ(77u, id);
}

// Every power of two and of the bases, with its neighbours, and 200,000 of each width at random.
std::vector<uint64_t> many_ids() {
  std::vector<uint64_t> ids = {0, UINT64_MAX};
  for (uint64_t base : {2, 10, 16, 32, 58, 62})
    for (uint64_t power = 1;; power *= base) {
      for (uint64_t multiple = 1; multiple < base && multiple <= UINT64_MAX / power; multiple++)
        for (uint64_t near : {power * multiple - 1, power * multiple, power * multiple + 1})
          ids.push_back(near);
      if (power > UINT64_MAX / base) break;
    }
  std::mt19937_64 random(40);
  for (int i = 0; i < 200000; i++) ids.push_back(random() >> (random() % 64));
  return ids;
}

TEST(Text, EveryFormHasItsName) {
  for (const Form &form : kForms) EXPECT_STREQ(form.name, flake_format_name(form.format));
  EXPECT_EQ(nullptr, flake_format_name(5));
  EXPECT_EQ(nullptr, flake_format_name(-1));
  EXPECT_EQ(nullptr, flake_format_name(INT32_MIN));
}

TEST(Text, KnownIdsAreWrittenAsOthersWriteThem) {
  EXPECT_EQ("175928847299117063", encode(FLAKE_FORMAT_DEC, 175928847299117063));
  EXPECT_EQ("0271065ac1020007", encode(FLAKE_FORMAT_HEX, 175928847299117063));
  EXPECT_EQ("04W86BB0G4007", encode(FLAKE_FORMAT_BASE32, 175928847299117063));
  EXPECT_EQ("FZZZZZZZZZZZZ", encode(FLAKE_FORMAT_BASE32, UINT64_MAX));
  EXPECT_EQ("jpXCZedGfVQ", encode(FLAKE_FORMAT_BASE58, UINT64_MAX));
  EXPECT_EQ("LygHa16AHYF", encode(FLAKE_FORMAT_BASE62, UINT64_MAX));
  EXPECT_EQ("11111111111", encode(FLAKE_FORMAT_BASE58, 0));
}

TEST(Text, EveryIdIsWrittenAsDivisionSaysAndReadBack) {
  for (uint64_t id : many_ids())
    for (const Form &form : kForms) {
      string text = encode(form.format, id);
      ASSERT_EQ(by_division(form, id), text);
      uint64_t read = ~id;
      ASSERT_STATUS(FLAKE_OK, flake_decode_text(form.format, text.data(), text.size(), &read));
      ASSERT_EQ(id, read);
    }
}

TEST(Text, EveryNumberOfFiveDigitsIsWrittenWhereverItStands) {
  const Form &decimal = kForms[0];
  for (uint64_t unit : {uint64_t{1}, uint64_t{1000}, uint64_t{100000000}, uint64_t{10000000000000}})
    for (uint64_t n = 0; n < 100000; n++)
      ASSERT_EQ(by_division(decimal, n * unit), encode(FLAKE_FORMAT_DEC, n * unit));
}

// S40
TEST(Text, FixedWidthTextsSortAsTheirIdsDo) {
  std::vector<uint64_t> ids = many_ids();
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const Form &form : kForms) {
    if (form.width == 0) continue;
    string before;
    for (uint64_t id : ids) {
      string text = encode(form.format, id);
      ASSERT_EQ(form.width, text.size());
      ASSERT_LT(before, text) << form.name << id;
      before = text;
    }
  }
}

TEST(Text, EveryByteAtEveryPlaceIsReadAsItsDigitOrRefused) {
  std::mt19937_64 random(41);
  for (const Form &form : kForms) {
    string text = encode(form.format, random() >> 6);
    for (size_t at = 0; at < text.size(); at++)
      for (int byte = 0; byte < 256; byte++) {
        string other = text;
        other[at] = static_cast<char>(byte);
        size_t digit = form.alphabet.find(other[at]);
        bool zero_first = form.width == 0 && at == 0 && digit == 0;
        if (digit == string::npos || zero_first) {
          expect_bad(form, other);
          continue;
        }
        uint64_t id = 0;
        flake_status status = flake_decode_text(form.format, other.data(), other.size(), &id);
        if (status == FLAKE_OK) {
          EXPECT_EQ(other, encode(form.format, id));
        } else {
          EXPECT_STATUS(FLAKE_E_BAD_TEXT, status);
        }
      }
  }
}

TEST(Text, EveryOtherLengthIsRefused) {
  for (const Form &form : kForms)
    for (size_t len = 0; len <= 30; len++)
      for (char digit : {form.alphabet[0], form.alphabet[1]}) {
        const string text(len, digit);
        bool zero = digit == form.alphabet[0];
        bool good = form.width ? len == form.width : len == 1 || (!zero && len >= 1 && len <= 20);
        uint64_t id = 0;
        if (!good) {
          expect_bad(form, text);
        } else {
          EXPECT_STATUS(FLAKE_OK, flake_decode_text(form.format, text.data(), len, &id)) << text;
        }
      }
}

// The text of 2^64 and of the largest number with so many digits.
TEST(Text, MoreThanSixtyFourBitsAreRefused) {
  for (const Form &form : kForms) {
    string text = encode(form.format, UINT64_MAX);
    uint64_t id = 0;
    EXPECT_STATUS(FLAKE_OK, flake_decode_text(form.format, text.data(), text.size(), &id));
    if (form.format == FLAKE_FORMAT_HEX) continue;  // 16 digits are 64 bits
    size_t at = text.size() - 1;
    while (text[at] == form.alphabet.back()) text[at--] = form.alphabet.front();
    text[at] = form.alphabet[form.alphabet.find(text[at]) + 1];
    expect_bad(form, text);
    expect_bad(form, string(text.size(), form.alphabet.back()));
  }
}

TEST(Text, WhatPeopleWriteInsteadIsRefused) {
  for (const char *text : {"", " 1", "1 ", "+1", "-1", "0x1", "1.0", "1e3", "1_000", "1,000", "01",
                           "00", "\xd9\xa1", "1\n"})
    expect_bad(kForms[0], text);
  expect_bad(kForms[1], "0271065AC1020007");
  expect_bad(kForms[1], "0x71065ac1020007");
  for (const char *text : {"04w86bb0g4007", "O4W86BB0G4007", "04W86BB0G400I", "04W8-6BB0-G400",
                           "04W86BB0G400L", "04W86BB0G400U", "G000000000000"})
    expect_bad(kForms[2], text);
  for (const char *text : {"0QgmVVkniES", "OQgmVVkniES", "IQgmVVkniES", "lQgmVVkniES"})
    expect_bad(kForms[3], text);
}

TEST(Text, WrongArgumentsAreRefusedAndNothingIsWritten) {
  char text[FLAKE_TEXT_SIZE] = "kept";
  uint64_t id = 5;
  for (int32_t format : {-1, 5, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(FLAKE_E_INVALID_ARGUMENT, flake_encode(format, 1, text, sizeof text));
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_decode_text(format, "1", 1, &id));
  }
  EXPECT_EQ(FLAKE_E_INVALID_ARGUMENT, flake_encode(FLAKE_FORMAT_DEC, 1, text, sizeof text - 1));
  EXPECT_EQ(FLAKE_E_INVALID_ARGUMENT, flake_encode(FLAKE_FORMAT_DEC, 1, nullptr, sizeof text));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_decode_text(FLAKE_FORMAT_DEC, nullptr, 1, &id));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_decode_text(FLAKE_FORMAT_DEC, "1", 1, nullptr));
  EXPECT_STREQ("kept", text);
  EXPECT_EQ(5u, id);
}

}  // namespace
