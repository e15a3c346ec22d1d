// SPDX-License-Identifier: MIT
// flake bounds and flake check-migration: time ranges and switches of layout, against every ID of
// small layouts.
#include <algorithm>
#include <cstdio>
#include <random>

#include "command.h"

namespace {

using flake_test::parse;

// ---- flake bounds -------------------------------------------------------------------------------

TEST(Bounds, ARangeIsPrintedAsTheSmallestAndTheLargestId) {
  expect_done(flake({"bounds", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"}),
              "132271570944000000 143505594777599999\n");
  expect_done(flake({"bounds", "1767225600000", "1769904000000"}),
              "132271570944000000 143505594777599999\n");
  expect_done(flake({"bounds", "2026-01-01T08:00:00+08:00", "2026-01-31T16:00-08:00"}),
              "132271570944000000 143505594777599999\n");
  expect_done(flake({"bounds", "--layout", "discord", "--json", "2016-04-30T11:18:25.796Z",
                     "2016-04-30T11:18:25.797Z"}),
              "{\"min_id\":\"175928847298985984\",\"max_id\":\"175928847303180287\","
              "\"from\":\"2016-04-30T11:18:25.796Z\",\"until\":\"2016-04-30T11:18:25.797Z\","
              "\"layout\":\"t42n10s12@1420070400000\"}\n");
  expect_done(flake({"bounds", "--format", "hex", "1735689600000", "1735689600001"}),
              "0000000000000001 00000000003fffff\n");
}

// S34
TEST(Bounds, TheIdsOfTheEdgesLieInsideAndTheirNeighboursDoNot) {
  Words ids = split(flake({"bounds", "1767225600000", "1767225600001"}).out);
  ASSERT_EQ(2u, ids.size());
  flake_layout layout = parse("snowflake");
  EXPECT_EQ(1767225600000, flake_test::decode(layout, std::stoll(ids[0])).unix_ms);
  EXPECT_EQ(1767225600000, flake_test::decode(layout, std::stoll(ids[1])).unix_ms);
  EXPECT_EQ(1767225599999, flake_test::decode(layout, std::stoll(ids[0]) - 1).unix_ms);
  EXPECT_EQ(1767225600001, flake_test::decode(layout, std::stoll(ids[1]) + 1).unix_ms);
}

TEST(Bounds, ARangeThatIsNoneIsRefused) {
  const string epoch = "2025-01-01T00:00:00Z", later = "2026-01-01T00:00:00Z";
  const std::pair<Words, string> wrong[] = {
      {{later, epoch}, "FROM 2026-01-01T00:00:00Z is not before UNTIL 2025-01-01T00:00:00Z"},
      {{later, later}, "is not before UNTIL"},
      {{"2024-12-31T23:59:59.999Z", later}, "is before the epoch of the layout, " + epoch},
      {{later, "2095-01-01T00:00:00Z"}, "is after the end of the layout's time field, 2094-09-07"},
      {{"--layout", "s12n10t41", epoch, later}, "does not begin with the time"},
      {{"--layout", "41/10/12*10ms", "1735689600001", "1735689600002"}, "no tick of the layout"},
  };
  for (const auto &[words, part] : wrong) {
    Words all = {"bounds"};
    all.insert(all.end(), words.begin(), words.end());
    expect_refused(2, flake(all), part);
  }
}

TEST(Bounds, ATimeWithoutAZoneOrThatIsNoneIsRefused) {
  for (const string text : {"2026-01-01",
                            "2026-01-01T00:00:00",
                            "2026-01-01 00:00:00Z",
                            "2026-02-29T00:00:00Z",
                            "2026-13-01T00:00:00Z",
                            "2026-00-01T00:00:00Z",
                            "2026-01-32T00:00:00Z",
                            "2026-01-01T24:00:00Z",
                            "2026-01-01T23:60:00Z",
                            "2016-12-31T23:59:60Z",
                            "2026-01-01T00:00:00.1234Z",
                            "2026-01-01T00:00:00.Z",
                            "2026-01-01T00:00:00+8:00",
                            "2026-01-01T00:00:00+24:00",
                            "1969-12-31T23:59:59Z",
                            "1970-01-01T00:00:00+01:00",
                            "12026-01-01T00:00:00Z",
                            "2026-01-01t00:00:00z",
                            "now",
                            "",
                            " ",
                            "1767225600000.5",
                            "+5",
                            "253402300800000",
                            "99999999999999999999",
                            "2026-01-01T00:00:00Zx",
                            "01"})
    expect_refused(2, flake({"bounds", text, "2027-01-01T00:00:00Z"}), "is not a time; write ISO");
}

TEST(Bounds, EveryFormOfATimeIsRead) {
  const std::pair<string, string> times[] = {
      {"2024-02-29T12:00Z", "1709208000000"},
      {"2026-01-01T00:00:00.5Z", "1767225600500"},
      {"2026-01-01T00:00:00.05Z", "1767225600050"},
      {"2026-01-01T05:30:00.123+05:30", "1767225600123"},
      {"2025-12-31T20:30:00-03:30", "1767225600000"},
      {"2100-03-01T00:00:00Z", "4107542400000"},
      {"2000-02-29T23:59:59.999Z", "951868799999"},
  };
  for (const auto &[text, unix_ms] : times)
    EXPECT_EQ(flake({"bounds", "--layout", "mastodon", unix_ms, "9999999999999"}).out,
              flake({"bounds", "--layout", "mastodon", text, "9999999999999"}).out)
        << text;
}

// S39
TEST(Bounds, TheOutputIsTheSameInEveryTimeZone) {
  for (const string variable : {"TZ=Asia/Shanghai", "TZ=America/New_York", "LC_ALL=de_DE.UTF-8"})
    expect_done(flake({"bounds", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"}, "", {variable}),
                "132271570944000000 143505594777599999\n");
}

// ---- flake check-migration ----------------------------------------------------------------------

// S33
TEST(CheckMigration, TheSameLayoutIsSafe) {
  Outcome outcome = flake({"check-migration", "41/10/12", "41/10/12"});
  EXPECT_EQ(0, outcome.status);
  EXPECT_PRED2(contains, outcome.out, "\nSAFE at ");
  EXPECT_PRED2(contains, outcome.out, "and at any later time");
}

// S33
TEST(CheckMigration, ALaterEpochPutsNewIdsAmongTheOld) {
  Outcome outcome =
      flake({"check-migration", "twitter", "41/10/12", "--at", "2026-12-01T00:00:00Z"});
  EXPECT_EQ(1, outcome.status);
  EXPECT_EQ("", outcome.err);
  EXPECT_PRED2(contains, outcome.out, "\nNOT SAFE at 2026-12-01T00:00:00Z: ");
  EXPECT_PRED2(contains, outcome.out, "\nwithout a pause: never safe\n");
  EXPECT_PRED2(contains, outcome.out, "open NEW from 2041-01-27T22:17:05.343Z on\n");
  EXPECT_PRED2(contains, outcome.out, "t41n10s12@1288834974657 is safe at this time and at any");
  EXPECT_EQ(0, flake({"check-migration", "41/10/12", "twitter"}).status);
}

TEST(CheckMigration, WrongLayoutsAndTimesAreRefused) {
  expect_refused(2, flake({"check-migration", "x", "twitter"}), "OLD 'x': ");
  expect_refused(2, flake({"check-migration", "twitter", "x"}), "NEW 'x': ");
  expect_refused(2, flake({"check-migration", "twitter", "discord"}), "a layout that generates");
  expect_refused(2, flake({"check-migration", "twitter", "41/10/12", "--at", "1735689599999"}),
                 "NEW cannot begin at 2024-12-31T23:59:59.999Z");
  expect_refused(2, flake({"check-migration", "twitter", "41/10/12", "--at", "3999999999999"}),
                 "the time field of NEW has ended");
  expect_refused(2, flake({"check-migration", "twitter", "41/10/12", "--at", "soon"}),
                 "--at 'soon'");
}

TEST(CheckMigration, AnOldLayoutWithBit63IsPointedOut) {
  Outcome outcome =
      flake({"check-migration", "t42n10s12@0", "43/10/10@0", "--at", "2200000000000"});
  EXPECT_PRED2(contains, outcome.out, "OLD uses bit 63");
}

// All that a small layout can issue, by time: the start of its tick, then its smallest and largest.
struct Tick {
  int64_t start_ms;
  uint64_t min_id, max_id;
};

std::vector<Tick> ticks_of(const flake_layout &layout) {
  std::vector<Tick> ticks;
  for (uint64_t tick = 0; tick < uint64_t{1} << layout.time_bits; tick++) {
    Tick all = {layout.epoch_ms + static_cast<int64_t>(tick) * layout.tick_ms, UINT64_MAX, 0};
    for (uint64_t node = 0; node < uint64_t{1} << layout.node_bits; node++)
      for (uint64_t seq = 0; seq < uint64_t{1} << layout.seq_bits; seq++) {
        uint64_t id =
            tick << layout.time_shift | node << layout.node_shift | seq << layout.seq_shift;
        if (id == 0) continue;
        all.min_id = std::min(all.min_id, id);
        all.max_id = std::max(all.max_id, id);
      }
    ticks.push_back(all);
  }
  return ticks;
}

uint64_t largest_before(const std::vector<Tick> &ticks, int64_t ms) {
  uint64_t id = 0;
  for (const Tick &tick : ticks)
    if (tick.start_ms < ms) id = std::max(id, tick.max_id);
  return id;
}

uint64_t smallest_from(const std::vector<Tick> &ticks, int64_t ms) {
  uint64_t id = UINT64_MAX;
  for (const Tick &tick : ticks)
    if (tick.start_ms >= ms) id = std::min(id, tick.min_id);
  return id;
}

// "1970-01-01T00:00:00.123Z" of the first minutes, or null, as ms; -1 for null.
int64_t ms_of(const string &json, const string &key) {
  int minutes = 0, seconds = 0, ms = 0;
  size_t at = json.find("\"" + key + "\":");
  EXPECT_NE(string::npos, at) << json;
  const char *text = json.c_str() + at + key.size() + 3;
  if (*text == 'n') return -1;
  EXPECT_LE(2, sscanf(text, "\"1970-01-01T00:%d:%d.%d", &minutes, &seconds, &ms)) << json;
  return (minutes * 60 + seconds) * 1000 + ms;
}

struct Expected {
  bool safe;
  int64_t until = -1, from = -1, pause = -1;
};

Expected by_trying(const std::vector<Tick> &old, const std::vector<Tick> &now, int64_t at) {
  const int64_t end = now.back().start_ms;  // NEW can still be opened then
  auto safe = [&](int64_t ms) { return smallest_from(now, ms) > largest_before(old, ms); };
  Expected expected = {at <= end && safe(at)};
  for (int64_t ms = at; ms <= end; ms++) {
    if (expected.safe && expected.until < 0 && !safe(ms)) expected.until = ms;
    if (!safe(ms)) expected.from = -1;
    if (safe(ms) && expected.from < 0) expected.from = ms;
    if (expected.pause < 0 && smallest_from(now, ms) > largest_before(old, at)) expected.pause = ms;
  }
  if (expected.safe) expected.from = at;
  return expected;
}

TEST(CheckMigration, EveryAnswerOfSmallLayoutsIsWhatTryingEachMsSays) {
  std::mt19937_64 random(33);
  int answers[2] = {0, 0}, dates = 0;
  for (int i = 0; i < 700; i++) {
    auto some = [&](uint64_t most) { return std::to_string(random() % (most + 1)); };
    const char *orders[] = {"t%dn%ds%d", "t%ds%d", "t%d"};
    char old_text[64], new_text[64];
    const int bits = static_cast<int>(3 + random() % 4);
    snprintf(old_text, sizeof old_text, i % 5 == 0 ? "s%dt%dn%d" : orders[0], i % 5 == 0 ? 1 : bits,
             i % 5 == 0 ? bits : static_cast<int>(random() % 3), static_cast<int>(random() % 3));
    snprintf(new_text, sizeof new_text, "t%dn%ds%d", static_cast<int>(4 + random() % 4),
             static_cast<int>(random() % 3), static_cast<int>(random() % 3));
    const string old_layout =
        old_text + ("*" + std::to_string(1 + random() % 7)) + "ms@" + some(60);
    const string new_layout =
        new_text + ("*" + std::to_string(1 + random() % 7)) + "ms@" + some(60);
    flake_layout old = parse(old_layout), now = parse(new_layout);
    const int64_t span = flake_layout_expires_ms(&now) - now.epoch_ms;
    const int64_t at = now.epoch_ms + static_cast<int64_t>(random() % static_cast<uint64_t>(span));
    Outcome outcome =
        flake({"check-migration", old_layout, new_layout, "--json", "--at", std::to_string(at)});
    Expected expected = by_trying(ticks_of(old), ticks_of(now), at);
    ASSERT_EQ(expected.safe ? 0 : 1, outcome.status) << outcome.out;
    ASSERT_EQ(expected.until, ms_of(outcome.out, "safe_until")) << outcome.out;
    ASSERT_EQ(expected.from, ms_of(outcome.out, "safe_from")) << outcome.out;
    if (!expected.safe) {
      ASSERT_EQ(expected.pause, ms_of(outcome.out, "pause_until")) << outcome.out;
    }
    answers[expected.safe]++;
    dates += expected.until >= 0 || (!expected.safe && expected.from >= 0);
  }
  EXPECT_GT(answers[0], 100);
  EXPECT_GT(answers[1], 100);
  EXPECT_GT(dates, 50);
}

TEST(CheckMigration, TheEpochThatIsSuggestedIsSafe) {
  std::mt19937_64 random(34);
  for (int i = 0; i < 40; i++) {
    const string old_layout = i % 2 ? "twitter" : "sonyflake1";
    const string fields =
        (const char *[]){"42/8/13", "41/12/10", "40/10/13", "39/8/16*10ms"}[i % 4];
    const string at = std::to_string(1764547200000 + random() % 100000000000);
    Words words = {"check-migration", old_layout, fields, "--at", at};
    Outcome outcome = flake(words);
    if (outcome.status == 0) continue;
    size_t begin = outcome.out.find(":\n  t"), end = outcome.out.find(" is safe at this time");
    if (begin == string::npos) continue;
    words[2] = outcome.out.substr(begin + 4, end - begin - 4);
    EXPECT_EQ(0, flake(words).status) << outcome.out;
  }
}

}  // namespace
