// SPDX-License-Identifier: MIT
// The command `flake`, run as people run it: arguments, pipes, files, wrong input, full disks,
// locales and time zones.
#include <sys/resource.h>

#include <chrono>
#include <ctime>
#include <random>

#include "command.h"

namespace {

using flake_test::parse;

constexpr char kDiscordId[] = "175928847299117063";
constexpr char kDiscordLine[] =
    "175928847299117063  2016-04-30T11:18:25.796Z  node 32  sequence 7\n";
constexpr char kTwitterId[] = "1541815603606036480";
constexpr char kTwitterLine[] =
    "1541815603606036480  2022-06-28T16:07:40.105Z  node 378  sequence 0\n";

int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

// An ID of the default layout, node 1, whose time is so far from now.
string id_at(int64_t offset_ms) {
  flake_layout layout = parse("snowflake");
  int64_t id = flake_compose(&layout, now_ms() + offset_ms, 1, 0);
  EXPECT_ID(id);
  return std::to_string(id);
}

// ---- the command as a whole ---------------------------------------------------------------------

TEST(Flake, HelpAndVersionAreResults) {
  expect_done(flake({"--version"}), "flake " + string(flake_version()) + "\n");
  Outcome help = flake({"--help"});
  expect_done(help, help.out);
  for (const char *part :
       {"Usage: flake ", "\n  next ", "\n  decode ", "\n  encode ", "\n  plan ", "\n  bounds ",
        "\n  check-migration ", "\n  doctor ", "\n  bench ", "--version"})
    EXPECT_PRED2(contains, help.out, part);
  expect_done(flake({"-h"}), help.out);
  expect_done(flake({"help"}), help.out);
  expect_done(flake({"help", "--help"}), help.out);
}

TEST(Flake, HelpOfACommandSaysOptionsDefaultsPresetsExamplesAndExitStatuses) {
  const std::pair<string, Words> commands[] = {
      {"next",
       {"-n, --count N", "--node CHAIN", "--layout", "--space", "--format", "--mode",
        "--max-wait-ms N", "--max-lead-ms N", "--start-floor-ms N", "--seq-spread-bits N",
        "(default 1100)", "random:FLEET"}},
      {"decode", {"--layout", "--format", "--json", "0x and 16 hexadecimal digits"}},
      {"plan", {"--nodes N", "--rate R", "--burst B", "--years Y", "--json", "head-room"}},
      {"bounds", {"--layout", "--format", "--json", "BETWEEN"}},
      {"check-migration", {"--at TIME", "--json"}},
      {"doctor", {"--watch", "--watch-seconds N", "--strict", "--root DIR", "--json"}},
      {"bench", {"--threads", "--seconds"}}};
  for (const auto &[command, parts] : commands) {
    Outcome help = flake({command, "--help"});
    expect_done(help, help.out);
    EXPECT_PRED2(starts, help.out, "Usage: flake " + command);
    for (const string &part : parts) EXPECT_PRED2(contains, help.out, part);
    for (int32_t i = 0; flake_layout_preset(i); i++)
      EXPECT_PRED2(contains, help.out, flake_layout_preset(i));
    EXPECT_PRED2(contains, help.out, "Examples:");
    EXPECT_PRED2(contains, help.out, "Exit status: 0 ");
    for (const string &line : lines(help.out)) EXPECT_LE(line.size(), 84u) << line;
    expect_done(flake({command, "-h"}), help.out);
    expect_done(flake({"help", command}), help.out);
  }
}

TEST(Flake, AnUnknownCommandOrOptionIsAUsageErrorThatSuggestsHelp) {
  const std::pair<Words, string> wrong[] = {
      {{}, "name a command"},
      {{""}, "there is no command ''"},
      {{"nxt"}, "there is no command 'nxt'"},
      {{"Next"}, "there is no command 'Next'"},
      {{"--frob"}, "there is no option '--frob'"},
      {{"help", "nxt"}, "there is no command 'nxt'"},
      {{"next", "--frob"}, "there is no option '--frob'"},
      {{"next", "--max", "5"}, "there is no option '--max'"},
      {{"next", "-x"}, "there is no option '-x'"},
      {{"next", "--node"}, "option '--node' needs a value"},
      {{"next", "--node", "1", "-n"}, "option '-n' needs a value"},
      {{"next", "--help=yes"}, "option '--help=yes' takes no value"},
      {{"next", "--node", "1", "5"}, "'5' is not an option; for several IDs write -n N"},
      {{"decode", "--json=yes", "1"}, "option '--json=yes' takes no value"},
      {{"decode", "--json", "-yx"}, "there is no option '-y'"},
      {{"decode", "-1"}, "there is no option '-1'"},
      {{"decode", "-\x1b[31m"}, "there is no option '-\\x1b'"},
      {{"encode", "--frob"}, "there is no option '--frob'"},
      {{"plan", "extra"}, "'extra' is not an option"},
      {{"plan"}, "give --nodes"},
      {{"plan", "--nodes", "5", "--rate", "5"}, "give --burst"},
      {{"bounds"}, "give two times, FROM and UNTIL"},
      {{"bounds", "1", "2", "3"}, "give two times, FROM and UNTIL"},
      {{"check-migration", "twitter"}, "give two layouts, OLD and NEW"},
      {{"doctor", "now"}, "'now' is not an option"},
  };
  for (const auto &[words, part] : wrong) {
    bool known = !words.empty() && flake({"help", words[0]}).status == 0 && words[0] != "help";
    string command = known && words[0] != "--frob" ? "flake " + words[0] : "flake";
    Outcome outcome = flake(words);
    expect_refused(2, outcome, part);
    EXPECT_PRED2(starts, outcome.err, command + ": ");
    EXPECT_PRED2(ends, outcome.err, "; see " + command + " --help\n");
  }
}

TEST(Flake, AFullDiskIsReported) {
  for (const string words :
       {"--help", "--version", "help next", "next --node 1", "next --node 1 -n 100000", "decode 1",
        "decode --json 1", "encode 1", "plan --nodes 1 --rate 1 --burst 1 --years 1", "doctor",
        "bounds 1767225600000 1767225600001", "doctor --json", "check-migration twitter twitter"}) {
    Outcome outcome = shell("\"$flake\" " + words + " > /dev/full");
    expect_refused(1, outcome, "cannot write to standard output: No space left on device");
  }
}

TEST(Flake, OutputOfWhichOnlyAPartFitsIsReported) {
  Outcome outcome = shell(
      "file=$(mktemp); trap '' XFSZ; ulimit -f 1; \"$flake\" next --node 1 -n 1000 > $file;"
      " status=$?; rm $file; exit $status");
  expect_refused(1, outcome, "cannot write to standard output: File too large");
}

TEST(Flake, AClosedStandardOutputIsReportedAndAClosedInputToo) {
  expect_refused(1, shell("\"$flake\" next --node 1 >&-"), "cannot write to standard output: Bad");
  expect_refused(1, shell("\"$flake\" decode <&-"), "cannot read standard input: Bad");
  expect_refused(1, shell("\"$flake\" decode < /"), "cannot read standard input: Is a directory");
}

const char *const kEndless[] = {"\"$flake\" next --node 1 -n 9223372036854775807",
                                "yes 4194304 2>/dev/null | \"$flake\" decode",
                                "yes frob 2>/dev/null | \"$flake\" decode 2>&1"};

TEST(Flake, AClosedPipeEndsIt) {
  for (const string source : kEndless) {
    Outcome outcome = shell("{ { " + source + "; echo $? >&3; } | head -n 1 >&4; } 3>&1 4>&2");
    EXPECT_EQ("141\n", outcome.out) << source;
    EXPECT_EQ(1u, lines(outcome.err).size()) << outcome.err;
  }
}

// As below a Python program, whose children ignore SIGPIPE.
TEST(Flake, AClosedPipeEndsItQuietlyWhereSigpipeIsIgnored) {
  for (const string source : {kEndless[0], kEndless[1]}) {
    Outcome outcome =
        shell("trap '' PIPE; { { " + source + "; echo $? >&3; } | head -n 1 >&4; } 3>&1 4>&2");
    EXPECT_EQ("1\n", outcome.out) << source;
    EXPECT_EQ(1u, lines(outcome.err).size()) << outcome.err;
  }
}

// ---- flake next: what it refuses ----------------------------------------------------------------

// S7
TEST(Next, WithoutANodeItIsRefusedAndTheOptionIsNamed) {
  Outcome outcome = flake({"next"});
  expect_refused(2, outcome, "no node is configured and there is no default");
  EXPECT_PRED2(contains, outcome.err, "--node N");
}

// S3, S31
TEST(Next, ANodeInRangeIsUsedAsItIs) {
  for (const string node : {"0", "1", "16", "1023"}) {
    Outcome outcome = shell("\"$flake\" next --node " + node + " | \"$flake\" decode");
    EXPECT_EQ(0, outcome.status);
    EXPECT_PRED2(contains, outcome.out, "  node " + node + "  sequence 0\n");
    EXPECT_EQ("", outcome.err);
  }
}

TEST(Next, ANodeOutOfRangeIsRefusedWithTheRange) {
  for (const string node : {"1024", "-1", "70000", "2147483648", "4294967296", "1221865536",
                            "9007199254740993", "9223372036854775807", "-9223372036854775806"}) {
    string part = "node " + node + " does not fit layout t41n10s12@1735689600000; give a number in";
    expect_refused(2, flake({"next", "--node", node}), part);
    expect_refused(2, flake({"next", "--node=" + node}), part);
  }
  expect_refused(2, flake({"next", "--node", "65536", "--layout", "sonyflake"}), "in 0..65535");
}

const Words kNotNumbers = {"7.5", "NaN", "",     " 7",    "7 ", "0x10", "true", "null",
                           "1e3", "+7",  "007",  "--7",   "-",  "-0",   "7\n",  "0b1",
                           "1_0", "1,0", "\x1b", "\"7\"", "7;", "inf",  "١",    "999999999x"};

TEST(Next, ANumberThatIsNotAWholeDecimalOneIsRefusedByOptionAndValue) {
  for (const string option :
       {"--count", "--max-wait-ms", "--max-lead-ms", "--start-floor-ms", "--seq-spread-bits"})
    for (const string &value : kNotNumbers) {
      Outcome outcome = flake({"next", "--node", "1", option, value});
      expect_refused(2, outcome, "is not a whole number");
      EXPECT_PRED2(starts, outcome.err, "flake next: " + option + " '");
    }
  expect_refused(2, flake({"next", "--node", "1", "-n", "7.5"}), "--count '7.5' is not a whole");
}

// S31. A word may be a source of the node, but none is guessed.
TEST(Next, ANodeThatIsNeitherANumberNorASourceIsRefused) {
  for (const string &value : kNotNumbers) {
    if (value == "1,0") continue;  // a chain: 1 decides
    Outcome outcome = flake({"next", "--node", value});
    expect_refused(2, outcome, "--node '");
    EXPECT_TRUE(contains(outcome.err, "is not a whole number") ||
                contains(outcome.err, "is no source of a node"))
        << outcome.err;
  }
}

TEST(Next, TheFirstSourceThatIsThereGivesTheNode) {
  const string decode = " | \"$flake\" decode | grep -o 'node [0-9]*'";
  Outcome outcome =
      shell("\"$flake\" next --node env:NOT_SET,env:MY_NODE,9" + decode, {"MY_NODE=17"});
  expect_done(outcome, "node 17\n");
  expect_done(shell("\"$flake\" next --node env:NOT_SET,9" + decode), "node 9\n");
  expect_done(shell("file=$(mktemp); echo 33 > $file; \"$flake\" next --node file:$file" + decode +
                    "; rm $file"),
              "node 33\n");
  expect_done(shell("\"$flake\" next --node 5 --node env:MY_NODE" + decode, {"MY_NODE=17"}),
              "node 17\n");
  expect_done(shell("\"$flake\" next --node env:MY_NODE --node 5" + decode, {"MY_NODE=17"}),
              "node 5\n");
}

// S7, S8
TEST(Next, ASourceThatIsMissingOrWrongIsRefusedAndSaysWhy) {
  expect_refused(2, flake({"next", "--node", "env:NOT_SET"}), "env:NOT_SET is not set");
  expect_refused(2, flake({"next", "--node", "env:MY_NODE"}, "", {"MY_NODE=web"}), "\"web\"");
  expect_refused(2, flake({"next", "--node", "env:MY_NODE"}, "", {"MY_NODE=1024"}), "0..1023");
  expect_refused(2, flake({"next", "--node", "ipv4:16"}), "at least 22");
  Outcome wide =
      flake({"next", "--node", "env:MY_NODE", "--layout", "39/14/10"}, "", {"MY_NODE=16383"});
  EXPECT_EQ(0, wide.status) << wide.err;
}

// S11
TEST(Next, ARandomNodeComesWithItsOdds) {
  Outcome outcome = flake({"next", "--node", "random:10"});
  EXPECT_EQ(0, outcome.status);
  EXPECT_EQ(1u, lines(outcome.out).size());
  EXPECT_EQ(1u, lines(outcome.err).size());
  EXPECT_PRED2(contains, outcome.err, "a probability of 4.3 %");
}

TEST(Next, ANumberBeyondSixtyFourBitsIsRefused) {
  for (const string value : {"9223372036854775808", "18446744073709551617", "-9223372036854775807",
                             "-9223372036854775808", "-99999999999999999999999999999999"}) {
    expect_refused(2, flake({"next", "--node", value}), "--node '" + value + "' is out of range");
    expect_refused(2, flake({"next", "--node", "1", "-n", value}), "--count '");
  }
  expect_refused(2, flake({"next", "--node", string(1000, '9')}), "'... is out of range");
}

TEST(Next, AWrongLayoutIsRefusedAndTheFormsAreNamed) {
  for (const string layout : {" ", "-1", "0x10", "", "41/10", "41/10/12/1", "041/10/12", "frob",
                              "41/10/12\n", "Twitter", "41/10/33"}) {
    Outcome outcome = flake({"next", "--node", "1", "--layout", layout});
    expect_refused(2, outcome, "--layout '" + layout.substr(0, 8));
    EXPECT_PRED2(contains, outcome.err, "write it as 41/10/12");
  }
}

TEST(Next, ALayoutThatOnlyDecodesIsRefusedAndTheReasonIsGiven) {
  for (const char *layout : {"41/10/13", "discord", "s12n10t41"})
    expect_refused(2, flake({"next", "--node", "1", "--layout", layout}), "only decodes");
}

TEST(Next, ALayoutWhoseTimeIsNotNowIsAFailure) {
  expect_refused(1, flake({"next", "--node", "1", "--layout", "41/10/12@4102444800000"}),
                 "the clock reads earlier than the epoch");
  expect_refused(1, flake({"next", "--node", "1", "--layout", "1/1/1"}),
                 "the time field of layout");
}

TEST(Next, AWrongWordNameOrRangeIsRefused) {
  const std::pair<Words, string> wrong[] = {
      {{"--format", "HEX"},
       "--format 'HEX' is unknown; write dec or hex or base32 or base58 or base62"},
      {{"--format", ""}, "--format '' is unknown"},
      {{"--mode", "fast"}, "--mode 'fast' is unknown; write strict or monotonic"},
      {{"--mode", "monotonic"}, "monotonic mode needs max_lead_ms"},
      {{"--space", ""}, "space \"\" is not a name"},
      {{"--space", "a b\n\x1b[31m"}, "space \"a b??[31m\" is not a name"},
      {{"--space", string(64, 'a')}, "is not a name"},
      {{"--space", string(5000, 'a')}, "is not a name"},
      {{"--max-wait-ms", "86400001"}, "it must lie in 0..86400000"},
      {{"--max-wait-ms", "-1"}, "max_wait_ms is -1"},
      {{"--max-lead-ms", "86400001"}, "max_lead_ms is 86400001"},
      {{"--start-floor-ms", "-1"}, "start_floor_ms is -1"},
      {{"--seq-spread-bits", "13"}, "it must lie in 0..12"},
      {{"--count", "-1"}, "--count '-1' is below 0"},
  };
  for (const auto &[words, part] : wrong) {
    Words all = {"next", "--node", "1"};
    all.insert(all.end(), words.begin(), words.end());
    expect_refused(2, flake(all), part);
  }
}

// ---- flake next: what it prints -----------------------------------------------------------------

TEST(Next, OneIdIsPrintedUnlessMoreAreAskedFor) {
  EXPECT_EQ(1u, lines(flake({"next", "--node", "1"}).out).size());
  EXPECT_EQ(5u, lines(flake({"next", "-n", "5", "--node", "1"}).out).size());
  EXPECT_EQ(5u, lines(flake({"next", "-n5", "--node=1"}).out).size());
  EXPECT_EQ(7u, lines(flake({"next", "--count=7", "--node", "1"}).out).size());
  expect_done(flake({"next", "--node", "1", "-n", "0"}), "");
}

// S25
TEST(Next, TwoHundredThousandIdsAreOrderedAndOfOneNodeAndNearNow) {
  flake_layout layout = parse("41/10/12");
  int64_t before_ms = now_ms(), last = 0;
  Words ids = lines(flake({"next", "-n", "200000", "--node", "1023"}).out);
  int64_t after_ms = now_ms();
  ASSERT_EQ(200000u, ids.size());
  for (const string &text : ids) {
    int64_t id = std::stoll(text);
    ASSERT_EQ(text, std::to_string(id));
    ASSERT_LT(last, id);
    flake_decoded decoded = flake_test::decode(layout, id);
    ASSERT_EQ(1023, decoded.node);
    ASSERT_LT(decoded.sequence, 4096);
    ASSERT_LE(before_ms, decoded.unix_ms);
    ASSERT_GE(after_ms, decoded.unix_ms);
    last = id;
  }
}

TEST(Next, HexIsSixteenLowerCaseDigitsInTheOrderOfTheIds) {
  Outcome outcome = flake({"next", "-n", "10000", "--node", "171", "--format", "hex"});
  ASSERT_EQ(0, outcome.status);
  Words ids = lines(outcome.out);
  ASSERT_EQ(10000u, ids.size());
  for (size_t i = 0; i < ids.size(); i++) {
    ASSERT_EQ(16u, ids[i].size());
    ASSERT_EQ(string::npos, ids[i].find_first_not_of("0123456789abcdef"));
    ASSERT_LT(i > 0 ? ids[i - 1] : "", ids[i]);
  }
  flake_layout layout = parse("snowflake");
  EXPECT_EQ(171, flake_test::decode(layout, std::stoll(ids[0], nullptr, 16)).node);
}

// S6
TEST(Next, EveryStartGoesOnAboveTheOneBefore) {
  Outcome outcome = shell(
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do \"$flake\" next --node 1 -n 3; done");
  Words ids = lines(outcome.out);
  ASSERT_EQ(48u, ids.size());
  for (size_t i = 1; i < ids.size(); i++) EXPECT_LT(std::stoll(ids[i - 1]), std::stoll(ids[i]));
}

TEST(Next, TheOptionsOfTheConfigReachTheGenerator) {
  Outcome spread = flake({"next", "--node", "1", "-n", "1", "--seq-spread-bits", "0"});
  EXPECT_EQ(0, flake_test::decode(parse("snowflake"), std::stoll(spread.out)).sequence);
  Outcome wide = flake({"next", "--node", "3", "--layout", "39/10/14", "--space", "a.b-C_1"});
  EXPECT_EQ(3, flake_test::decode(parse("39/10/14"), std::stoll(wide.out)).node);
  string floor = std::to_string(now_ms() + 300);
  Outcome later = flake({"next", "--node", "1", "--start-floor-ms", floor});
  EXPECT_EQ(0, later.status) << later.err;
  EXPECT_LE(std::stoll(floor),
            flake_test::decode(parse("snowflake"), std::stoll(later.out)).unix_ms);
  Outcome ahead = flake({"next", "--node", "1", "--mode", "monotonic", "--max-lead-ms", "5000",
                         "--layout", "41/10/2", "-n", "8000"});
  EXPECT_EQ(8000u, lines(ahead.out).size()) << ahead.err;
}

TEST(Next, WhatWasDrawnIsPrintedBeforeTheFailureIsReported) {
  Outcome outcome = flake({"next", "--node", "1", "--layout", "41/10/2*1s", "-n", "100", "--mode",
                           "monotonic", "--max-lead-ms", "1000"});
  size_t drawn = lines(outcome.out).size();
  EXPECT_EQ(1, outcome.status);
  EXPECT_TRUE(drawn >= 4 && drawn < 100) << drawn;
  EXPECT_EQ("flake next: stopped after " + std::to_string(drawn) +
                " of 100 IDs: " + flake_status_text(FLAKE_E_EXHAUSTED) + "\n",
            outcome.err);
}

TEST(Next, AWaitThatIsTooShortIsAFailureThatSaysSo) {
  expect_refused(1, flake({"next", "--node", "1", "--max-wait-ms", "0", "--layout", "41/10/12*1s"}),
                 flake_status_text(FLAKE_E_DEADLINE_PASSED));
}

// One ID in 100 ms: 1,000 of them would take 100 s.
TEST(Next, AnIdIsOutBeforeTheGeneratorWaitsForTheNext) {
  int64_t begin_ms = now_ms();
  Outcome outcome = shell("\"$flake\" next --node 1 -n 1000 --layout '41/10/0*100ms' | head -n 1");
  EXPECT_EQ(1u, lines(outcome.out).size());
  EXPECT_LT(now_ms() - begin_ms, 20000);
}

// ---- flake decode: good IDs ---------------------------------------------------------------------

TEST(Decode, KnownIdsOfOthersAreReadRight) {
  expect_done(flake({"decode", "--layout", "discord", kDiscordId}), kDiscordLine);
  expect_done(flake({"decode", "--layout", "twitter", kTwitterId}), kTwitterLine);
  expect_done(flake({"decode", kTwitterId, "--layout", "41/10/12@1288834974657"}), kTwitterLine);
  expect_done(flake({"decode", "--layout=discord"}, string(kDiscordId) + "\n"), kDiscordLine);
}

TEST(Decode, SixteenHexadecimalDigitsAreReadAfter0x) {
  expect_done(flake({"decode", "--layout", "discord", "0x02710650b5801007"}),
              flake({"decode", "--layout", "discord", std::to_string(0x02710650b5801007)}).out);
  expect_done(flake({"decode", "--layout", "discord", "0x02710650B5801007"}),
              flake({"decode", "--layout", "discord", "0x02710650b5801007"}).out);
}

TEST(Decode, HexWithoutPrefixIsReadWhenAskedFor) {
  Outcome outcome =
      shell("\"$flake\" next -n 3 --node 5 --format hex | \"$flake\" decode --format hex");
  EXPECT_EQ(0, outcome.status);
  EXPECT_EQ(3u, lines(outcome.out).size());
  EXPECT_EQ("", outcome.err);
  EXPECT_PRED2(contains, outcome.out, "  node 5  sequence 2\n");
  expect_done(flake({"decode", "--format", "hex", "0000000000400001", "0x0000000000400001"}),
              "4194305  2025-01-01T00:00:00.001Z  node 0  sequence 1\n"
              "4194305  2025-01-01T00:00:00.001Z  node 0  sequence 1\n");
  expect_refused(1, flake({"decode", "--format", "hex", "4194305"}), "as 16 hexadecimal digits");
  expect_refused(2, flake({"decode", "--format", "oct", "1"}), "write dec or hex or base32");
}

TEST(Decode, UnsignedIdsAreReadUpToTheLast) {
  Outcome outcome =
      flake({"decode", "--layout", "discord", "18446744073709551615", "0xffffffffffffffff"});
  EXPECT_EQ(0, outcome.status);
  string line = "18446744073709551615  2154-05-15T07:35:11.103Z  node 1023  sequence 4095\n";
  EXPECT_EQ(line + line, outcome.out);
}

// S35
TEST(Decode, JsonIsOneObjectALineWithTheIdAsAString) {
  expect_done(flake({"decode", "--json", "--layout", "twitter", kTwitterId, "653247040368672768"}),
              "{\"id\":\"1541815603606036480\",\"time\":\"2022-06-28T16:07:40.105Z\","
              "\"unix_ms\":1656432460105,\"node\":378,\"sequence\":0,"
              "\"layout\":\"t41n10s12@1288834974657\"}\n"
              "{\"id\":\"653247040368672768\",\"time\":\"2015-10-11T16:33:25.824Z\","
              "\"unix_ms\":1444581205824,\"node\":0,\"sequence\":0,"
              "\"layout\":\"t41n10s12@1288834974657\"}\n");
}

TEST(Decode, WhatNextPrintsIsRead) {
  for (const string layout : {"snowflake", "sonyflake", "js53", "39/10/14"}) {
    Outcome outcome = shell("\"$flake\" next -n 5 --node 1 --layout " + layout +
                            " | \"$flake\" decode --layout " + layout);
    EXPECT_EQ(0, outcome.status);
    EXPECT_EQ("", outcome.err);
    EXPECT_EQ(5u, lines(outcome.out).size());
    for (const string &line : lines(outcome.out)) {
      ASSERT_EQ(6u, split(line).size()) << line;
      EXPECT_EQ("1", split(line)[3]);
    }
  }
}

string utc_text(int64_t unix_ms) {
  time_t seconds = static_cast<time_t>(unix_ms / 1000);
  struct tm parts = {};
  gmtime_r(&seconds, &parts);
  char text[64];
  snprintf(text, sizeof text, "%s%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
           parts.tm_year + 1900 > 9999 ? "+" : "", parts.tm_year + 1900, parts.tm_mon + 1,
           parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
           static_cast<int>(unix_ms % 1000));
  return text;
}

// 48 bits of ms from 1970 are 8,900 years.
TEST(Decode, EveryTimeIsWhatTheSystemsCalendarSays) {
  std::mt19937_64 random(1);
  std::vector<int64_t> times = {1,
                                951782399999,
                                951782400000,
                                1709164800000,
                                1709251199999,
                                4107542400000,
                                253402300799999,
                                253402300800000,
                                (int64_t{1} << 48) - 1};
  for (int day = 0; day < 1500; day++) times.push_back(day * int64_t{86400000} + 946684800000);
  for (int i = 0; i < 20000; i++)
    times.push_back(static_cast<int64_t>(random() >> (16 + random() % 20)) + 1);
  string input, expected;
  for (int64_t unix_ms : times) {
    string id = std::to_string(static_cast<uint64_t>(unix_ms) << 16);
    input += id + "\n";
    expected += id + "  " + utc_text(unix_ms) + "  node 0  sequence 0\n";
  }
  Outcome outcome = flake({"decode", "--layout", "mastodon"}, input);
  EXPECT_EQ(0, outcome.status);
  ASSERT_TRUE(expected == outcome.out);
}

// S39, S38
TEST(Decode, TheOutputIsTheSameInEveryTimeZoneAndLocale) {
  for (const string variable :
       {"TZ=Asia/Shanghai", "TZ=America/New_York", "TZ=Nowhere", "TZ=", "LC_ALL=C.UTF-8",
        "LC_ALL=de_DE.UTF-8", "LC_ALL=ar_EG.UTF-8", "LANG=tr_TR.UTF-8", "POSIXLY_CORRECT=1"}) {
    expect_done(flake({"decode", "--layout", "discord", kDiscordId}, "", {variable}), kDiscordLine);
    EXPECT_EQ(flake({"decode", "--json", "1"}).out,
              flake({"decode", "--json", "1"}, "", {variable}).out);
    expect_refused(1, flake({"decode", "x"}, "", {variable}), "'x' is not an ID");
  }
  expect_done(flake({"decode", "4194304"}),
              "4194304  2025-01-01T00:00:00.001Z  node 0  sequence 0\n");
}

// ---- flake decode: bad lines --------------------------------------------------------------------

TEST(Decode, ABadLineIsReportedWithItsNumberAndTheGoodOnesArePrinted) {
  string id = kDiscordId;
  Outcome outcome = flake({"decode", "--layout", "discord"}, id + "\nabc\n" + id + "\n\n" + id);
  EXPECT_EQ(1, outcome.status);
  EXPECT_EQ(string(kDiscordLine) + kDiscordLine + kDiscordLine, outcome.out);
  EXPECT_EQ(
      "flake decode: line 2: 'abc' is not an ID; write it as decimal, or 0x and 16 hexadecimal "
      "digits; --help names the other forms\n"
      "flake decode: line 4: blank, where an ID should be\n",
      outcome.err);
}

TEST(Decode, ABadArgumentIsReportedAndTheGoodOnesArePrinted) {
  Outcome outcome = flake({"decode", "--layout", "discord", "abc", kDiscordId, ""});
  EXPECT_EQ(1, outcome.status);
  EXPECT_EQ(kDiscordLine, outcome.out);
  EXPECT_EQ(2u, lines(outcome.err).size());
  EXPECT_PRED2(starts, outcome.err, "flake decode: 'abc' is not an ID; ");
}

TEST(Decode, ReportsStandWhereTheBadLinesStood) {
  Outcome outcome = shell("printf '1\\nabc\\n2\\n' | \"$flake\" decode 2>&1");
  Words all = lines(outcome.out);
  ASSERT_EQ(3u, all.size());
  EXPECT_PRED2(starts, all[0], "1  2025-01-01T00:00:00.000Z");
  EXPECT_PRED2(starts, all[1], "flake decode: line 2: ");
  EXPECT_PRED2(starts, all[2], "2  2025-01-01T00:00:00.000Z");
}

TEST(Decode, WhatIsNoIdIsRefusedForItsOwnReason) {
  const std::pair<Words, string> reasons[] = {
      {{"abc", "-5", "+5", " 5", "5 ", "5.0", "5e3", "0x10", "0X0000000000000010", "007", "NaN",
        "0x000000000000001g", "0x000000000000001G", "0x00000000000000010", "null", "true", "\"5\"",
        "5,6", "１"},
       "is not an ID; write it as decimal, or 0x and 16 hexadecimal digits"},
      {{"18446744073709551616", "99999999999999999999", "184467440737095516150"},
       "is not an ID; the largest is 2^64 - 1"},
      {{"0", "0x0000000000000000"}, "is not an ID; 0 is never issued"},
      {{"18446744073709551615", "9223372036854775808"},
       "has more bits than layout t41n10s12@1735689600000; name its layout with --layout"},
      {{"", "\r"}, "blank, where an ID should be"},
  };
  for (const auto &[texts, reason] : reasons)
    for (const string &text : texts) expect_refused(1, flake({"decode"}, text + "\n"), reason);
}

TEST(Decode, ABadValueOfAnOptionIsRefused) {
  for (const char *layout : {"", " ", "-1", "65/0/0", "frob"})
    expect_refused(2, flake({"decode", "--layout", layout, "1"}), "write it as 41/10/12");
}

TEST(Decode, EmptyInputIsNoError) {
  expect_done(flake({"decode"}, ""), "");
  expect_refused(1, flake({"decode"}, "\n"), "line 1: blank");
}

TEST(Decode, LinesMayEndInCarriageReturnAndTheLastInNothing) {
  string id = kDiscordId;
  expect_done(flake({"decode", "--layout", "discord"}, id + "\r\n" + id + "\r\n" + id + "\r"),
              string(kDiscordLine) + kDiscordLine + kDiscordLine);
  expect_refused(1, flake({"decode"}, "1\r\r\n"), "line 1: '1\\x0d' is not an ID");
}

TEST(Decode, ANulByteIsPartOfABadLine) {
  string input = string(kDiscordId) + string(1, '\0') + "\n" + kDiscordId + "\n" + string(1, '\0');
  Outcome outcome = flake({"decode", "--layout", "discord"}, input);
  EXPECT_EQ(1, outcome.status);
  EXPECT_EQ(kDiscordLine, outcome.out);
  Words errors = lines(outcome.err);
  ASSERT_EQ(2u, errors.size());
  EXPECT_PRED2(contains, errors[0], "line 1: '175928847299117063\\x00' is not an ID");
  EXPECT_PRED2(contains, errors[1], "line 3: '\\x00' is not an ID");
}

TEST(Decode, AVeryLongLineIsOneBadLine) {
  const string rest = string("\n") + kDiscordId;
  for (size_t size : {41u, 4096u, 65535u, 65536u, 65537u, 131072u, 1000000u})
    for (char c : {'x', '9', '0', '\0', '\r'}) {
      Outcome outcome = flake({"decode", "--layout", "discord"}, string(size, c) + rest);
      EXPECT_EQ(1, outcome.status);
      EXPECT_EQ(kDiscordLine, outcome.out) << size;
      EXPECT_EQ(1u, lines(outcome.err).size());
      EXPECT_PRED2(starts, outcome.err, "flake decode: line 1: '");
      EXPECT_LT(outcome.err.size(), 300u);
    }
}

TEST(Decode, AGoodIdAtTheEndOfAVeryLongLineDoesNotCount) {
  string input = string(100000, ' ') + kDiscordId + "\n" + kDiscordId + string(70000, ' ') + "\n";
  Outcome outcome = flake({"decode", "--layout", "discord"}, input);
  EXPECT_EQ(1, outcome.status);
  EXPECT_EQ("", outcome.out);
  EXPECT_EQ(2u, lines(outcome.err).size());
}

TEST(Decode, LinesAreReadWholeWhereverTheBufferEnds) {
  string input, expected;
  for (uint64_t id = 1; input.size() < 300000; id = id * 3 % 1000000007) {
    input += std::to_string(id) + "\n";
    expected += std::to_string(id) + " \n";
  }
  Outcome outcome = flake({"decode"}, input);
  string ids;
  for (const string &line : lines(outcome.out)) ids += split(line)[0] + " \n";
  EXPECT_EQ(0, outcome.status);
  EXPECT_TRUE(expected == ids);
}

// The second line is only sent when the first has been decoded.
TEST(Decode, LinesAreDecodedWhenTheyComeAndNotAtTheEnd) {
  Outcome outcome = shell(
      "go=$(mktemp -d)/go; mkfifo $go;"
      " { echo 1; read -r line < $go; echo 2; } | timeout 30 \"$flake\" decode"
      " | { read -r line; echo > $go; cat; }; rm -r ${go%/go}");
  EXPECT_EQ("2  2025-01-01T00:00:00.000Z  node 0  sequence 2\n", outcome.out);
}

// A line of 200 MB, then a million lines.
TEST(Decode, MemoryStaysFlat) {
  Outcome outcome = shell(
      "{ head -c 200000000 /dev/zero; echo; yes 4194304 | head -n 1000000; }"
      " | \"$flake\" decode 2>/dev/null | tail -n 1");
  EXPECT_EQ("4194304  2025-01-01T00:00:00.001Z  node 0  sequence 0\n", outcome.out);
  struct rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  EXPECT_LT(usage.ru_maxrss, 100000);
}

// ---- flake decode: implausible IDs --------------------------------------------------------------

TEST(Decode, ATimeInTheFutureIsPrintedWithAWarning) {
  Outcome outcome = flake({"decode", id_at(60000)});
  EXPECT_EQ(0, outcome.status);
  EXPECT_EQ(1u, lines(outcome.out).size());
  EXPECT_PRED2(starts, outcome.err, "flake decode: warning: the time of ");
  EXPECT_PRED2(contains, outcome.err, "lies in the future");
  EXPECT_PRED2(contains, outcome.err, "--layout");
  EXPECT_PRED2(contains, flake({"decode"}, "1\n" + id_at(60000)).err, "warning: line 2: ");
}

TEST(Decode, ATimeBefore2006IsPrintedWithAWarning) {
  for (int64_t unix_ms : {int64_t{0}, int64_t{1136073599999}}) {
    Outcome outcome =
        flake({"decode", "--layout", "mastodon", std::to_string(unix_ms * 65536 + 1)});
    EXPECT_EQ(0, outcome.status);
    EXPECT_EQ(1u, lines(outcome.out).size());
    EXPECT_PRED2(contains, outcome.err, "lies before 2006");
  }
}

TEST(Decode, APlausibleTimeGivesNoWarning) {
  for (const string &id : {id_at(-1000), id_at(0), id_at(2000)})
    EXPECT_EQ("", flake({"decode", id}).err);
  EXPECT_EQ("", flake({"decode", "--layout", "mastodon", "74453719449600001"}).err);
}

TEST(Decode, ManyWarningsAreCountedAndNotListed) {
  string input;
  for (int i = 0; i < 1000; i++) input += id_at(60000 + i) + "\n";
  Outcome outcome = flake({"decode"}, input);
  EXPECT_EQ(0, outcome.status);
  EXPECT_EQ(1000u, lines(outcome.out).size());
  EXPECT_EQ(11u, lines(outcome.err).size());
  EXPECT_EQ("flake decode: warning: 990 more such times", lines(outcome.err).back());
}

}  // namespace
