// SPDX-License-Identifier: MIT
// Status codes and the version: every code has a name, a class and a sentence of its own. The
// header's text is the list, so that a code that is appended there cannot be forgotten here.
#include <cctype>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "flake_test.h"

#ifndef FLAKE_HEADER
#define FLAKE_HEADER \
  std::string(__FILE__).substr(0, std::string(__FILE__).rfind('/')) + "/../flakecore.h"
#endif

namespace {

using std::string;

constexpr int64_t kUnknown[] = {FLAKE_STATUS_END,
                                FLAKE_STATUS_END - 1,
                                -1000,
                                std::numeric_limits<int32_t>::min(),
                                -(int64_t{1} << 32),      // narrowed: 0
                                -(int64_t{1} << 32) - 1,  // narrowed: -1
                                std::numeric_limits<int64_t>::min()};
constexpr int64_t kIds[] = {1,
                            42,
                            int64_t{1} << 31,
                            int64_t{1} << 32,
                            (int64_t{1} << 32) - 6,
                            std::numeric_limits<int64_t>::max()};

string header_text() {
  std::ifstream file(FLAKE_HEADER);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_GT(text.str().size(), 1000u) << "cannot read " << FLAKE_HEADER;
  return text.str();
}

// "clock_rewound" => -6, from the lines "FLAKE_E_CLOCK_REWOUND = -6,".
std::map<string, int64_t> codes_of_header() {
  std::map<string, int64_t> codes;
  std::istringstream lines(header_text());
  for (string constant, equals, value; lines >> constant;) {
    const string prefix = "FLAKE_E_";
    if (constant.rfind(prefix, 0) != 0 || !(lines >> equals >> value) || equals != "=") continue;
    string name = constant.substr(prefix.size());
    for (char &c : name) c = static_cast<char>(std::tolower(c));
    EXPECT_TRUE(codes.emplace(name, std::stoll(value)).second) << name << " twice";
  }
  return codes;
}

template <typename Check>
void for_each_code(Check check) {
  int64_t codes = 0;
  for (int64_t status = FLAKE_OK; status > FLAKE_STATUS_END; status--, codes++) check(status);
  EXPECT_EQ(codes, 25) << "a code is new: extend the table of classes below";
}

TEST(Status, EveryCodeOfTheHeaderIsNamedAsItsConstant) {
  const auto codes = codes_of_header();
  EXPECT_EQ(codes.size(), static_cast<size_t>(-FLAKE_STATUS_END) - 1);
  for (const auto &[name, status] : codes) {
    EXPECT_EQ(flake_status_name(status), name) << status;
    EXPECT_GT(status, FLAKE_STATUS_END) << name;
  }
}

TEST(Status, EveryCodeHasANameOfItsOwn) {
  std::set<string> names;
  for_each_code([&](int64_t status) {
    const string name = flake_status_name(status);
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), string::npos) << name;
    EXPECT_NE(name, "unknown") << status;
    EXPECT_TRUE(names.insert(name).second) << name << " twice";
  });
  EXPECT_STREQ(flake_status_name(FLAKE_OK), "ok");
}

TEST(Status, EveryCodeHasASentenceOfItsOwn) {
  std::set<string> texts;
  for_each_code([&](int64_t status) {
    const string text = flake_status_text(status);
    EXPECT_TRUE(texts.insert(text).second) << text << " twice";
    EXPECT_LT(text.size(), static_cast<size_t>(FLAKE_EXPLAIN_SIZE));
    for (char c : text) EXPECT_TRUE(std::isprint(static_cast<unsigned char>(c))) << text;
    EXPECT_EQ(text.find("  "), string::npos) << text;
    EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(text.front()))) << text;
    EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(text.back())) || text.back() == ')')
        << text;
    if (status == FLAKE_OK) return;
    EXPECT_GE(std::count(text.begin(), text.end(), ' '), 4) << "hardly a sentence: " << text;
  });
}

TEST(Status, EveryCodeHasItsClass) {
  const std::map<flake_class, std::set<string>> expected = {
      {FLAKE_CLASS_OK, {"ok"}},
      {FLAKE_CLASS_CALLER,
       {"invalid_argument", "bad_layout", "node_out_of_range", "no_node", "forked", "closed",
        "layout_differs", "bad_text", "not_supported"}},
      {FLAKE_CLASS_RETRY,
       {"exhausted", "deadline_passed", "lease_lost", "store_unreachable", "again"}},
      {FLAKE_CLASS_OPERATOR,
       {"node_in_use", "clock_rewound", "clock_frozen", "before_epoch", "time_used_up",
        "ceiling_reached", "bad_file", "no_entropy", "out_of_memory", "no_run_dir"}},
  };
  std::map<flake_class, std::set<string>> found;
  for_each_code(
      [&](int64_t status) { found[flake_status_class(status)].insert(flake_status_name(status)); });
  EXPECT_EQ(found, expected);
}

TEST(Status, AnUnknownCodeIsUnknownAndForTheOperator) {
  std::set<string> texts;
  for_each_code([&](int64_t status) { texts.insert(flake_status_text(status)); });
  for (int64_t status : kUnknown) {
    EXPECT_STREQ(flake_status_name(status), "unknown") << status;
    EXPECT_EQ(texts.count(flake_status_text(status)), 0u) << status;
    EXPECT_EQ(string(flake_status_text(status)).find("unknown status"), 0u) << status;
    EXPECT_EQ(flake_status_class(status), FLAKE_CLASS_OPERATOR) << status;
  }
}

TEST(Status, AnIdIsOk) {
  for (int64_t id : kIds) {
    EXPECT_STREQ(flake_status_name(id), "ok") << id;
    EXPECT_STREQ(flake_status_text(id), flake_status_text(FLAKE_OK)) << id;
    EXPECT_EQ(flake_status_class(id), FLAKE_CLASS_OK) << id;
  }
}

TEST(Version, OfTheLibraryIsThatOfTheHeader) {
  const string expected = std::to_string(FLAKE_VERSION_MAJOR) + "." +
                          std::to_string(FLAKE_VERSION_MINOR) + "." +
                          std::to_string(FLAKE_VERSION_PATCH);
  EXPECT_EQ(flake_version(), expected);
}

// IDs whose parts their projects have published.
struct Fact {
  const char *layout;
  uint64_t id;
  int64_t unix_ms, node, sequence;
};

TEST(Facts, PublicIdsReadAsTheirProjectsSay) {
  const Fact facts[] = {
      {"discord", 175928847299117063, 1462015105796, 32, 7},    // 2016-04-30T11:18:25.796Z
      {"twitter", 1541815603606036480, 1656432460105, 378, 0},  // 2022-06-28T16:07:40.105Z
  };
  for (const Fact &fact : facts) {
    const flake_layout layout = flake_test::parse(fact.layout);
    const flake_decoded decoded = flake_test::decode(layout, static_cast<int64_t>(fact.id));
    EXPECT_EQ(decoded.unix_ms, fact.unix_ms);
    EXPECT_EQ(decoded.node, fact.node);
    EXPECT_EQ(decoded.sequence, fact.sequence);
  }
}

TEST(Facts, TheLastDigitsOfAnIdSayNothingOfItsNode) {
  const flake_layout layout = flake_test::parse("snowflake");
  int64_t id = flake_compose(&layout, flake_test::kNowMs, 496, 0);
  while (id % 100 != 37) id++;
  EXPECT_EQ(flake_test::decode(layout, id).node, 496);
}

}  // namespace
