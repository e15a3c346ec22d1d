// SPDX-License-Identifier: MIT
// What the tests of the command `flake` share: running it, and what its outcome must be.
#ifndef FLAKE_COMMAND_H
#define FLAKE_COMMAND_H

#include <iterator>
#include <sstream>

#include "flake_test.h"
#include "run.h"

// Files of the source tree.
#define FLAKE_SOURCE FLAKE_VECTORS "/../../"
#define FLAKE_FIXTURES FLAKE_SOURCE "core/test/fixtures/"

using flake_test::lines;
using flake_test::Outcome;
using flake_test::Words;
using std::string;

inline Outcome flake(Words arguments, const string &input = "", Words environment = {}) {
  arguments.insert(arguments.begin(), FLAKE_CLI);
  return flake_test::run(std::move(arguments), input, std::move(environment));
}

// A line of shell in which $flake is the command.
inline Outcome shell(const string &line, Words environment = {}) {
  environment.push_back("flake=" FLAKE_CLI);
  return flake_test::run({"/bin/sh", "-c", line}, "", std::move(environment));
}

inline bool contains(const string &text, const string &part) {
  return text.find(part) != string::npos;
}

inline bool starts(const string &text, const string &part) {
  return text.compare(0, part.size(), part) == 0;
}

inline bool ends(const string &text, const string &part) {
  return text.size() >= part.size() && starts(text.substr(text.size() - part.size()), part);
}

// The words of a line, which blanks separate.
inline Words split(const string &line) {
  std::istringstream stream(line);
  return {std::istream_iterator<string>(stream), {}};
}

inline void expect_done(const Outcome &outcome, const string &out) {
  EXPECT_EQ(0, outcome.status);
  EXPECT_EQ(out, outcome.out);
  EXPECT_EQ("", outcome.err);
}

// Nothing on standard output, and on standard error one printable line that says part.
inline void expect_refused(int status, const Outcome &outcome, const string &part) {
  EXPECT_EQ(status, outcome.status) << outcome.err;
  EXPECT_EQ("", outcome.out);
  EXPECT_EQ(1u, lines(outcome.err).size()) << outcome.err;
  EXPECT_PRED2(starts, outcome.err, "flake");
  EXPECT_PRED2(contains, outcome.err, part);
  for (char c : outcome.err) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << int{c};
}

#endif
