// SPDX-License-Identifier: MIT
// Layouts and all that follows from one alone: the text form, the checks, the parts of an ID, the
// bounds of a time range. The second opinion is a Shape: its fields from the highest bit down.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "flake_test.h"

namespace {

using flake_test::kNowMs;
using flake_test::make_config;
using flake_test::parse;
using std::string;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr int64_t kLatestEpochMs = 4102444800000;
constexpr int64_t kHourMs = 3600000;
constexpr int64_t kDayMs = 24 * kHourMs;

// ---- the second opinion -------------------------------------------------------------------------

struct Field {
  char letter;
  uint32_t bits;
};

struct Shape {
  std::array<Field, 3> fields;  // from the highest bit down
  uint32_t tick_ms;
  int64_t epoch_ms;

  uint32_t bits(char letter) const {
    for (const Field &field : fields)
      if (field.letter == letter) return field.bits;
    return 0;
  }
  uint32_t shift(char letter) const {
    uint32_t below = 0;
    for (size_t i = fields.size(); i-- > 0; below += fields[i].bits)
      if (fields[i].letter == letter) return fields[i].bits ? below : 0;
    return 0;
  }
  uint32_t size() const { return fields[0].bits + fields[1].bits + fields[2].bits; }
  bool time_on_top() const { return shift('t') + bits('t') == size(); }
  uint64_t max(char letter) const { return bits(letter) ? ~uint64_t{0} >> (64 - bits(letter)) : 0; }
  int64_t expires_ms() const {
    return epoch_ms + static_cast<int64_t>(max('t') + 1) * static_cast<int64_t>(tick_ms);
  }
};

flake_layout layout_of(const Shape &shape) {
  flake_layout layout{};
  layout.epoch_ms = shape.epoch_ms;
  layout.tick_ms = shape.tick_ms;
  layout.time_bits = shape.bits('t');
  layout.time_shift = shape.shift('t');
  layout.node_bits = shape.bits('n');
  layout.node_shift = shape.shift('n');
  layout.seq_bits = shape.bits('s');
  layout.seq_shift = shape.shift('s');
  return layout;
}

string text_of(const Shape &shape) {
  string text;
  for (const Field &field : shape.fields)
    if (field.bits) text += field.letter + std::to_string(field.bits);
  if (shape.tick_ms % 1000 == 0)
    text += "*" + std::to_string(shape.tick_ms / 1000) + "s";
  else if (shape.tick_ms != 1)
    text += "*" + std::to_string(shape.tick_ms) + "ms";
  return text + "@" + std::to_string(shape.epoch_ms);
}

// The same numbers in each run; what fails names the round and the layout.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint64_t below(uint64_t n) { return std::uniform_int_distribution<uint64_t>(0, n - 1)(engine_); }
  int64_t between(int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(engine_);
  }
  // Up to max, often at an edge.
  uint64_t up_to(uint64_t max) {
    uint64_t any = std::uniform_int_distribution<uint64_t>(0, max)(engine_);
    const uint64_t choices[] = {0, max, std::min<uint64_t>(max, 1), max - (max > 0), any, any};
    return choices[below(6)];
  }
  Shape shape() {
    for (;;) {
      auto time = static_cast<uint32_t>(1 + up_to(47)), node = static_cast<uint32_t>(up_to(32)),
           seq = static_cast<uint32_t>(up_to(32));
      if (time + node + seq > 64) continue;
      Shape made{{{{'t', time}, {'n', node}, {'s', seq}}}, tick(), 0};
      std::shuffle(made.fields.begin(), made.fields.end(), engine_);
      made.epoch_ms = static_cast<int64_t>(up_to(kLatestEpochMs));
      return made;
    }
  }
  Shape shape_with_time_on_top() {
    for (;;)
      if (Shape made = shape(); made.time_on_top()) return made;
  }

 private:
  uint32_t tick() {
    const uint32_t any = static_cast<uint32_t>(between(1, 10000));
    const uint32_t choices[] = {1, 1, 10, 1000, 10000, 999, 1001, any, any, any};
    return choices[below(10)];
  }
  std::mt19937_64 engine_;
};

string round_text(uint64_t seed, int round, const Shape &shape) {
  return "seed " + std::to_string(seed) + ", round " + std::to_string(round) + ", " +
         text_of(shape);
}

// Unix ms of 00:00:00Z on a day, counted in days of the Gregorian calendar.
int64_t date_ms(int64_t year, int64_t month, int64_t day) {
  const int64_t past = month <= 2 ? year - 1 : year;
  const int64_t days = 365 * past + past / 4 - past / 100 + past / 400 +
                       (153 * (month <= 2 ? month + 9 : month - 3) + 2) / 5 + day - 1;
  return (days - 719468) * kDayMs;
}

bool same(const flake_layout &a, const flake_layout &b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Reads text from memory that ends with it, so that a byte read beyond it is a fault under asan.
flake_status parse_status(const string &text, flake_layout *layout) {
  std::unique_ptr<char[]> exact(new char[text.size()]);
  std::copy(text.begin(), text.end(), exact.get());
  return flake_layout_parse(exact.get(), text.size(), layout);
}

void expect_refused(const string &text) {
  flake_layout before, layout;
  std::memset(&before, 0x5a, sizeof before);
  layout = before;
  EXPECT_STATUS(FLAKE_E_BAD_LAYOUT, parse_status(text, &layout)) << '"' << text << '"';
  EXPECT_TRUE(same(before, layout)) << '"' << text << "\" wrote a layout";
}

string formatted(const flake_layout &layout) {
  char text[FLAKE_LAYOUT_TEXT_SIZE];
  const int32_t length = flake_layout_format(&layout, text, sizeof text);
  EXPECT_GE(length, 0) << flake_status_name(length);
  if (length < 0) return "";
  EXPECT_EQ(static_cast<size_t>(length), std::strlen(text));
  return text;
}

// ---- text that is a layout ----------------------------------------------------------------------

TEST(Layout, ShortFormMeansTimeNodeSequenceWithDefaultTickAndEpoch) {
  const flake_layout layout = parse("41/10/12");
  EXPECT_EQ(layout.time_bits, 41u);
  EXPECT_EQ(layout.time_shift, 22u);
  EXPECT_EQ(layout.node_bits, 10u);
  EXPECT_EQ(layout.node_shift, 12u);
  EXPECT_EQ(layout.seq_bits, 12u);
  EXPECT_EQ(layout.seq_shift, 0u);
  EXPECT_EQ(layout.tick_ms, 1u);
  EXPECT_EQ(layout.epoch_ms, FLAKE_EPOCH_MS);
  EXPECT_EQ(layout.reserved, 0u);
}

TEST(Layout, FullFormGivesFieldsFromTheHighestBitDownInAnyOrder) {
  string order = "nst";  // sorted, so that all six come by
  int orders = 0;
  do {
    Shape shape{{}, 1, FLAKE_EPOCH_MS};
    string text;
    for (size_t i = 0; i < 3; i++) {
      const uint32_t bits = order[i] == 't' ? 20 : order[i] == 'n' ? 7 : 5;
      shape.fields[i] = {order[i], bits};
      text += order[i] + std::to_string(bits);
    }
    EXPECT_TRUE(same(parse(text), layout_of(shape))) << text;
    orders++;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(orders, 6);
}

TEST(Layout, TickAndEpochMayFollowEitherForm) {
  for (const char *fields : {"39/8/16", "t39n8s16"}) {
    const string text = fields;
    EXPECT_EQ(formatted(parse(text + "*10ms")), "t39n8s16*10ms@1735689600000");
    EXPECT_EQ(formatted(parse(text + "@7")), "t39n8s16@7");
    EXPECT_EQ(formatted(parse(text + "*10ms@7")), "t39n8s16*10ms@7");
    EXPECT_EQ(formatted(parse(text + "*10s@0")), "t39n8s16*10s@0");
    EXPECT_EQ(formatted(parse(text + "*10000ms@4102444800000")), "t39n8s16*10s@4102444800000");
  }
}

TEST(Layout, EveryLayoutSurvivesFormatAndParse) {
  constexpr uint64_t kSeed = 1;
  Random random(kSeed);
  for (int round = 0; round < 20000 && !testing::Test::HasFailure(); round++) {
    const Shape shape = random.shape();
    SCOPED_TRACE(round_text(kSeed, round, shape));
    const flake_layout layout = layout_of(shape);
    const string text = formatted(layout);
    EXPECT_EQ(text, text_of(shape)) << "the canonical text";
    flake_layout read;
    ASSERT_STATUS(FLAKE_OK, parse_status(text, &read));
    EXPECT_TRUE(same(layout, read)) << "is read as " << formatted(read);
  }
}

TEST(Layout, EverySpellingMeansTheSameLayout) {
  constexpr uint64_t kSeed = 2;
  Random random(kSeed);
  for (int round = 0; round < 5000 && !testing::Test::HasFailure(); round++) {
    Shape shape = random.shape();
    if (random.below(2)) shape.epoch_ms = FLAKE_EPOCH_MS;
    SCOPED_TRACE(round_text(kSeed, round, shape));
    string text;  // with fields of 0 bits, each tick in ms, and no epoch where it is the default
    for (const Field &field : shape.fields) text += field.letter + std::to_string(field.bits);
    text += "*" + std::to_string(shape.tick_ms) + "ms";
    if (shape.epoch_ms != FLAKE_EPOCH_MS) text += "@" + std::to_string(shape.epoch_ms);
    EXPECT_TRUE(same(parse(text), layout_of(shape))) << text;
  }
}

TEST(Layout, TheLongestTextFitsItsSize) {
  const string text = formatted(parse("t30n10s10*9999ms@4102444800000"));
  EXPECT_EQ(text, "t30n10s10*9999ms@4102444800000");
  EXPECT_LT(text.size(), static_cast<size_t>(FLAKE_LAYOUT_TEXT_SIZE));
}

TEST(Layout, TheLengthDecidesWhereTextEnds) {
  flake_layout layout;
  EXPECT_STATUS(FLAKE_OK, flake_layout_parse("41/10/12 and more", 8, &layout));
  EXPECT_EQ(formatted(layout), "t41n10s12@1735689600000");
  EXPECT_STATUS(FLAKE_OK, flake_layout_parse("41/10/12", 7, &layout));
  EXPECT_EQ(formatted(layout), "t41n10s1@1735689600000");
  EXPECT_STATUS(FLAKE_OK, flake_layout_parse("twitter and more", 7, &layout));
  EXPECT_EQ(formatted(layout), "t41n10s12@1288834974657");
}

// ---- text that is none --------------------------------------------------------------------------

const char *const kGoodTexts[] = {
    "41/10/12", "t41n10s12@1735689600000", "t39s8n16*10ms@1735689600000", "40/0/12*1s@0", "twitter",
    "js53"};

TEST(Layout, EmptyTextIsRefused) {
  expect_refused("");
}

TEST(Layout, TextWithALeadingZeroIsRefused) {
  for (const char *text : {"041/10/12", "41/010/12", "41/10/012", "41/00/12", "t041n10s12",
                           "t41n010s12", "41/10/12*01ms", "41/10/12@01", "41/10/12@00", "t41n00"})
    expect_refused(text);
}

TEST(Layout, TextWithASignIsRefused) {
  for (const char *text :
       {"-1", "+41/10/12", "-41/10/12", "41/+10/12", "41/-10/12", "41/10/-12", "t+41n10s12",
        "t-41n10s12", "41/10/12*+1ms", "41/10/12*-1ms", "41/10/12@-1", "41/10/12@+1"})
    expect_refused(text);
}

TEST(Layout, TextWithAForeignByteAnywhereIsRefused) {
  const string foreign = string(" \t\n\r\v\f.,;:_-+x\\\"'\x7f\x80\xff", 20) + string(1, '\0');
  for (const string text : kGoodTexts)
    for (size_t at = 0; at <= text.size(); at++)
      for (char byte : foreign) expect_refused(string(text).insert(at, 1, byte));
}

TEST(Layout, TextWithoutOneOfItsPartsIsRefused) {
  for (const char *text : {"41",
                           "41/10",
                           "41/10/",
                           "/10/12",
                           "41//12",
                           "41/10/12/",
                           "41/10/12/1",
                           "t",
                           "tn10s12",
                           "t41n",
                           "t41n10s",
                           "41n10s12",
                           "t41/n10/s12",
                           "41/10/12*",
                           "41/10/12*ms",
                           "41/10/12*10",
                           "41/10/12*10m",
                           "41/10/12@",
                           "@1735689600000",
                           "*10ms",
                           "*10ms@0",
                           "n10s12",
                           "s12",
                           "n10"})
    expect_refused(text);
}

TEST(Layout, TextWithAPartTwiceOrOutOfOrderIsRefused) {
  for (const char *text :
       {"t41n10s12t1", "t41t1", "t41n10n10", "t41s12s12", "t41n0n10", "t41n10n0", "t0t41",
        "41/10/12*1s*1s", "41/10/12@0@0", "41/10/12@0*1s", "41/10/12*1s1s", "41/10/12*1sms"})
    expect_refused(text);
}

TEST(Layout, TextInAnotherCaseIsRefused) {
  for (const string text : kGoodTexts)
    for (size_t at = 0; at < text.size(); at++)
      if (text[at] >= 'a' && text[at] <= 'z') {
        string upper = text;
        upper[at] = static_cast<char>(text[at] - 'a' + 'A');
        expect_refused(upper);
      }
}

TEST(Layout, AFieldWiderThanItsLimitIsRefused) {
  for (const char *text : {"49/0/0", "t49n10", "20/33/0", "t20n33", "20/0/33", "s33t20", "0/10/12",
                           "t0n10s12", "0/0/0", "64/0/0", "63/0/0"})
    expect_refused(text);
  for (const char *text : {"48/0/0", "1/0/0", "20/32/0", "20/0/32", "32/32/0", "1/31/32", "s32t20"})
    EXPECT_EQ(parse(text).epoch_ms, FLAKE_EPOCH_MS) << text;
}

TEST(Layout, MoreThan64BitsInAllAreRefused) {
  for (const char *text : {"41/12/12", "48/9/8", "t1n32s32", "48/32/32", "n32s32t48"})
    expect_refused(text);
  for (const char *text : {"40/12/12", "48/8/8", "t1n31s32"})
    EXPECT_EQ(parse(text).epoch_ms, FLAKE_EPOCH_MS) << text;
}

TEST(Layout, ANumberThatWrapsIntoRangeIsRefused) {
  for (const char *text :
       {"297/10/12", "65577/10/12", "4294967337/10/12", "18446744073709551657/10/12",
        "41/4294967306/12", "41/18446744073709551626/12", "41/10/340282366920938463463374607431768",
        "t4294967337n10s12", "41/10/12*4294967297ms", "41/10/12*18446744073709551617ms",
        "41/10/12*18446744073709552s", "41/10/12*4294968s", "41/10/12@18446744073709551616",
        "41/10/12@18446745809399151616", "41/10/12@9223372036854775808"})
    expect_refused(text);
}

TEST(Layout, ATickOrEpochOutsideItsRangeIsRefused) {
  for (const char *text :
       {"41/10/12*0ms", "41/10/12*0s", "41/10/12*10001ms", "41/10/12*11s", "41/10/12*10000s",
        "41/10/12@4102444800001", "41/10/12@4102444800000000"})
    expect_refused(text);
  EXPECT_EQ(parse("41/10/12*10000ms").tick_ms, 10000u);
  EXPECT_EQ(parse("41/10/12*10s").tick_ms, 10000u);
  EXPECT_EQ(parse("41/10/12*1ms").tick_ms, 1u);
  EXPECT_EQ(parse("41/10/12@4102444800000").epoch_ms, kLatestEpochMs);
  EXPECT_EQ(parse("41/10/12@0").epoch_ms, 0);
}

TEST(Layout, OtherNotationsAreRefused) {
  for (const char *text :
       {"0x10", "0x29/10/12", "41/10/1e1", "41.0/10/12", "41,10,12", "41:10:12", "41-10-12",
        "41\\10\\12", "41/10/12@2025-01-01", "41/10/12*1.5s", "41/10/12*10us", "41/10/12*10min",
        "t41x10s12", "t(41)n10s12", "\xd9\xa4\xd9\xa1/10/12",
        "\xef\xbb\xbf"
        "41/10/12"})
    expect_refused(text);
}

TEST(Layout, WhatIsNotExactlyAPresetIsRefused) {
  for (const char *text : {"twitte", "twitterr", "twitter@0", "twitter*1ms", "twitter/10/12",
                           "default", "baidu", "sonyflake2", "snowflake1", "js", "js5", "js531"})
    expect_refused(text);
}

// ---- presets ------------------------------------------------------------------------------------

struct Preset {
  const char *name;
  const char *fields;
  int64_t epoch_ms;
};

// Each epoch as the date that its project documents.
const Preset kPresets[] = {
    {"snowflake", "t41n10s12", date_ms(2025, 1, 1)},
    // 2010-11-04T01:42:54.657Z
    {"twitter", "t41n10s12", date_ms(2010, 11, 4) + kHourMs + 42 * 60000 + 54657},
    {"discord", "t42n10s12", date_ms(2015, 1, 1)},
    // 2011-08-24T21:07:01.721Z
    {"instagram", "t41n13s10", date_ms(2011, 8, 24) + 21 * kHourMs + 7 * 60000 + 1721},
    {"mastodon", "t48s16", 0},
    {"sonyflake", "t39s8n16*10ms", date_ms(2025, 1, 1)},
    {"sonyflake1", "t39s8n16*10ms", date_ms(2014, 9, 1)},
    {"tsid", "t42n10s12", date_ms(2020, 1, 1)},
    {"pgedge", "t41n10s12", date_ms(2023, 1, 1)},
    {"js53", "t41n5s7", date_ms(2025, 1, 1)},
};

TEST(Presets, AreListedInOrderAndEndWithNull) {
  int32_t index = 0;
  for (const Preset &preset : kPresets) EXPECT_STREQ(flake_layout_preset(index++), preset.name);
  for (int32_t outside : {index, index + 1, 1000, -1, std::numeric_limits<int32_t>::min(),
                          std::numeric_limits<int32_t>::max()})
    EXPECT_EQ(flake_layout_preset(outside), nullptr) << outside;
}

TEST(Presets, HaveTheirTrueBitsAndEpochs) {
  for (const Preset &preset : kPresets)
    EXPECT_EQ(formatted(parse(preset.name)),
              string(preset.fields) + "@" + std::to_string(preset.epoch_ms))
        << preset.name;
}

TEST(Presets, TheDefaultIsSnowflakeWithTheCompiledEpoch) {
  flake_config config;
  ASSERT_STATUS(FLAKE_OK, flake_config_init(&config, sizeof config));
  EXPECT_TRUE(same(config.layout, parse("snowflake")));
  EXPECT_EQ(config.layout.epoch_ms, FLAKE_EPOCH_MS);
  EXPECT_EQ(FLAKE_EPOCH_MS, date_ms(2025, 1, 1));
}

// ---- structs made by hand -----------------------------------------------------------------------

flake_layout changed(const std::function<void(flake_layout &)> &change) {
  flake_layout layout = parse("41/10/12");
  change(layout);
  return layout;
}

struct BadLayout {
  const char *why;
  flake_layout layout;
};

std::vector<BadLayout> bad_layouts() {
  return {
      {"all zero", flake_layout{}},
      {"a gap below the lowest field", {0, 1, 41, 23, 10, 13, 12, 1, 0}},
      {"a gap between two fields", {0, 1, 40, 23, 10, 12, 12, 0, 0}},
      {"node and sequence overlap", changed([](auto &l) { l.node_shift = 11; })},
      {"time and node overlap", changed([](auto &l) { l.time_shift = 21; })},
      {"two fields at one place", {0, 1, 20, 10, 10, 0, 10, 0, 0}},
      {"time and sequence swapped, node wrong", {0, 1, 41, 0, 10, 12, 12, 51, 0}},
      {"no time", {0, 1, 0, 0, 10, 12, 12, 0, 0}},
      {"no time but a shift", {0, 1, 0, 22, 10, 12, 12, 0, 0}},
      {"a shift for a node of 0 bits", {0, 1, 41, 12, 0, 12, 12, 0, 0}},
      {"a shift for a sequence of 0 bits", {0, 1, 41, 10, 10, 0, 0, 10, 0}},
      {"49 bits of time", {0, 1, 49, 0, 0, 0, 0, 0, 0}},
      {"33 bits of node", {0, 1, 20, 33, 33, 0, 0, 0, 0}},
      {"33 bits of sequence", {0, 1, 20, 33, 0, 0, 33, 0, 0}},
      {"65 bits", {0, 1, 41, 24, 12, 12, 12, 0, 0}},
      {"time ends above bit 63", {0, 1, 41, 24, 12, 12, 11, 0, 0}},
      {"a shift of 64", {0, 1, 41, 64, 10, 12, 12, 0, 0}},
      {"bits and shift that wrap at 2^32", {0, 1, 41, UINT32_MAX - 40, 0, 0, 0, 0, 0}},
      {"65 bits, of which the shift loses one", {0, 1, 41, UINT32_MAX - 39, 12, 12, 12, 0, 0}},
      {"65 bits, of which two overlap", {0, 1, 40, 24, 13, 12, 12, 0, 0}},
      {"2^32 - 1 bits of time", {0, 1, UINT32_MAX, 0, 0, 0, 0, 0, 0}},
      {"2^32 - 1 bits of node", changed([](auto &l) { l.node_bits = UINT32_MAX; })},
      {"2^32 - 1 bits of sequence", changed([](auto &l) { l.seq_bits = UINT32_MAX; })},
      {"2^32 - 1 as shift", changed([](auto &l) { l.seq_shift = UINT32_MAX; })},
      {"a sum of bits that wraps to 63", {0, 1, 41, 22, 0x80000005, 17, 0x80000011, 0, 0}},
      {"reserved not 0", changed([](auto &l) { l.reserved = 1; })},
      {"a tick of 0", changed([](auto &l) { l.tick_ms = 0; })},
      {"a tick above 10 s", changed([](auto &l) { l.tick_ms = 10001; })},
      {"a tick of 2^32 - 1", changed([](auto &l) { l.tick_ms = UINT32_MAX; })},
      {"a negative epoch", changed([](auto &l) { l.epoch_ms = -1; })},
      {"the lowest epoch", changed([](auto &l) { l.epoch_ms = kLowest; })},
      {"an epoch after 2100", changed([](auto &l) { l.epoch_ms = kLatestEpochMs + 1; })},
      {"the highest epoch", changed([](auto &l) { l.epoch_ms = kHighest; })},
  };
}

TEST(LayoutStruct, ABadOneIsRefusedByEveryCallThatTakesOne) {
  for (const BadLayout &bad : bad_layouts()) {
    SCOPED_TRACE(bad.why);
    const flake_layout *layout = &bad.layout;
    char text[FLAKE_LAYOUT_TEXT_SIZE] = "untouched";
    EXPECT_STATUS(FLAKE_E_BAD_LAYOUT, flake_layout_format(layout, text, sizeof text));
    EXPECT_STREQ(text, "untouched");
    EXPECT_STATUS(FLAKE_E_BAD_LAYOUT, flake_layout_check(layout, kNowMs));
    EXPECT_STATUS(FLAKE_E_BAD_LAYOUT, flake_layout_expires_ms(layout));
    EXPECT_STATUS(FLAKE_E_BAD_LAYOUT, flake_layout_stride(layout));
    flake_decoded decoded{1, 2, 3, 4};
    EXPECT_STATUS(FLAKE_E_BAD_LAYOUT, flake_decode(layout, 1, &decoded));
    EXPECT_EQ(decoded.unix_ms + decoded.tick + decoded.node + decoded.sequence, 10);
    EXPECT_STATUS(FLAKE_E_BAD_LAYOUT, flake_compose(layout, kNowMs, 1, 1));
    uint64_t low = 5, high = 6;
    EXPECT_STATUS(FLAKE_E_BAD_LAYOUT, flake_bounds(layout, kNowMs, kNowMs + kDayMs, &low, &high));
    EXPECT_EQ(low + high, 11u);
    flake_config config = make_config();
    config.layout = bad.layout;
    flake_generator *gen = nullptr;
    EXPECT_STATUS(FLAKE_E_BAD_LAYOUT, flake_open(&config, nullptr, &gen));
    EXPECT_EQ(gen, nullptr);
  }
}

// A shape is a layout exactly when some order of its fields, packed from bit 0, gives its shifts.
bool packs(const flake_layout &l) {
  string order = "nst";
  do {
    Shape shape{{}, 1, 0};
    for (size_t i = 0; i < 3; i++)
      shape.fields[i] = {order[i], order[i] == 't'   ? l.time_bits
                                   : order[i] == 'n' ? l.node_bits
                                                     : l.seq_bits};
    if (same(layout_of(shape), l)) return l.time_bits > 0;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

TEST(LayoutStruct, EveryNarrowOneIsALayoutExactlyWhenItsFieldsPackWithoutGaps) {
  int layouts = 0;
  constexpr uint32_t kBits = 4, kShifts = 8;
  for (uint32_t fields = 0; fields < kBits * kBits * kBits; fields++)
    for (uint32_t shifts = 0; shifts < kShifts * kShifts * kShifts; shifts++) {
      const flake_layout l{0,
                           1,
                           fields % kBits,
                           shifts % kShifts,
                           fields / kBits % kBits,
                           shifts / kShifts % kShifts,
                           fields / kBits / kBits,
                           shifts / kShifts / kShifts,
                           0};
      const bool good = packs(l);
      layouts += good;
      const int64_t expires_ms = good ? int64_t{1} << l.time_bits : int64_t{FLAKE_E_BAD_LAYOUT};
      ASSERT_EQ(flake_layout_expires_ms(&l), expires_ms)
          << "bits " << l.time_bits << ' ' << l.node_bits << ' ' << l.seq_bits << " shifts "
          << l.time_shift << ' ' << l.node_shift << ' ' << l.seq_shift;
    }
  // 3 widths of time, alone; with one other field in 2 orders; with both in 6.
  EXPECT_EQ(layouts, 3 + 2 * 3 * 3 * 2 + 3 * 3 * 3 * 6);
}

// ---- check and expiry ---------------------------------------------------------------------------

TEST(LayoutCheck, AGeneratorCanUseItFromItsEpochUntilItExpires) {
  for (const char *text : {"41/10/12", "sonyflake", "js53", "t1s1@0", "43/10/10@0", "43/0/0*10s"}) {
    SCOPED_TRACE(text);
    const flake_layout layout = parse(text);
    const int64_t expires = flake_layout_expires_ms(&layout);
    EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, flake_layout_check(&layout, kLowest));
    EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, flake_layout_check(&layout, -1));
    EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, flake_layout_check(&layout, layout.epoch_ms - 1));
    EXPECT_STATUS(FLAKE_OK, flake_layout_check(&layout, layout.epoch_ms));
    EXPECT_STATUS(FLAKE_OK, flake_layout_check(&layout, expires - 1));
    EXPECT_STATUS(FLAKE_E_TIME_USED_UP, flake_layout_check(&layout, expires));
    EXPECT_STATUS(FLAKE_E_TIME_USED_UP, flake_layout_check(&layout, kHighest));
  }
}

TEST(LayoutCheck, WhatOnlyDecodesIsNotSupportedAtAnyTime) {
  for (const char *text : {"discord", "mastodon", "tsid", "48/8/8", "44/10/9", "44/0/0", "48/0/0",
                           "n10t41s12", "n10s12t41", "s12t41n10", "s1t41", "n1t41", "41/11/12"})
    for (int64_t now : {kLowest, int64_t{0}, kNowMs, kHighest}) {
      const flake_layout layout = parse(text);
      EXPECT_STATUS(FLAKE_E_NOT_SUPPORTED, flake_layout_check(&layout, now)) << text;
      flake_config config = make_config(text, 0);
      flake_generator *gen = nullptr;
      EXPECT_STATUS(FLAKE_E_NOT_SUPPORTED, flake_open(&config, nullptr, &gen)) << text;
    }
}

TEST(LayoutCheck, TimeOnTopOfFieldsInAnyOrderGenerates) {
  for (const char *text : {"t41n10s12", "t41s12n10", "t41s12", "t41n10", "t41", "43/10/10"}) {
    const flake_layout layout = parse(text);
    EXPECT_STATUS(FLAKE_OK, flake_layout_check(&layout, kNowMs)) << text;
  }
}

TEST(LayoutExpiry, TheDefaultEpochLastsAtLeast60Years) {  // S29
  const flake_layout layout = parse("snowflake");
  EXPECT_GE(flake_layout_expires_ms(&layout), date_ms(2085, 1, 1));
}

TEST(LayoutExpiry, IsTheFirstMsThatTheTimeFieldCannotExpress) {  // S28
  // 2^41 ms after 2025-01-01: 2094-09-07T15:47:35.552Z
  const flake_layout layout = parse("snowflake");
  const int64_t expires = flake_layout_expires_ms(&layout);
  EXPECT_EQ(expires, date_ms(2094, 9, 7) + 15 * kHourMs + 47 * 60000 + 35552);
  EXPECT_ID(flake_compose(&layout, expires - 1, 0, 0));
  EXPECT_STATUS(FLAKE_E_TIME_USED_UP, flake_compose(&layout, expires, 0, 0));
}

TEST(LayoutExpiry, IsEpochPlusAllTicksInEveryLayout) {
  constexpr uint64_t kSeed = 3;
  Random random(kSeed);
  for (int round = 0; round < 5000 && !testing::Test::HasFailure(); round++) {
    const Shape shape = random.shape();
    SCOPED_TRACE(round_text(kSeed, round, shape));
    const flake_layout layout = layout_of(shape);
    EXPECT_EQ(flake_layout_expires_ms(&layout), shape.expires_ms());
  }
  const flake_layout latest = parse("48/8/8*10s@4102444800000");
  EXPECT_EQ(flake_layout_expires_ms(&latest), 2814749767106560000 + kLatestEpochMs);
}

// ---- compose and decode -------------------------------------------------------------------------

uint64_t pack(const Shape &shape, uint64_t tick, uint64_t node, uint64_t seq) {
  uint64_t id = 0;
  for (const Field &field : shape.fields) {
    if (field.bits == 0) continue;
    // in two steps, as a shift by 64 is not defined
    id = id << (field.bits - 1) << 1;
    id += field.letter == 't' ? tick : field.letter == 'n' ? node : seq;
  }
  return id;
}

TEST(Id, ComposeAndDecodeAreInverseInEveryLayout) {
  constexpr uint64_t kSeed = 4;
  Random random(kSeed);
  for (int round = 0; round < 20000 && !testing::Test::HasFailure(); round++) {
    const Shape shape = random.shape();
    const uint64_t tick = random.up_to(shape.max('t')), node = random.up_to(shape.max('n')),
                   seq = random.up_to(shape.max('s')), id = pack(shape, tick, node, seq);
    SCOPED_TRACE(round_text(kSeed, round, shape) + ", ID " + std::to_string(id));
    const flake_layout layout = layout_of(shape);
    const int64_t unix_ms = shape.epoch_ms + static_cast<int64_t>(tick * shape.tick_ms);
    const int64_t composed =
        flake_compose(&layout, unix_ms, static_cast<int64_t>(node), static_cast<int64_t>(seq));
    flake_decoded decoded{};
    if (id == 0) {
      EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_decode(&layout, id, &decoded));
    } else {
      EXPECT_STATUS(FLAKE_OK, flake_decode(&layout, id, &decoded));
      EXPECT_EQ(decoded.tick, static_cast<int64_t>(tick));
      EXPECT_EQ(decoded.node, static_cast<int64_t>(node));
      EXPECT_EQ(decoded.sequence, static_cast<int64_t>(seq));
      EXPECT_EQ(decoded.unix_ms, unix_ms);
    }
    if (shape.size() == 64)
      EXPECT_STATUS(FLAKE_E_NOT_SUPPORTED, composed);
    else if (id == 0)
      EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, composed);
    else
      EXPECT_EQ(composed, static_cast<int64_t>(id));
  }
}

TEST(Id, TheStrideLeadsFromOneSequenceNumberToTheNext) {
  constexpr uint64_t kSeed = 8;
  Random random(kSeed);
  for (int round = 0; round < 5000 && !testing::Test::HasFailure(); round++) {
    const Shape shape = random.shape();
    if (shape.shift('s') == 63) continue;  // no int64 holds its stride
    SCOPED_TRACE(round_text(kSeed, round, shape));
    const flake_layout layout = layout_of(shape);
    const int64_t stride = flake_layout_stride(&layout);
    if (shape.bits('s') == 0)
      EXPECT_EQ(stride, 1);
    else
      EXPECT_EQ(static_cast<uint64_t>(stride), pack(shape, 1, 1, 1) - pack(shape, 1, 1, 0));
  }
}

TEST(Id, AStrideThatNoInt64HoldsIsNotSupported) {
  const flake_layout layout = parse("s1t31n32");
  EXPECT_STATUS(FLAKE_E_NOT_SUPPORTED, flake_layout_stride(&layout));
}

TEST(Id, NodeAndSequence0AreLikeAnyOther) {  // S38
  const flake_layout layout = parse("41/10/12");
  const int64_t id = flake_compose(&layout, kNowMs, 0, 0);
  EXPECT_EQ(id, (kNowMs - FLAKE_EPOCH_MS) << 22);
  const flake_decoded decoded = flake_test::decode(layout, id);
  EXPECT_EQ(decoded.unix_ms, kNowMs);
  EXPECT_EQ(decoded.node, 0);
  EXPECT_EQ(decoded.sequence, 0);
}

TEST(Id, EveryJs53IdIsExactInADouble) {  // S36
  const flake_layout layout = parse("js53");
  const int64_t last_ms = flake_layout_expires_ms(&layout) - 1;
  const int64_t largest = flake_compose(&layout, last_ms, 31, 127);
  EXPECT_EQ(largest, 9007199254740991);
  EXPECT_STATUS(FLAKE_E_NODE_OUT_OF_RANGE, flake_compose(&layout, last_ms, 32, 0));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_compose(&layout, last_ms, 0, 128));
  EXPECT_STATUS(FLAKE_E_TIME_USED_UP, flake_compose(&layout, last_ms + 1, 0, 0));
}

// Values beyond 0..max, among them those that a mask or a narrowing would bring back.
std::vector<int64_t> beyond(uint64_t field_max) {
  const int64_t max = static_cast<int64_t>(field_max), span = max + 1;
  return {span,
          span + 1,
          span + max,
          max + (int64_t{1} << 32),
          int64_t{1} << 32,
          -1,
          -span,
          -(max + 2),
          -(int64_t{1} << 32),
          int64_t{1} << 62,
          kLowest,
          kLowest + span,
          kHighest,
          kHighest - max};
}

TEST(Id, NoPartIsMaskedOrNarrowed) {
  constexpr uint64_t kSeed = 5;
  Random random(kSeed);
  for (int round = 0; round < 2000 && !testing::Test::HasFailure(); round++) {
    const Shape shape = random.shape();
    if (shape.size() == 64) continue;
    SCOPED_TRACE(round_text(kSeed, round, shape));
    const flake_layout layout = layout_of(shape);
    const int64_t last_ms = shape.expires_ms() - shape.tick_ms;
    for (int64_t node : beyond(shape.max('n')))
      EXPECT_STATUS(FLAKE_E_NODE_OUT_OF_RANGE, flake_compose(&layout, last_ms, node, 0)) << node;
    for (int64_t seq : beyond(shape.max('s')))
      EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_compose(&layout, last_ms, 0, seq)) << seq;
    for (int64_t late_ms : {shape.expires_ms(), shape.expires_ms() + shape.tick_ms,
                            shape.expires_ms() + (int64_t{1} << 62), kHighest})
      EXPECT_STATUS(FLAKE_E_TIME_USED_UP, flake_compose(&layout, late_ms, 0, 0)) << late_ms;
    for (int64_t early_ms : {shape.epoch_ms - 1, shape.epoch_ms - shape.tick_ms, int64_t{-1},
                             shape.epoch_ms - (int64_t{1} << 32), kLowest, kLowest + 1})
      EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, flake_compose(&layout, early_ms, 0, 0)) << early_ms;
  }
}

TEST(Id, ATimeInsideATickIsNotRoundedOnCompose) {
  const flake_layout layout = parse("sonyflake");
  EXPECT_ID(flake_compose(&layout, kNowMs, 0, 0));
  for (int64_t inside = 1; inside < 10; inside++)
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_compose(&layout, kNowMs + inside, 0, 0));
  EXPECT_EQ(flake_compose(&layout, kNowMs + 10, 0, 0),
            flake_compose(&layout, kNowMs, 0, 0) + (1 << 24));
}

TEST(Id, ZeroAndBitsAboveTheFieldsAreRefusedByDecode) {
  constexpr uint64_t kSeed = 6;
  Random random(kSeed);
  for (int round = 0; round < 2000 && !testing::Test::HasFailure(); round++) {
    const Shape shape = random.shape();
    SCOPED_TRACE(round_text(kSeed, round, shape));
    const flake_layout layout = layout_of(shape);
    flake_decoded decoded{1, 2, 3, 4};
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_decode(&layout, 0, &decoded));
    for (uint32_t above = shape.size(); above < 64; above++)
      for (uint64_t below : {uint64_t{0}, uint64_t{1}, (uint64_t{1} << above) - 1})
        EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT,
                      flake_decode(&layout, uint64_t{1} << above | below, &decoded))
            << "bit " << above;
    EXPECT_EQ(decoded.unix_ms + decoded.tick + decoded.node + decoded.sequence, 10) << "written";
    const uint64_t largest = ~uint64_t{0} >> (64 - shape.size());
    EXPECT_STATUS(FLAKE_OK, flake_decode(&layout, largest, &decoded));
    EXPECT_EQ(decoded.tick, static_cast<int64_t>(shape.max('t')));
  }
}

// ---- bounds of a time range ---------------------------------------------------------------------

struct Bounds {
  flake_status status;
  uint64_t low, high;
};

Bounds bounds(const flake_layout &layout, int64_t from_ms, int64_t until_ms) {
  Bounds found{FLAKE_OK, 0xdead, 0xbeef};
  found.status = flake_bounds(&layout, from_ms, until_ms, &found.low, &found.high);
  if (found.status != FLAKE_OK) {
    EXPECT_EQ(found.low, 0xdeadu) << "written";
    EXPECT_EQ(found.high, 0xbeefu) << "written";
  }
  return found;
}

TEST(Bounds, AreExactAtEachMsEdgeOfTheDefaultLayout) {  // S34
  const flake_layout layout = parse("41/10/12");
  const int64_t first_ms = kNowMs - 3;
  uint64_t next = 0;
  for (int64_t ms = first_ms; ms < kNowMs + 3; ms++) {
    const Bounds found = bounds(layout, ms, ms + 1);
    ASSERT_STATUS(FLAKE_OK, found.status);
    EXPECT_EQ(found.low, static_cast<uint64_t>(flake_compose(&layout, ms, 0, 0)));
    EXPECT_EQ(found.high, static_cast<uint64_t>(flake_compose(&layout, ms, 1023, 4095)));
    if (ms > first_ms) {
      EXPECT_EQ(found.low, next) << "ranges that touch do not overlap";
    }
    next = found.high + 1;
  }
}

// Times near the ends of the field and near ticks in between.
int64_t some_ms(Random &random, const Shape &shape) {
  const auto tick = static_cast<int64_t>(random.up_to(shape.max('t') + 1));
  const int64_t at = shape.epoch_ms + tick * static_cast<int64_t>(shape.tick_ms) +
                     random.between(-1, static_cast<int64_t>(shape.tick_ms));
  return std::min(std::max(at, shape.epoch_ms), shape.expires_ms());
}

// The property of S34: an ID lies in the bounds exactly when its time lies in the range.
void expect_exact(const Shape &shape, int64_t from_ms, int64_t until_ms, const Bounds &found,
                  uint64_t id) {
  const flake_layout layout = layout_of(shape);
  flake_decoded decoded{};
  if (flake_decode(&layout, id, &decoded) != FLAKE_OK) return;
  const bool in_range = from_ms <= decoded.unix_ms && decoded.unix_ms < until_ms;
  const bool in_bounds = found.status == FLAKE_OK && found.low <= id && id <= found.high;
  EXPECT_EQ(in_range, in_bounds) << id << " is of " << decoded.unix_ms;
}

TEST(Bounds, HoldAnIdExactlyWhenItsTickStartsInTheRange) {  // S34
  constexpr uint64_t kSeed = 7;
  Random random(kSeed);
  int ranges = 0;
  for (int round = 0; round < 20000 && !testing::Test::HasFailure(); round++) {
    const Shape shape = random.shape_with_time_on_top();
    const int64_t from_ms = some_ms(random, shape);
    const int64_t until_ms =
        random.below(2)
            ? some_ms(random, shape)
            : std::min(from_ms + random.between(0, 3 * shape.tick_ms + 1), shape.expires_ms());
    SCOPED_TRACE(round_text(kSeed, round, shape) + ", " + std::to_string(from_ms) + " until " +
                 std::to_string(until_ms));
    const Bounds found = bounds(layout_of(shape), from_ms, until_ms);
    const bool any = found.status == FLAKE_OK;
    EXPECT_STATUS(any ? FLAKE_OK : FLAKE_E_INVALID_ARGUMENT, found.status);
    ranges += any;
    for (uint64_t near : {found.low, found.high})
      for (uint64_t id : {near - 1, near, near + 1})
        expect_exact(shape, from_ms, until_ms, found, id);
    for (int i = 0; i < 3; i++)
      for (int64_t ms : {from_ms, until_ms, some_ms(random, shape)}) {
        const auto tick = static_cast<uint64_t>(ms - shape.epoch_ms) / shape.tick_ms;
        const uint64_t id = pack(shape, std::min(tick + random.below(2), shape.max('t')),
                                 random.up_to(shape.max('n')), random.up_to(shape.max('s')));
        expect_exact(shape, from_ms, until_ms, found, id);
      }
  }
  EXPECT_GT(ranges, 5000) << "the rounds hardly met a range with IDs";
}

TEST(Bounds, OfRangesThatTouchTileTheWholeField) {
  for (const char *text :
       {"t3n1s1@0", "t3n1s1*10ms@70", "t3s2*1s", "t3n2*3ms", "t3@9", "t3n30s30"}) {
    SCOPED_TRACE(text);
    const flake_layout layout = parse(text);
    const int64_t expires = flake_layout_expires_ms(&layout);
    for (int64_t step : {int64_t{layout.tick_ms}, 2 * int64_t{layout.tick_ms}}) {
      const uint64_t span = uint64_t(step / layout.tick_ms) << layout.time_shift;
      uint64_t past = span;  // of the first range, which begins below the first ID
      for (int64_t ms = layout.epoch_ms + step; ms < expires; ms += step, past += span) {
        const Bounds found = bounds(layout, ms, ms + step);
        ASSERT_STATUS(FLAKE_OK, found.status) << ms;
        EXPECT_EQ(found.low, past);
        EXPECT_EQ(found.high, past + span - 1);
      }
      EXPECT_EQ(past, uint64_t{1} << flake_test::parse(text).time_shift << 3);
    }
  }
}

TEST(Bounds, OfAllTimeReachTheLargestIdOfTheLayout) {
  for (const char *text : {"41/10/12", "discord", "mastodon", "js53", "t1s1@0", "48/8/8*10s"}) {
    const flake_layout layout = parse(text);
    const uint32_t bits = layout.time_bits + layout.node_bits + layout.seq_bits;
    const Bounds found = bounds(layout, layout.epoch_ms, flake_layout_expires_ms(&layout));
    ASSERT_STATUS(FLAKE_OK, found.status) << text;
    EXPECT_EQ(found.high, ~uint64_t{0} >> (64 - bits)) << text;
    EXPECT_EQ(found.low, 1u) << text;
  }
}

TEST(Bounds, OfTheFirstTickBeginWithId1As0IsNone) {
  for (const char *text : {"41/10/12", "t1s1@0", "discord", "t41n1"}) {
    const flake_layout layout = parse(text);
    const Bounds found = bounds(layout, layout.epoch_ms, layout.epoch_ms + 1);
    ASSERT_STATUS(FLAKE_OK, found.status) << text;
    EXPECT_EQ(found.low, 1u) << text;
    EXPECT_EQ(found.high, (uint64_t{1} << layout.time_shift) - 1) << text;
  }
  const flake_layout time_alone = parse("41/0/0");
  const int64_t epoch_ms = time_alone.epoch_ms;
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, bounds(time_alone, epoch_ms, epoch_ms + 1).status);
  EXPECT_EQ(bounds(time_alone, epoch_ms, epoch_ms + 2).low, 1u);
}

TEST(Bounds, WithTicksOf10MsCountWhereATickStarts) {
  const flake_layout layout = parse("sonyflake");
  const Bounds tick = bounds(layout, kNowMs, kNowMs + 10);
  ASSERT_STATUS(FLAKE_OK, tick.status);
  EXPECT_EQ(tick.low, static_cast<uint64_t>(flake_compose(&layout, kNowMs, 0, 0)));
  for (int64_t from_ms = kNowMs - 9; from_ms <= kNowMs; from_ms++)
    for (int64_t until_ms = kNowMs + 1; until_ms <= kNowMs + 10; until_ms++) {
      const Bounds found = bounds(layout, from_ms, until_ms);
      EXPECT_STATUS(FLAKE_OK, found.status);
      EXPECT_EQ(found.low, tick.low) << from_ms << " until " << until_ms;
      EXPECT_EQ(found.high, tick.high) << from_ms << " until " << until_ms;
    }
  for (int64_t from_ms = kNowMs + 1; from_ms <= kNowMs + 10; from_ms++)
    for (int64_t until_ms = kNowMs + 1; until_ms <= kNowMs + 10; until_ms++)
      EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, bounds(layout, from_ms, until_ms).status)
          << from_ms << " until " << until_ms;
}

TEST(Bounds, OfARangeThatIsEmptyOrReversedAreRefused) {
  const flake_layout layout = parse("41/10/12");
  for (int64_t length : {int64_t{0}, int64_t{-1}, -kHourMs})
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, bounds(layout, kNowMs, kNowMs + length).status);
}

TEST(Bounds, BeforeTheEpochOrAfterTheEndAreRefusedNotClipped) {  // S30
  for (const char *text : {"41/10/12", "sonyflake", "41/10/12@0", "discord"}) {
    SCOPED_TRACE(text);
    const flake_layout layout = parse(text);
    const int64_t begin = layout.epoch_ms, end = flake_layout_expires_ms(&layout);
    for (int64_t from_ms : {begin - 1, begin - kHourMs, int64_t{-1}, kLowest})
      for (int64_t until_ms : {begin + kHourMs, end, end + 1, kHighest})
        EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, bounds(layout, from_ms, until_ms).status) << from_ms;
    for (int64_t from_ms : {begin, kNowMs, end - 1})
      for (int64_t until_ms : {end + 1, end + kHourMs, kHighest})
        EXPECT_STATUS(FLAKE_E_TIME_USED_UP, bounds(layout, from_ms, until_ms).status) << until_ms;
  }
}

TEST(Bounds, NeedTimeOnTop) {
  for (const char *text : {"n10t41s12", "n10s12t41", "s12t41n10", "s1t41", "n1t41"})
    EXPECT_STATUS(FLAKE_E_NOT_SUPPORTED, bounds(parse(text), kNowMs, kNowMs + 1).status) << text;
}

TEST(Epoch, AnHourInTheFutureIsRefusedByCheckComposeBoundsAndOpen) {  // S30
  const flake_layout layout = parse("41/10/12@" + std::to_string(kNowMs + kHourMs));
  EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, flake_layout_check(&layout, kNowMs));
  EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, flake_compose(&layout, kNowMs, 1, 1));
  EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, bounds(layout, kNowMs, kNowMs + kHourMs + 1).status);
  flake_test::Clock clock;
  flake_config config = make_config();
  config.layout = layout;
  EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, flake_test::Generator(config, clock).status());
}

// ---- pointers and sizes -------------------------------------------------------------------------

TEST(Arguments, ANullPointerIsAnInvalidArgument) {
  const flake_layout layout = parse("41/10/12");
  flake_layout out = layout;
  flake_decoded decoded{1, 2, 3, 4};
  uint64_t low = 5, high = 6;
  char text[FLAKE_LAYOUT_TEXT_SIZE] = "untouched";
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_layout_parse(nullptr, 8, &out));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_layout_parse(nullptr, 0, &out));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_layout_parse("41/10/12", 8, nullptr));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_layout_format(nullptr, text, sizeof text));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_layout_format(&layout, nullptr, sizeof text));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_layout_check(nullptr, kNowMs));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_layout_expires_ms(nullptr));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_layout_stride(nullptr));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_decode(nullptr, 1, &decoded));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_decode(&layout, 1, nullptr));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_compose(nullptr, kNowMs, 1, 1));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_bounds(nullptr, kNowMs, kNowMs + 1, &low, &high));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT,
                flake_bounds(&layout, kNowMs, kNowMs + 1, nullptr, &high));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_bounds(&layout, kNowMs, kNowMs + 1, &low, nullptr));
  EXPECT_TRUE(same(out, layout));
  EXPECT_EQ(decoded.unix_ms + decoded.tick + decoded.node + decoded.sequence, 10);
  EXPECT_EQ(low + high, 11u);
  EXPECT_STREQ(text, "untouched");
}

TEST(Arguments, ATextSizeThatIsTooSmallIsRefusedAndNothingIsWritten) {
  const flake_layout layout = parse("t39s8n16*10ms@1735689600000");
  const string full = "t39s8n16*10ms@1735689600000";
  for (size_t size = 0; size <= full.size() + 2; size++) {
    string text(full.size() + 4, '~');
    const string before = text;
    const int32_t length = flake_layout_format(&layout, text.data(), size);
    if (size <= full.size()) {
      EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, length) << size;
      EXPECT_EQ(text, before);
    } else {
      EXPECT_EQ(length, static_cast<int32_t>(full.size()));
      EXPECT_EQ(text, full + '\0' + before.substr(full.size() + 1));
    }
  }
}

}  // namespace
