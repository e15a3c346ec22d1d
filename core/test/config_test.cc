// SPDX-License-Identifier: MIT
// The config of a generator: its defaults, what flake_open refuses, and the sentence that says why.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "flake_test.h"

namespace {

using flake_test::Clock;
using flake_test::Generator;
using flake_test::kNowMs;
using flake_test::make_config;
using flake_test::parse;
using std::string;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr int64_t kDayMs = 86400000;
constexpr int64_t kClockEndMs = 9223372036854;  // the last ms that an int64 of ns holds

flake_status open_status(const flake_config &config) {
  Clock clock;
  return Generator(config, clock).status();
}

string explain(const flake_config &config, int64_t status) {
  char text[FLAKE_EXPLAIN_SIZE];
  std::memset(text, '~', sizeof text);
  const int32_t length = flake_explain(&config, status, text, sizeof text);
  EXPECT_GT(length, 0) << flake_test::said(length);
  if (length <= 0) return "";
  EXPECT_EQ(static_cast<size_t>(length), std::strlen(text));
  EXPECT_LT(length, FLAKE_EXPLAIN_SIZE - 1) << "may be cut off: " << text;
  return text;
}

// Refused with this status, by a sentence that holds all these words.
void expect_refused(flake_status expected, const flake_config &config,
                    const std::vector<string> &words) {
  EXPECT_STATUS(expected, open_status(config));
  const string sentence = explain(config, expected);
  for (const string &word : words)
    EXPECT_TRUE(sentence.find(word) != string::npos) << '"' << word << "\" is not in: " << sentence;
}

// ---- defaults -----------------------------------------------------------------------------------

TEST(Config, EveryFieldHasItsDefault) {
  flake_config config;
  std::memset(&config, 0x5a, sizeof config);
  ASSERT_STATUS(FLAKE_OK, flake_config_init(&config, sizeof config));
  EXPECT_EQ(config.size, sizeof config);
  EXPECT_EQ(config.mode, static_cast<uint32_t>(FLAKE_MODE_STRICT));
  const flake_layout layout = parse("snowflake");
  EXPECT_EQ(std::memcmp(&config.layout, &layout, sizeof layout), 0);
  EXPECT_EQ(config.node, FLAKE_UNSET);
  EXPECT_EQ(config.max_wait_ms, 1100);
  EXPECT_EQ(config.max_lead_ms, FLAKE_UNSET);
  EXPECT_EQ(config.start_floor_ms, FLAKE_UNSET);
  EXPECT_EQ(config.ceiling_ms, FLAKE_UNSET);
  EXPECT_EQ(config.seq_spread_bits, 0);
  EXPECT_EQ(config.clock_source, static_cast<uint32_t>(FLAKE_CLOCK_PRECISE));
  EXPECT_EQ(config.host_guard, static_cast<uint32_t>(FLAKE_GUARD_ON));
  EXPECT_EQ(string(config.space, sizeof config.space),
            "default" + string(sizeof config.space - 7, '\0'));
}

TEST(Config, TheDefaultsWithANodeOpen) {
  flake_config config;
  ASSERT_STATUS(FLAKE_OK, flake_config_init(&config, sizeof config));
  config.node = 7;
  EXPECT_STATUS(FLAKE_OK, open_status(config));
}

TEST(Config, InitRefusesAnotherSizeThanTheLibrarysAndWritesNothing) {
  flake_config config;
  std::memset(&config, 0x5a, sizeof config);
  const flake_config before = config;
  for (size_t size : {size_t{0}, size_t{4}, sizeof config - 8, sizeof config - 1, sizeof config + 1,
                      sizeof config + 8, std::numeric_limits<size_t>::max()})
    EXPECT_STATUS(FLAKE_E_NOT_SUPPORTED, flake_config_init(&config, size)) << size;
  EXPECT_EQ(std::memcmp(&config, &before, sizeof config), 0);
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_config_init(nullptr, sizeof config));
}

TEST(Config, OneThatWasNotInitialisedIsRefused) {
  flake_config config = make_config();
  for (uint32_t size : {uint32_t{0}, uint32_t{4}, static_cast<uint32_t>(sizeof config - 8)}) {
    config.size = size;
    expect_refused(FLAKE_E_INVALID_ARGUMENT, config,
                   {"size", std::to_string(size), "flake_config_init"});
  }
  config = flake_config{};
  expect_refused(FLAKE_E_INVALID_ARGUMENT, config, {"size", "0", "flake_config_init"});
}

TEST(Config, OneOfALargerLibraryIsNotSupported) {
  flake_config config = make_config();
  for (uint32_t size : {static_cast<uint32_t>(sizeof config + 8), UINT32_MAX}) {
    config.size = size;
    EXPECT_STATUS(FLAKE_E_NOT_SUPPORTED, open_status(config));
  }
}

TEST(Config, ANullPointerIsAnInvalidArgument) {
  const flake_config config = make_config();
  flake_generator *gen = nullptr;
  char text[FLAKE_EXPLAIN_SIZE];
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_open(nullptr, nullptr, &gen));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_open(&config, nullptr, nullptr));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT,
                flake_explain(nullptr, FLAKE_E_NO_NODE, text, sizeof text));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT,
                flake_explain(&config, FLAKE_E_NO_NODE, nullptr, sizeof text));
}

TEST(Config, OfARefusedOpeningTheHandleIsUntouched) {
  flake_config config = make_config();
  config.max_wait_ms = -1;
  char byte;
  flake_generator *const before = reinterpret_cast<flake_generator *>(&byte);
  flake_generator *gen = before;
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_open(&config, nullptr, &gen));
  EXPECT_EQ(gen, before);
}

// ---- numbers ------------------------------------------------------------------------------------

struct Number {
  const char *name;
  int64_t flake_config::*field;
  int64_t max;
  bool may_be_unset;
};

const Number kNumbers[] = {
    {"max_wait_ms", &flake_config::max_wait_ms, kDayMs, false},
    {"max_lead_ms", &flake_config::max_lead_ms, kDayMs, true},
    {"start_floor_ms", &flake_config::start_floor_ms, kClockEndMs, true},
    {"ceiling_ms", &flake_config::ceiling_ms, kClockEndMs, true},
    {"seq_spread_bits", &flake_config::seq_spread_bits, 12, false},
};

TEST(Config, ANumberOutsideItsRangeIsRefusedByNameValueAndRange) {
  for (const Number &number : kNumbers) {
    SCOPED_TRACE(number.name);
    flake_config config = make_config();
    std::vector<int64_t> outside = {-1,
                                    number.max + 1,
                                    kLowest,
                                    kLowest + 2,
                                    kHighest,
                                    -(int64_t{1} << 32),
                                    (int64_t{1} << 32) - kHighest};
    if (!number.may_be_unset) outside.push_back(FLAKE_UNSET);
    for (int64_t value : outside) {
      config.*number.field = value;
      expect_refused(FLAKE_E_INVALID_ARGUMENT, config,
                     {string(number.name) + " is " + std::to_string(value) + ";",
                      "0.." + std::to_string(number.max)});
    }
  }
}

TEST(Config, ANumberAtTheEdgesOfItsRangeIsNotRefused) {
  for (const Number &number : kNumbers) {
    SCOPED_TRACE(number.name);
    std::vector<int64_t> inside = {0, 1, number.max - 1, number.max};
    if (number.may_be_unset) inside.push_back(FLAKE_UNSET);
    for (int64_t value : inside) {
      flake_config config = make_config();
      config.*number.field = value;
      // A floor or ceiling in range may still leave nothing to issue: not the config's fault.
      EXPECT_NE(open_status(config), FLAKE_E_INVALID_ARGUMENT) << value;
    }
  }
}

TEST(Config, AFloorAtOrBeforeTheEpochIsNone) {
  for (int64_t floor_ms : {int64_t{0}, kNowMs - 11, kNowMs - 10, kNowMs - 9}) {
    flake_config config = make_config("41/10/12@" + std::to_string(kNowMs - 10));
    config.start_floor_ms = floor_ms;
    Clock clock;
    Generator gen(config, clock);
    ASSERT_STATUS(FLAKE_OK, gen.status()) << floor_ms;
    EXPECT_EQ(flake_test::decode(config.layout, gen.next()).unix_ms, kNowMs + 1) << floor_ms;
  }
}

TEST(Config, AFloorAfterTheTimeFieldLeavesNothing) {
  for (const char *text : {"41/10/12", "31/0/32*1s", "30/0/32*1s"}) {
    flake_config config = make_config(text, 0);
    const int64_t wraps_ms = config.layout.epoch_ms + (int64_t{1} << 32) * 1000 + kDayMs * 365;
    for (int64_t floor_ms : {flake_layout_expires_ms(&config.layout), wraps_ms, kClockEndMs}) {
      config.start_floor_ms = floor_ms;
      EXPECT_STATUS(FLAKE_E_TIME_USED_UP, open_status(config)) << text << ' ' << floor_ms;
    }
  }
}

TEST(Config, ACeilingThatLeavesNoTickIsReachedAtOnce) {
  const int64_t epoch_ms = kNowMs - 10;
  for (int64_t ceiling_ms :
       {int64_t{0}, epoch_ms - 1, epoch_ms, epoch_ms + 1, kNowMs, kNowMs + 1}) {
    flake_config config = make_config("41/10/12@" + std::to_string(epoch_ms));
    config.ceiling_ms = ceiling_ms;
    EXPECT_STATUS(FLAKE_E_CEILING_REACHED, open_status(config)) << ceiling_ms;
    config.ceiling_ms = kNowMs + 2;
    EXPECT_STATUS(FLAKE_OK, open_status(config));
  }
}

TEST(Config, EveryBitOfALayoutOf63BitsIsUsed) {  // S28, S36
  for (const char *text : {"41/10/12", "t41s12n10", "39/10/14", "js53"}) {
    flake_config config = make_config(text);
    config.node = (int64_t{1} << config.layout.node_bits) - 1;
    const int64_t last_ms = flake_layout_expires_ms(&config.layout) - 1;
    Clock clock((last_ms - 1) * flake_test::kNsPerMs);  // so that its first tick is the last one
    Generator gen(config, clock);
    ASSERT_STATUS(FLAKE_OK, gen.status()) << text;
    int64_t id = 0;
    for (int64_t i = 0; i < int64_t{1} << config.layout.seq_bits; i++) id = gen.next();
    const uint32_t bits =
        config.layout.time_bits + config.layout.node_bits + config.layout.seq_bits;
    EXPECT_EQ(id, kHighest >> (63 - bits)) << text;
    EXPECT_STATUS(FLAKE_E_TIME_USED_UP, gen.next()) << text;
  }
}

TEST(Config, WaitLeadAndSpreadOpenAtTheirEdges) {
  for (int64_t wait_ms : {int64_t{0}, kDayMs})
    for (int64_t lead_ms : {int64_t{0}, kDayMs})
      for (int64_t spread_bits : {0, 12}) {
        flake_config config = make_config();
        config.mode = FLAKE_MODE_MONOTONIC;
        config.max_wait_ms = wait_ms;
        config.max_lead_ms = lead_ms;
        config.seq_spread_bits = spread_bits;
        EXPECT_STATUS(FLAKE_OK, open_status(config));
      }
}

TEST(Config, TheSpreadIsBoundedByTheSequenceOfItsLayout) {
  for (const char *text : {"41/10/12", "41/10/0", "41/5/1", "31/0/32*1s"}) {
    flake_config config = make_config(text, 0);
    const int64_t seq_bits = config.layout.seq_bits;
    config.seq_spread_bits = seq_bits;
    EXPECT_STATUS(FLAKE_OK, open_status(config)) << text;
    config.seq_spread_bits = seq_bits + 1;
    expect_refused(
        FLAKE_E_INVALID_ARGUMENT, config,
        {"seq_spread_bits is " + std::to_string(seq_bits + 1), "0.." + std::to_string(seq_bits)});
  }
}

// ---- node ---------------------------------------------------------------------------------------

TEST(Config, NoNodeIsAnErrorThatNamesTheWayToGetOne) {  // S7
  flake_config config = make_config();
  config.node = FLAKE_UNSET;
  expect_refused(FLAKE_E_NO_NODE, config, {"no node", "no default", config.space, "0..1023"});
  config.layout = parse("js53");
  expect_refused(FLAKE_E_NO_NODE, config, {"0..31"});
  config.mode = FLAKE_MODE_MONOTONIC;
  config.max_lead_ms = 5;
  expect_refused(FLAKE_E_NO_NODE, config, {"0..31"});
}

TEST(Config, ANodeThatDoesNotFitIsRefusedAndNeverMasked) {  // S3, S31
  for (int64_t node : {int64_t{1024}, int64_t{1025}, int64_t{-1}, int64_t{65536}, int64_t{70000},
                       int64_t{1221865536}, int64_t{1} << 31, int64_t{1} << 32,
                       (int64_t{1} << 32) + 7, (int64_t{1} << 53) + 1, kLowest, kHighest}) {
    flake_config config = make_config("41/10/12", node);
    expect_refused(FLAKE_E_NODE_OUT_OF_RANGE, config,
                   {"node " + std::to_string(node) + " ", "t41n10s12@1735689600000", "0..1023"});
  }
}

TEST(Config, EveryNodeThatFitsIsTheNodeOfTheIds) {  // S31
  struct Case {
    const char *layout;
    std::vector<int64_t> nodes;
  };
  const Case cases[] = {{"41/10/12", {0, 1, 16, 1022, 1023}},
                        {"39/16/8", {0, 1, 255, 256, 65535}},
                        {"31/32/0*1s", {0, 1, 4294967295}},
                        {"41/1/1", {0, 1}},
                        {"t41s12n10", {0, 1, 1023}}};
  for (const Case &some : cases)
    for (int64_t node : some.nodes) {
      Clock clock;
      Generator gen(make_config(some.layout, node), clock);
      ASSERT_STATUS(FLAKE_OK, gen.status()) << some.layout << ' ' << node;
      EXPECT_EQ(flake_test::decode(parse(some.layout), gen.next()).node, node) << some.layout;
    }
}

TEST(Config, EveryNodeFieldRefusesTheNodeAboveItsLargest) {
  for (uint32_t bits = 1; bits <= 20; bits++) {
    const string layout = "40/" + std::to_string(bits) + "/1";
    const int64_t max = (int64_t{1} << bits) - 1;
    EXPECT_STATUS(FLAKE_OK, open_status(make_config(layout, max))) << layout;
    expect_refused(FLAKE_E_NODE_OUT_OF_RANGE, make_config(layout, max + 1),
                   {"node " + std::to_string(max + 1) + " ", "0.." + std::to_string(max)});
    expect_refused(FLAKE_E_NODE_OUT_OF_RANGE, make_config(layout, -1), {"node -1 "});
  }
}

TEST(Config, ALayoutWithoutNodeFieldRefusesANode) {
  for (int64_t node : {int64_t{1}, int64_t{-1}, kHighest})
    expect_refused(FLAKE_E_NODE_OUT_OF_RANGE, make_config("41/0/12", node),
                   {"t41s12@1735689600000", "no node field", "node " + std::to_string(node) + " "});
}

TEST(Config, ALayoutWithoutNodeFieldNeedsNoNode) {
  flake_config config = make_config("41/0/12", FLAKE_UNSET);
  Clock clock;
  Generator unset(config, clock);
  ASSERT_STATUS(FLAKE_OK, unset.status());
  EXPECT_EQ(flake_test::decode(config.layout, unset.next()).node, 0);
  config.node = 0;  // the same generator
  Generator zero(config, clock);
  ASSERT_STATUS(FLAKE_OK, zero.status());
  EXPECT_EQ(static_cast<flake_generator *>(zero), static_cast<flake_generator *>(unset));
}

// ---- mode, clock source, guard ------------------------------------------------------------------

TEST(Config, AnUnknownModeClockSourceOrGuardIsRefusedByName) {
  for (uint32_t value : {2u, 3u, 256u, 0x80000000u, UINT32_MAX}) {
    flake_config config = make_config();
    config.mode = value;
    expect_refused(FLAKE_E_INVALID_ARGUMENT, config,
                   {"mode is " + std::to_string(value), "0 or 1"});
    config = make_config();
    config.clock_source = value;
    expect_refused(FLAKE_E_INVALID_ARGUMENT, config,
                   {"clock_source " + std::to_string(value), "0 or 1"});
    config = make_config();
    config.host_guard = value;
    expect_refused(FLAKE_E_INVALID_ARGUMENT, config,
                   {"host_guard " + std::to_string(value), "0 or 1"});
  }
}

TEST(Config, MonotonicModeNeedsALeadOrAFloor) {
  flake_config config = make_config();
  config.mode = FLAKE_MODE_MONOTONIC;
  expect_refused(FLAKE_E_INVALID_ARGUMENT, config,
                 {"monotonic", "max_lead_ms", "start_floor_ms", "restart"});
  config.max_lead_ms = 0;
  EXPECT_STATUS(FLAKE_OK, open_status(config));
  config.max_lead_ms = FLAKE_UNSET;
  config.start_floor_ms = 0;
  EXPECT_STATUS(FLAKE_OK, open_status(config));
  config = make_config();  // strict mode needs neither
  EXPECT_STATUS(FLAKE_OK, open_status(config));
}

TEST(Config, BothClockSourcesOpen) {
  for (uint32_t source : {FLAKE_CLOCK_PRECISE, FLAKE_CLOCK_COARSE}) {
    flake_config config = make_config();
    config.clock_source = source;
    config.host_guard = FLAKE_GUARD_UNSAFE_OFF;  // no lock file: the other tests have those
    Generator gen(config);
    ASSERT_STATUS(FLAKE_OK, gen.status());
    EXPECT_ID(gen.next());
  }
}

// ---- space --------------------------------------------------------------------------------------

TEST(Config, ASpaceIs1To63OfTheAllowedBytes) {
  for (const string &space :
       {string("a"), string("Z"), string("0"), string("-"), string("_"), string("a.b"),
        string("-.-"), string("my_space-1.2"), string(63, 'x'), string("ABCXYZabcxyz0189._-")}) {
    flake_config config = make_config();
    flake_test::set_space(config, space);
    EXPECT_STATUS(FLAKE_OK, open_status(config)) << space;
  }
}

TEST(Config, AnyOtherSpaceIsRefusedAndShown) {
  std::vector<string> spaces = {"", ".", "..", ".hidden", "a b", "a/b", "../x", "a\nb", "\xc3\xa9"};
  for (int byte = 1; byte < 256; byte++) {
    const char c = static_cast<char>(byte);
    const bool allowed = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                         (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (!allowed) spaces.push_back(string("a") + c);
  }
  for (const string &space : spaces) {
    flake_config config = make_config();
    flake_test::set_space(config, space);
    expect_refused(FLAKE_E_INVALID_ARGUMENT, config, {"space \"" + space + "\"", "1 to 63"});
  }
}

TEST(Config, ASpaceWithoutNulIsRefusedAndNotReadBeyondItsEnd) {
  flake_config config = make_config();
  std::memset(config.space, 'x', sizeof config.space);
  expect_refused(FLAKE_E_INVALID_ARGUMENT, config,
                 {"space \"" + string(sizeof config.space - 1, 'x'), "1 to 63"});
}

TEST(Config, WhatFollowsTheNulOfASpaceMakesNoDifference) {
  flake_config config = make_config();
  Clock clock;
  Generator one(config, clock);
  config.space[std::strlen(config.space) + 1] = 'x';
  config.space[FLAKE_SPACE_SIZE - 1] = 'y';
  Generator two(config, clock);
  ASSERT_STATUS(FLAKE_OK, two.status());
  EXPECT_EQ(static_cast<flake_generator *>(one), static_cast<flake_generator *>(two));
}

// ---- the sentence -------------------------------------------------------------------------------

// The config with the longest values everywhere.
flake_config longest_config() {
  flake_config config = make_config("t30n10s10*9999ms@4102444800000", kLowest);
  config.mode = config.clock_source = config.host_guard = UINT32_MAX;
  config.max_wait_ms = config.max_lead_ms = config.start_floor_ms = config.ceiling_ms =
      config.seq_spread_bits = kLowest;
  flake_test::set_space(config, string(FLAKE_SPACE_SIZE - 1, 'x'));
  return config;
}

TEST(Explain, EverySentenceFitsWithTheLongestValues) {
  for (int64_t status = FLAKE_OK; status >= FLAKE_STATUS_END; status--) {
    flake_config config = longest_config();
    EXPECT_FALSE(explain(config, status).empty()) << flake_status_name(status);
    config.layout = flake_layout{};  // no layout at all
    config.layout.node_bits = config.layout.time_bits = UINT32_MAX;
    EXPECT_FALSE(explain(config, status).empty()) << flake_status_name(status);
  }
  // Each of the sentences that an invalid argument can have.
  const std::function<void(flake_config &)> changes[] = {
      [](auto &c) { c.max_wait_ms = 0; },
      [](auto &c) { c.max_lead_ms = 0; },
      [](auto &c) { c.start_floor_ms = 0; },
      [](auto &c) { c.ceiling_ms = 0; },
      [](auto &c) { c.seq_spread_bits = 0; },
      [](auto &c) { c.mode = c.clock_source = c.host_guard = 0; },
      [](auto &c) {
        c.mode = FLAKE_MODE_MONOTONIC, c.max_lead_ms = c.start_floor_ms = FLAKE_UNSET;
      },
  };
  flake_config config = longest_config();
  for (const auto &change : changes) {
    change(config);
    EXPECT_FALSE(explain(config, FLAKE_E_INVALID_ARGUMENT).empty());
  }
}

TEST(Explain, ASpaceWithoutNulIsReadToItsEndOnly) {
  flake_config config = longest_config();
  std::memset(config.space, 'x', sizeof config.space);
  for (int64_t status = FLAKE_OK; status >= FLAKE_STATUS_END; status--)
    EXPECT_EQ(explain(config, status).find(string(sizeof config.space + 1, 'x')), string::npos);
}

TEST(Explain, OfAConfigThatIsTooShortReadsItsSizeOnly) {
  std::unique_ptr<uint32_t[]> memory(new uint32_t[2]{8, 0});  // a byte read beyond it is a fault
  const auto *config = reinterpret_cast<const flake_config *>(memory.get());
  flake_generator *gen = nullptr;
  char text[FLAKE_EXPLAIN_SIZE] = "";
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_open(config, nullptr, &gen));
  EXPECT_GT(flake_explain(config, FLAKE_E_INVALID_ARGUMENT, text, sizeof text), 0);
  EXPECT_NE(string(text).find("size 8;"), string::npos) << text;
}

TEST(Explain, OfASizeThatIsWrongSpeaksOfTheSizeWhateverElseIsWrong) {
  flake_config config = longest_config();
  config.size = 7;
  expect_refused(FLAKE_E_INVALID_ARGUMENT, config, {"size 7;", "flake_config_init"});
  config = make_config();
  config.size = UINT32_MAX;
  expect_refused(FLAKE_E_NOT_SUPPORTED, config, {"size 4294967295", "flake_config_init"});
}

TEST(Explain, OfAStatusThatTheConfigHasNoPartInIsTheText) {
  const flake_config config = make_config();
  flake_config short_config = config;
  short_config.size = 7;
  for (int64_t status :
       {int64_t{FLAKE_OK}, int64_t{42}, kHighest, int64_t{FLAKE_E_EXHAUSTED},
        int64_t{FLAKE_E_CLOCK_REWOUND}, int64_t{FLAKE_E_FORKED}, int64_t{FLAKE_E_OUT_OF_MEMORY},
        int64_t{FLAKE_E_NO_ENTROPY}, int64_t{FLAKE_E_CLOSED}, int64_t{FLAKE_STATUS_END},
        int64_t{-1000}, kLowest})
    for (const flake_config &any : {config, short_config})
      EXPECT_EQ(explain(any, status), flake_status_text(status)) << status;
}

TEST(Explain, ATextSizeThatIsTooSmallIsRefusedAndNothingIsWritten) {
  const flake_config config = make_config("41/10/12", 5000);
  char text[FLAKE_EXPLAIN_SIZE + 1];
  for (size_t size : {size_t{0}, size_t{1}, size_t{FLAKE_EXPLAIN_SIZE} - 1}) {
    std::memset(text, '~', sizeof text);
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT,
                  flake_explain(&config, FLAKE_E_NODE_OUT_OF_RANGE, text, size));
    EXPECT_EQ(std::count(text, text + sizeof text, '~'), static_cast<int>(sizeof text));
  }
  EXPECT_GT(flake_explain(&config, FLAKE_E_NODE_OUT_OF_RANGE, text, FLAKE_EXPLAIN_SIZE), 0);
  EXPECT_EQ(text[FLAKE_EXPLAIN_SIZE], '~');
}

TEST(Explain, OfABadLayoutSaysHowToWriteOne) {
  flake_config config = make_config();
  config.layout.time_shift = 23;
  expect_refused(FLAKE_E_BAD_LAYOUT, config, {"41/10/12"});
}

TEST(Explain, OfALayoutThatOnlyDecodesShowsItAndSaysWhatGenerates) {
  expect_refused(FLAKE_E_NOT_SUPPORTED, make_config("discord"),
                 {"t42n10s12@1420070400000", "64 bits", "only decodes", "highest", "at most 63"});
  expect_refused(FLAKE_E_NOT_SUPPORTED, make_config("n10t41s12"), {"n10t41s12@1735689600000"});
  expect_refused(FLAKE_E_NOT_SUPPORTED, make_config("44/10/9"), {"t44n10s9@", "at most 43 bits"});
}

TEST(Explain, OfAnEpochInTheFutureShowsIt) {  // S30
  const int64_t epoch_ms = kNowMs + 3600000;
  expect_refused(
      FLAKE_E_BEFORE_EPOCH, make_config("41/10/12@" + std::to_string(epoch_ms)),
      {"t41n10s12@" + std::to_string(epoch_ms), "Unix ms " + std::to_string(epoch_ms), "epoch"});
}

TEST(Explain, OfATimeFieldThatHasEndedShowsWhen) {  // S28
  const flake_config config = make_config("30/10/10@" + std::to_string(kNowMs - (1 << 30)));
  expect_refused(FLAKE_E_TIME_USED_UP, config, {"t30n10s10@", "ended", std::to_string(kNowMs)});
}

TEST(Explain, OfAnotherLayoutInOneSpaceShowsBoth) {  // S32
  Clock clock;
  flake_config config = make_config();
  Generator first(config, clock);
  ASSERT_STATUS(FLAKE_OK, first.status());
  for (const char *other :
       {"42/8/13", "t41s12n10", "41/10/12@1735689600001", "41/10/12*2ms", "twitter"}) {
    flake_config second = config;
    second.layout = parse(other);
    for (int64_t node : {1, 2}) {
      second.node = node;
      char text[FLAKE_LAYOUT_TEXT_SIZE];
      ASSERT_GT(flake_layout_format(&second.layout, text, sizeof text), 0);
      expect_refused(FLAKE_E_LAYOUT_DIFFERS, second,
                     {string("\"") + config.space + "\"", "with layout t41n10s12@1735689600000,",
                      string("not ") + text});
    }
    flake_test::set_space(second, flake_test::fresh_space());
    EXPECT_STATUS(FLAKE_OK, open_status(second)) << "another space, another layout";
  }
}

TEST(Explain, OfANodeInUseShowsNodeAndSpace) {
  Clock clock;
  flake_config config = make_config("41/10/12", 9);
  Generator first(config, clock);
  ASSERT_STATUS(FLAKE_OK, first.status());
  config.max_wait_ms = 5;
  expect_refused(FLAKE_E_NODE_IN_USE, config, {"node 9 ", config.space, "other options"});
}

}  // namespace
