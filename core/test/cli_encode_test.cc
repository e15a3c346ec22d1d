// SPDX-License-Identifier: MIT
// Text forms on the command line: flake next --format, flake encode, flake decode --format.
#include <chrono>

#include "command.h"

namespace {

const Words kFormats = {"dec", "hex", "base32", "base58", "base62"};
constexpr char kId[] = "175928847299117063";

TEST(Encode, AnIdIsWrittenInEachForm) {
  expect_done(flake({"encode", kId}), "04W86BB0G4007\n");
  const Words texts = {kId, "0271065ac1020007", "04W86BB0G4007", "1QgmVVkniES", "0Czks0tP37X"};
  for (size_t i = 0; i < kFormats.size(); i++) {
    expect_done(flake({"encode", "--format", kFormats[i], kId}), texts[i] + "\n");
    expect_done(flake({"encode", "--format", kFormats[i]}, string(kId) + "\r\n"), texts[i] + "\n");
    expect_done(flake({"encode", "--from", kFormats[i], "--format", "dec", texts[i]}),
                string(kId) + "\n");
  }
  expect_done(flake({"encode", "0x0271065ac1020007", "18446744073709551615"}),
              "04W86BB0G4007\nFZZZZZZZZZZZZ\n");
}

TEST(Encode, WhatEachFormWritesEachOtherFormReads) {
  for (const string &from : kFormats)
    for (const string &to : kFormats) {
      Outcome outcome = shell("\"$flake\" next --node 5 -n 300 --format " + from +
                              " | \"$flake\" encode --from " + from + " --format " + to +
                              " | \"$flake\" decode --format " + to);
      EXPECT_EQ(0, outcome.status);
      EXPECT_EQ("", outcome.err);
      Words all = lines(outcome.out);
      ASSERT_EQ(300u, all.size()) << from << to;
      for (const string &line : all) ASSERT_EQ("5", split(line)[3]) << line;
    }
}

// S40
TEST(Encode, FixedWidthFormsSortAsTheIdsDo) {
  for (const string &format : kFormats) {
    if (format == "dec") continue;
    Outcome outcome = shell(
        "export LC_ALL=C; { \"$flake\" next --node 1 -n 2000; seq 1 777 30000; } | sort -n |"
        " \"$flake\" encode --format " +
        format + " | sort -c");
    expect_done(outcome, "");
  }
}

TEST(Encode, WhatIsNoIdIsReportedAndLeftOut) {
  Outcome outcome = flake({"encode", "--format", "hex"}, "1\nabc\n\n0\n2\n18446744073709551616");
  EXPECT_EQ(1, outcome.status);
  EXPECT_EQ("0000000000000001\n0000000000000002\n", outcome.out);
  Words errors = lines(outcome.err);
  ASSERT_EQ(4u, errors.size()) << outcome.err;
  EXPECT_PRED2(contains, errors[0], "line 2: 'abc' is not an ID");
  EXPECT_PRED2(contains, errors[1], "line 3: blank");
  EXPECT_PRED2(contains, errors[2], "line 4: '0' is not an ID; 0 is never issued");
  EXPECT_PRED2(contains, errors[3], "line 6: '18446744073709551616' is not an ID; the largest");
}

TEST(Encode, AFormIsReadStrictly) {
  const std::pair<string, Words> wrong[] = {
      {"hex", {"1", "0271065ac102000", "0271065ac10200077", "0271065ac102000g"}},
      {"base32", {"04w86bb0g4007", "04W86BB0G400", "G000000000000", "O4W86BB0G4007", kId}},
      {"base58", {"0QgmVVkniES", "jpXCZedGfVR", "1QgmVVkniE", "zzzzzzzzzzz"}},
      {"base62", {"LygHa16AHYG", "0Czks0tP37", "0Czks0tP37-", "zzzzzzzzzzz"}}};
  for (const auto &[format, texts] : wrong)
    for (const string &text : texts) {
      expect_refused(1, flake({"encode", "--from", format, text}), "is not an ID; write it as");
      expect_refused(1, flake({"decode", "--format", format, text}), "is not an ID; write it as");
    }
  expect_refused(1, flake({"decode", "--format", "base58", "11111111111"}), "0 is never issued");
  expect_refused(2, flake({"encode", "--format", "base64", "1"}), "--format 'base64' is unknown");
  expect_refused(2, flake({"encode", "--from", "", "1"}), "--from '' is unknown");
}

TEST(Encode, TheOutputIsTheSameInEveryLocale) {
  for (const string variable : {"LC_ALL=de_DE.UTF-8", "LC_ALL=tr_TR.UTF-8", "LANG=ar_EG.UTF-8"})
    expect_done(flake({"encode", kId}, "", {variable}), "04W86BB0G4007\n");
}

// The figure is 1,000,000 lines a second; a loaded machine with sanitizers gets a tenth.
TEST(Decode, AMillionLinesAreReadFast) {
  using namespace std::chrono;
  string input;
  for (uint64_t id = 4194304; input.size() < 20000000; id += uint64_t{4194304} * 977)
    input += std::to_string(id) + "\n";
  size_t count = lines(input).size();
  auto begin = steady_clock::now();
  Outcome outcome = shell("cat > /dev/null", {});  // the machine's share of starting two programs
  outcome = flake({"decode"}, input);
  double seconds = duration<double>(steady_clock::now() - begin).count();
  EXPECT_EQ(0, outcome.status);
  EXPECT_EQ(count, lines(outcome.out).size());
  EXPECT_GT(static_cast<double>(count) / seconds, 100000) << count << " lines in " << seconds;
}

}  // namespace
