// SPDX-License-Identifier: MIT
// The man page and the completion of the command say what the command says.
#include <fstream>

#include "command.h"

namespace {

string read_file(const string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The commands that `flake --help` lists.
Words commands() {
  Words all;
  string help = flake({"--help"}).out;
  for (const string &line : lines(help.substr(help.find("Commands:\n"))))
    if (starts(line, "  ") && !starts(line, "  -")) all.push_back(split(line)[0]);
  return all;
}

// The long options that the help of a command lists, without "--".
Words options(const string &command) {
  Words all;
  for (const string &line : lines(flake({"help", command}).out)) {
    size_t at = line.find("--");
    if (at != 6 || !starts(line, "  ")) continue;
    all.push_back(line.substr(8, line.find(' ', 8) - 8));
  }
  return all;
}

TEST(Manual, EveryCommandAndOptionIsInTheManPage) {
  string page = read_file(FLAKE_SOURCE "core/cli/flake.1");
  ASSERT_GE(commands().size(), 8u);
  for (const string &command : commands()) {
    size_t at = page.find("\n.It Cm " + command);
    ASSERT_NE(string::npos, at) << command;
    string entry = page.substr(at + 1, page.find("\n.It Cm ", at + 1) - at - 1);
    ASSERT_FALSE(options(command).empty()) << command;
    for (const string &option : options(command))
      if (option != "help") {
        EXPECT_PRED2(contains, entry, "Fl -" + option) << command;
      }
  }
}

TEST(Manual, ThePageIsCleanForGroff) {
  Outcome outcome =
      shell("command -v groff > /dev/null || exit 77; groff -mandoc -Tutf8 -ww -z \"$page\"",
            {"page=" FLAKE_SOURCE "core/cli/flake.1"});
  if (outcome.status == 77) FAIL() << "groff is not installed: ci/setup does";
  expect_done(outcome, "");
}

// ---- docs/choosing.md ---------------------------------------------------------------------------

// The commands of the guide, each with what the guide shows as its output.
std::vector<std::pair<string, string>> examples() {
  std::vector<std::pair<string, string>> all;
  string blank;
  bool inside = false;
  for (const string &line : lines(read_file(FLAKE_SOURCE "docs/choosing.md"))) {
    const bool indented = starts(line, "    ");
    if (indented && starts(line, "    $ flake ")) all.emplace_back(line.substr(12), "");
    if (indented && !starts(line, "    $")) all.back().second += blank + line.substr(4) + "\n";
    if (indented || line.empty()) blank = line.empty() && inside ? blank + "\n" : "";
    inside = (indented && !starts(line, "    $")) || (inside && line.empty());
    if (indented && starts(line, "    $")) inside = true;
  }
  return all;
}

TEST(Manual, TheGuideShowsWhatTheCommandsPrint) {
  ASSERT_GE(examples().size(), 4u);
  for (const auto &[words, out] : examples()) {
    Words arguments = split(words);
    EXPECT_EQ(out, flake(arguments).out) << words;
  }
}

// ---- completion ---------------------------------------------------------------------------------

// What bash would offer for these words; the last one is not finished.
Outcome complete(const string &words) {
  return flake_test::run(
      {"/bin/bash", "-c",
       "source \"$completion\"; COMP_WORDS=(" + words +
           "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _flake \"$flake\"; echo \"${COMPREPLY[*]}\""},
      "", {"completion=" FLAKE_SOURCE "core/cli/flake.bash", "flake=" FLAKE_CLI});
}

TEST(Completion, CommandsOptionsAndWordsAreOffered) {
  expect_done(complete("flake dec"), "decode\n");
  expect_done(complete("flake help ch"), "check-migration\n");
  expect_done(complete("flake next --max-"), "--max-wait-ms --max-lead-ms\n");
  expect_done(complete("flake next --mode ''"), "strict monotonic\n");
  expect_done(complete("flake next --mode = m"), "monotonic\n");
  expect_done(complete("flake encode --format base"), "base32 base58 base62\n");
  expect_done(complete("flake decode --layout s"), "snowflake sonyflake sonyflake1\n");
  expect_done(complete("flake check-migration tw"), "twitter\n");
  expect_done(complete("flake nope --"), "\n");
  for (const string &command : commands()) {
    EXPECT_PRED2(contains, complete("flake ''").out, command);
    Words offered = split(complete("flake " + command + " --").out);
    for (const string &option : options(command))
      EXPECT_EQ(1, std::count(offered.begin(), offered.end(), "--" + option)) << option;
  }
}

}  // namespace
