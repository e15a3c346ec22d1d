// SPDX-License-Identifier: MIT
// flake plan: what a fleet needs, by hand-made sums and by a second calculation.
#include <cmath>
#include <random>

#include "command.h"

namespace {

const Words kFrom = {"--from", "2026-12-01T00:00:00Z"};

Outcome plan(const string &nodes, const string &rate, const string &burst, const string &years,
             Words more = {}) {
  Words all = {"plan", "--nodes", nodes, "--rate", rate, "--burst", burst, "--years", years};
  all.insert(all.end(), kFrom.begin(), kFrom.end());
  all.insert(all.end(), more.begin(), more.end());
  return flake(all);
}

// The row of a layout, its columns apart; empty when it is not there.
Words row_of(const Outcome &outcome, const string &layout) {
  for (const string &line : lines(outcome.out))
    if (starts(line, layout + " ")) return split(line);
  return {};
}

// What follows "key": in a JSON text, up to the next comma or bracket.
string value_of(const string &json, const string &key) {
  size_t at = json.find("\"" + key + "\":");
  if (at == string::npos) return "(none)";
  at += key.size() + 3;
  return json.substr(at, json.find_first_of(",]}", at) - at);
}

TEST(Plan, AHundredThousandIdsInOneMsNeedTwentyFiveNodes) {
  Outcome outcome = plan("200", "100000", "100000", "20");
  EXPECT_EQ(0, outcome.status);
  EXPECT_EQ("", outcome.err);
  EXPECT_EQ(
      (Words{"41/10/12", "1,024", "512", "4,096", "8.1", "25", "0", "24", "2094-09-07", "yes"}),
      row_of(outcome, "41/10/12"));
  EXPECT_EQ((Words{"42/8/13", "256", "128", "8,192", "16.3", "13", "0", "12", "2164-05-15",
                   "no:", "deploy"}),
            row_of(outcome, "42/8/13"));
  EXPECT_EQ("yes", row_of(outcome, "41/12/10").at(9));
  EXPECT_EQ("time", row_of(outcome, "39/10/14").at(10));
  for (const string part :
       {"\nUse 41/10/12.\n", "4,096 a node: 25 nodes take it without a stall",
        "fewer stall: 24 for 1 ms, 12 for 2 ms, 1 for 24 ms", "819,200 IDs in a ms",
        "keep to 512, half of the numbers", "ends 2094-09-07, 47 years after",
        "63,113,904,000,000 IDs in 20 years; 2^63 is 146,138 times as many"})
    EXPECT_PRED2(contains, outcome.out, part);
}

TEST(Plan, WhereNoNamedLayoutServesAFreeSplitIsFound) {
  Outcome outcome = plan("3000", "1000", "100", "30");
  EXPECT_PRED2(contains, outcome.out, "\nUse 41/13/9.\n");
  EXPECT_EQ("8,192", row_of(outcome, "41/13/9").at(1));
  EXPECT_EQ("deploy", row_of(outcome, "41/12/10").at(10));
  EXPECT_PRED2(contains, plan("5", "1", "1", "100").out, "\nUse 42/8/13.\n");
  EXPECT_PRED2(contains, plan("300", "1", "4000000", "10").out, "\nUse 39/10/14.\n");
  EXPECT_PRED2(contains, plan("2", "1", "1000000", "20").out, "\nUse 41/2/20.\n");
  EXPECT_PRED2(contains, plan("1", "1", "1", "200").out, "\nUse 43/1/19.\n");
}

TEST(Plan, AFleetThatIsTooBigIsSentToUuids) {
  for (const Outcome &outcome :
       {plan("10000000", "1000", "100", "30"), plan("1000000000", "1", "1", "1"),
        plan("1", "1", "1", "1000"), plan("1", "1", "1000000000000", "1")}) {
    EXPECT_EQ(0, outcome.status) << outcome.err;
    EXPECT_PRED2(contains, outcome.out, "\nUse UUIDv7: ");
  }
}

TEST(Plan, TheLargestNumbersDoNotOverflow) {
  Outcome outcome = plan("1000000000", "1000000000000000", "1000000000000", "1000");
  EXPECT_EQ(0, outcome.status) << outcome.err;
  EXPECT_PRED2(contains, outcome.out, "more than 2^63 IDs");
  Outcome json = plan("1000000000", "1000000000000000", "1000000000000", "1000", {"--json"});
  EXPECT_EQ("null", value_of(json.out, "total_ids"));
  EXPECT_EQ("\"uuidv7\"", value_of(json.out, "use"));
}

TEST(Plan, ALayoutOfOnesOwnIsLookedAtToo) {
  Outcome outcome = plan("10", "1000", "100", "20", {"--layout", "sonyflake"});
  Words row = row_of(outcome, "t39s8n16*10ms@1735689600000");
  ASSERT_EQ(10u, row.size()) << outcome.out;
  EXPECT_EQ("65,536", row[1]);
  EXPECT_EQ("256", row[3]);
  EXPECT_EQ("25.6", row[4]);
  Outcome slow = plan("1", "100000", "100", "20", {"--layout", "sonyflake"});
  EXPECT_PRED2(contains, slow.out, "no: rate");
  expect_refused(2, plan("1", "1", "1", "1", {"--layout", "discord"}), "a layout that generates");
}

TEST(Plan, TheEpochMovesTheEnd) {
  Outcome outcome = plan("1", "1", "1", "1", {"--epoch", "2010-11-04T01:42:54.657Z"});
  EXPECT_EQ("2080-07-10", row_of(outcome, "41/10/12").at(8));
  expect_refused(2, plan("1", "1", "1", "1", {"--epoch", "2026-12-01T00:00:00.001Z"}),
                 "is after 2026-12-01T00:00:00Z");
}

TEST(Plan, WrongNumbersAreRefused) {
  expect_refused(2, plan("0", "1", "1", "1"), "--nodes '0' must be 1 to 1000000000");
  expect_refused(2, plan("-5", "1", "1", "1"), "--nodes '-5' must be 1 to");
  expect_refused(2, plan("1", "1", "1", "1001"), "--years '1001' must be 1 to 1000");
  expect_refused(2, plan("1e3", "1", "1", "1"), "--nodes '1e3' is not a whole number");
  expect_refused(2, plan("1", "1000000000000001", "1", "1"), "--rate '1000000000000001' must be");
  expect_refused(2, plan("1", "100000", "99", "1"),
                 "--burst 99 is below the mean: 100000 IDs a second are 100 in a ms");
  expect_refused(2, plan("1", "1", "1", "1", {"--from", "2026-12-01"}), "is not a time");
}

// Each row again, in floating point.
TEST(Plan, EveryRowOfEveryFleetIsRight) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 60; i++) {
    auto nodes = static_cast<double>(1 + random() % (uint64_t{1} << (random() % 14 + 1)));
    auto burst = static_cast<double>(1 + random() % (uint64_t{1} << (random() % 24 + 1)));
    auto text = [](double n) { return std::to_string(static_cast<int64_t>(n)); };
    Outcome outcome = plan(text(nodes), "1", text(burst), "10", {"--json"});
    string rest = outcome.out.substr(outcome.out.find("\"layouts\":"));
    for (size_t at; (at = rest.find("{\"layout\"")) != string::npos;) {
      rest = rest.substr(at + 1);
      flake_layout layout = flake_test::parse([&] {
        string quoted = value_of(rest, "layout");
        return quoted.substr(1, quoted.size() - 2);
      }());
      double ids = std::exp2(layout.seq_bits), numbers = std::exp2(layout.node_bits);
      double stall = std::ceil(burst / (nodes * ids)) - 1;
      EXPECT_EQ(text(std::ceil(burst / ids)), value_of(rest, "burst_nodes"));
      EXPECT_EQ(text(stall), value_of(rest, "stall_ms"));
      EXPECT_EQ(text(std::ceil(burst / ids) - 1), value_of(rest, "stall_alone_ms"));
      EXPECT_EQ(text(numbers / 2), value_of(rest, "safe_nodes"));
      EXPECT_NEAR(nodes * ids / burst, std::stod(value_of(rest, "head_room")), 0.1001);
      bool serves = nodes * 2 <= numbers && stall == 0;
      EXPECT_EQ(serves ? "true" : "false", value_of(rest, "serves")) << outcome.out;
    }
  }
}

TEST(Plan, TheOutputIsTheSameInEveryLocaleAndTimeZone) {
  Words words = {"plan", "--nodes", "2", "--rate", "9", "--burst", "9", "--years", "9"};
  words.insert(words.end(), kFrom.begin(), kFrom.end());
  string expected = flake(words).out;
  for (const string variable : {"LC_ALL=de_DE.UTF-8", "TZ=Asia/Shanghai"})
    expect_done(flake(words, "", {variable}), expected);
}

}  // namespace
