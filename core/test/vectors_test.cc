// SPDX-License-Identifier: MIT
// The conformance vectors of bindings/vectors, which an independent generator wrote, read as their
// README says. What is missing, empty, or not known here is a failure, never skipped.
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "flake_test.h"

namespace {

using flake_test::Clock;
using flake_test::Generator;
using std::string;

// ---- the files ----------------------------------------------------------------------------------

std::vector<string> split(const string &text, char separator) {
  std::vector<string> parts(1);
  for (char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

// One pass from left to right: \xNN is a byte, \\ a backslash, \e nothing.
string unescaped(const string &field) {
  string text;
  for (size_t i = 0; i < field.size(); i++) {
    if (field[i] != '\\') {
      EXPECT_TRUE(field[i] > 0x20 && field[i] < 0x7f) << "an unescaped byte in " << field;
      text += field[i];
      continue;
    }
    const char kind = i + 1 < field.size() ? field[++i] : '?';
    unsigned byte = 0;
    if (kind == '\\') {
      text += '\\';
    } else if (kind == 'x' && i + 2 < field.size() &&
               std::from_chars(&field[i + 1], &field[i + 3], byte, 16).ptr == &field[i + 3]) {
      text += static_cast<char>(byte);
      i += 2;
    } else if (kind != 'e') {
      ADD_FAILURE() << "not an escape in " << field;
    }
  }
  return text;
}

class Row {
 public:
  Row(string place, std::map<string, string> fields)
      : place_(std::move(place)), fields_(std::move(fields)) {}

  // "clock.tsv:7: why"
  string where() const { return place_ + ": " + fields_.at("why"); }
  bool has(const string &column) const { return fields_.at(column) != "-"; }
  string text(const string &column) const {
    EXPECT_TRUE(has(column)) << column << " has no value";
    return unescaped(fields_.at(column));
  }
  int64_t number(const string &column) const { return number_of<int64_t>(column); }
  uint64_t unsigned_number(const string &column) const { return number_of<uint64_t>(column); }
  // Of a row that is refused: nothing else is said.
  void expect_no(const std::vector<string> &columns) const {
    for (const string &column : columns) EXPECT_FALSE(has(column)) << column;
  }

 private:
  template <typename Number>
  Number number_of(const string &column) const {
    const string &field = fields_.at(column);
    Number value{};
    const auto read = std::from_chars(field.data(), field.data() + field.size(), value);
    EXPECT_TRUE(read.ec == std::errc() && read.ptr == field.data() + field.size())
        << column << " is not a number: " << field;
    return value;
  }
  string place_;
  std::map<string, string> fields_;
};

// The rows of a file that has exactly these columns.
std::vector<Row> rows_of(const string &name, const string &columns) {
  std::ifstream file(string(FLAKE_VECTORS) + "/" + name, std::ios::binary);
  const string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<Row> rows;
  if (text.empty() || text.back() != '\n') {
    ADD_FAILURE() << FLAKE_VECTORS << "/" << name << " is missing, empty or cut off";
    return rows;
  }
  const std::vector<string> lines = split(text.substr(0, text.size() - 1), '\n');
  const std::vector<string> names = split(columns, ' '), found = split(lines[0], '\t');
  EXPECT_EQ(found, names) << name << ":1: other columns than this test knows";
  for (size_t i = 1; i < lines.size() && found == names; i++) {
    const string place = name + ":" + std::to_string(i + 1);
    const std::vector<string> fields = split(lines[i], '\t');
    std::map<string, string> row;
    if (fields.size() != names.size()) {
      ADD_FAILURE() << place << ": " << fields.size() << " fields, not " << names.size();
      continue;
    }
    for (size_t c = 0; c < fields.size(); c++) {
      EXPECT_FALSE(fields[c].empty()) << place << ": " << names[c] << " is empty";
      row[names[c]] = fields[c];
    }
    rows.emplace_back(place, row);
  }
  EXPECT_GT(rows.size(), 0u) << name << " has no rows";
  return rows;
}

flake_status parse_text(const string &text, flake_layout *layout) {
  return flake_layout_parse(text.data(), text.size(), layout);
}

flake_layout layout_of(const Row &row) {
  return flake_test::parse(row.text("layout"));
}

void expect_named(const string &expected, int64_t status, const char *call) {
  EXPECT_EQ(flake_status_name(status), expected) << call << " gives " << flake_test::said(status);
}

// ---- layouts, IDs, bounds -----------------------------------------------------------------------

const char kLayoutColumns[] =
    "text status canonical time_bits time_shift node_bits node_shift seq_bits seq_shift tick_ms "
    "epoch_ms expires_ms now_ms check why";

void check_layout_row(const Row &row) {
  flake_layout layout{}, again{};
  const flake_status status = parse_text(row.text("text"), &layout);
  expect_named(row.text("status"), status, "flake_layout_parse");
  if (row.text("status") != "ok") {
    row.expect_no({"canonical", "time_bits", "time_shift", "node_bits", "node_shift", "seq_bits",
                   "seq_shift", "tick_ms", "epoch_ms", "expires_ms", "now_ms", "check"});
    return;
  }
  char text[FLAKE_LAYOUT_TEXT_SIZE] = "";
  const string canonical = row.text("canonical");
  EXPECT_EQ(flake_layout_format(&layout, text, sizeof text), static_cast<int>(canonical.size()));
  EXPECT_EQ(text, canonical);
  EXPECT_STATUS(FLAKE_OK, parse_text(canonical, &again));
  EXPECT_EQ(std::memcmp(&layout, &again, sizeof layout), 0) << "the canonical text means another";
  EXPECT_EQ(layout.time_bits, row.number("time_bits"));
  EXPECT_EQ(layout.time_shift, row.number("time_shift"));
  EXPECT_EQ(layout.node_bits, row.number("node_bits"));
  EXPECT_EQ(layout.node_shift, row.number("node_shift"));
  EXPECT_EQ(layout.seq_bits, row.number("seq_bits"));
  EXPECT_EQ(layout.seq_shift, row.number("seq_shift"));
  EXPECT_EQ(layout.tick_ms, row.number("tick_ms"));
  EXPECT_EQ(layout.epoch_ms, row.number("epoch_ms"));
  EXPECT_EQ(flake_layout_expires_ms(&layout), row.number("expires_ms"));
  expect_named(row.text("check"), flake_layout_check(&layout, row.number("now_ms")),
               "flake_layout_check");
}

TEST(Vectors, OfLayoutsHold) {
  for (const Row &row : rows_of("layouts.tsv", kLayoutColumns)) {
    SCOPED_TRACE(row.where());
    check_layout_row(row);
  }
}

// As the C library tells UTC, whatever the time zone; "-" beyond the year 9999.
string iso(int64_t unix_ms) {
  const time_t seconds = unix_ms / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32], all[40];
  if (utc.tm_year + 1900 > 9999) return "-";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(all, sizeof all, "%s.%03dZ", text, static_cast<int>(unix_ms % 1000));
  return all;
}

void check_id_row(const Row &row) {
  const flake_layout layout = layout_of(row);
  EXPECT_TRUE(row.has("decode_status") || row.has("compose_status")) << "says nothing";
  if (row.has("decode_status")) {
    flake_decoded decoded{};
    const flake_status status = flake_decode(&layout, row.unsigned_number("id"), &decoded);
    expect_named(row.text("decode_status"), status, "flake_decode");
    if (row.text("decode_status") == "ok") {
      EXPECT_EQ(decoded.unix_ms, row.number("unix_ms"));
      EXPECT_EQ(decoded.tick, row.number("tick"));
      EXPECT_EQ(decoded.node, row.number("node"));
      EXPECT_EQ(decoded.sequence, row.number("sequence"));
      EXPECT_EQ(iso(decoded.unix_ms), row.has("iso") ? row.text("iso") : "-");
    }
  }
  if (row.has("compose_status")) {
    const int64_t id =
        flake_compose(&layout, row.number("unix_ms"), row.number("node"), row.number("sequence"));
    expect_named(row.text("compose_status"), id, "flake_compose");
    if (row.text("compose_status") == "ok") {
      EXPECT_EQ(static_cast<uint64_t>(id), row.unsigned_number("id"));
    }
  }
}

TEST(Vectors, OfIdsHoldInEveryTimeZone) {  // S39
  const char kColumns[] =
      "layout id decode_status unix_ms tick node sequence iso compose_status why";
  for (const char *zone : {"UTC0", "CST-8", "EST5EDT"}) {
    setenv("TZ", zone, 1);
    tzset();
    for (const Row &row : rows_of("ids.tsv", kColumns)) {
      SCOPED_TRACE(row.where());
      check_id_row(row);
    }
  }
}

TEST(Vectors, OfBoundsHold) {
  for (const Row &row : rows_of("bounds.tsv", "layout from_ms until_ms status min_id max_id why")) {
    SCOPED_TRACE(row.where());
    const flake_layout layout = layout_of(row);
    uint64_t low = 0, high = 0;
    const flake_status status =
        flake_bounds(&layout, row.number("from_ms"), row.number("until_ms"), &low, &high);
    expect_named(row.text("status"), status, "flake_bounds");
    if (row.text("status") == "ok") {
      EXPECT_EQ(low, row.unsigned_number("min_id"));
      EXPECT_EQ(high, row.unsigned_number("max_id"));
    } else {
      row.expect_no({"min_id", "max_id"});
    }
  }
}

// ---- clock scripts ------------------------------------------------------------------------------

// How a call waits: inside flake_next, or by steps with a sleep of the caller's own.
using Next = std::function<int64_t(flake_generator *, Clock &, bool sleeps_stopped)>;

int64_t next_inside(flake_generator *gen, Clock &, bool) {
  return flake_next(gen);
}

int64_t next_by_steps(flake_generator *gen, Clock &clock, bool sleeps_stopped) {
  flake_attempt attempt{};
  for (;;) {
    const int64_t id = flake_next_step(gen, &attempt);
    if (id != FLAKE_E_AGAIN) return id;
    EXPECT_GT(attempt.wait_ns, 0);
    if (!sleeps_stopped) clock.advance(attempt.wait_ns);
  }
}

// Failures of this test so far.
int failures() {
  return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
}

class Player {
 public:
  Player(string name, string space, Next next)
      : name_(std::move(name)), space_(std::move(space)), next_(std::move(next)) {}

  bool plays(const Row &row) const { return row.text("script") == name_; }
  bool ended() const { return !gen_ || failed_; }

  // After a failure the rest of a script says nothing.
  void play(const Row &row) {
    const int before = failures();
    if (!failed_) play_step(row);
    failed_ = failed_ || failures() > before;
  }

 private:
  void play_step(const Row &row) {
    static const std::map<string, void (Player::*)(const Row &)> ops = {
        {"clock", &Player::clock}, {"wall", &Player::wall},
        {"rate", &Player::rate},   {"advance", &Player::advance},
        {"open", &Player::open},   {"script", &Player::script},
        {"close", &Player::close}, {"stop_sleeps", &Player::stop_sleeps},
        {"next", &Player::next},   {"elapsed", &Player::elapsed}};
    EXPECT_EQ(row.number("step"), ++steps_);
    const auto op = ops.find(row.text("op"));
    if (op == ops.end() || (steps_ == 1) != (op->first == "clock")) {
      ADD_FAILURE() << "the op " << row.text("op") << " is unknown, or stands at the wrong place";
      return;
    }
    if (op->first != "next") row.expect_no({"first_id", "last_id"});
    (this->*op->second)(row);
  }
  void clock(const Row &row) {
    clock_ = std::make_unique<Clock>(row.number("arg1"));
    marked_ns_ = clock_->monotonic();
    EXPECT_EQ(row.text("expected"), "ok");
  }
  void wall(const Row &row) { answer(row, flake_test_clock_set_wall(*clock_, row.number("arg1"))); }
  void rate(const Row &row) { answer(row, flake_test_clock_set_rate(*clock_, row.number("arg1"))); }
  void advance(const Row &row) {
    answer(row, flake_test_clock_advance(*clock_, row.number("arg1")));
  }
  void script(const Row &row) {
    answer(row, flake_test_clock_script(*clock_, row.number("arg1"), row.number("arg2")));
  }
  void stop_sleeps(const Row &row) {
    sleeps_stopped_ = row.number("arg1") != 0;
    answer(row, flake_test_clock_stop_sleeps(*clock_, static_cast<int32_t>(row.number("arg1"))));
  }
  void close(const Row &row) {
    ASSERT_TRUE(gen_) << "nothing is open";
    answer(row, gen_->close());
    gen_.reset();
  }
  void elapsed(const Row &row) {
    const int64_t now_ns = clock_->monotonic();
    EXPECT_EQ(now_ns - marked_ns_, row.number("expected"));
    marked_ns_ = now_ns;
  }
  void open(const Row &row) {
    ASSERT_FALSE(gen_) << "one is open already";
    flake_config config = flake_test::make_config();
    config.node = FLAKE_UNSET;
    flake_test::set_space(config, space_);
    flake_status status = parse_text(row.text("arg1"), &config.layout);
    if (row.has("arg2"))
      for (const string &option : split(row.text("arg2"), ',')) set_option(config, option);
    if (status == FLAKE_OK) {
      auto opened = std::make_unique<Generator>(config, *clock_);
      status = opened->status();
      if (status == FLAKE_OK) gen_ = std::move(opened);
    }
    biggest_ = 0;
    answer(row, status);
  }
  void next(const Row &row) {
    ASSERT_TRUE(gen_) << "nothing is open";
    const string expected = row.text("expected");
    if (expected != "ok") row.expect_no({"first_id", "last_id"});
    const int64_t count = row.number("arg1");
    ASSERT_GT(count, 0);
    int64_t first = 0;
    for (int64_t i = 1; i <= count; i++) {
      const int64_t id = next_(*gen_, *clock_, sleeps_stopped_);
      expect_named(expected, id, ("call " + std::to_string(i)).c_str());
      if (flake_status_name(id) != expected) return;
      if (expected != "ok") continue;
      EXPECT_GT(id, biggest_);
      biggest_ = id;
      if (i == 1) first = id;
    }
    if (expected == "ok") {
      EXPECT_EQ(first, row.number("first_id"));
      EXPECT_EQ(biggest_, row.number("last_id"));
    }
  }

  static void answer(const Row &row, flake_status status) {
    expect_named(row.text("expected"), status, row.text("op").c_str());
  }
  static void set_option(flake_config &config, const string &option) {
    const std::map<string, int64_t flake_config::*> numbers = {
        {"node", &flake_config::node},
        {"max_wait_ms", &flake_config::max_wait_ms},
        {"max_lead_ms", &flake_config::max_lead_ms},
        {"start_floor_ms", &flake_config::start_floor_ms},
        {"ceiling_ms", &flake_config::ceiling_ms},
        {"seq_spread_bits", &flake_config::seq_spread_bits}};
    const std::map<string, flake_mode> modes = {{"mode=strict", FLAKE_MODE_STRICT},
                                                {"mode=monotonic", FLAKE_MODE_MONOTONIC}};
    const size_t equals = option.find('=');
    const auto number = numbers.find(option.substr(0, equals));
    if (modes.count(option))
      config.mode = modes.at(option);
    else if (equals == string::npos || number == numbers.end())
      ADD_FAILURE() << "the option " << option << " is unknown";
    else
      config.*number->second = Row("", {{"value", option.substr(equals + 1)}}).number("value");
  }

  const string name_, space_;
  const Next next_;
  std::unique_ptr<Clock> clock_;  // before the generator that uses it
  std::unique_ptr<Generator> gen_;
  bool sleeps_stopped_ = false;
  bool failed_ = false;
  int64_t steps_ = 0, marked_ns_ = 0, biggest_ = 0;
};

void play_scripts(const string &prefix, const Next &next) {
  const char kColumns[] = "script step op arg1 arg2 expected first_id last_id why";
  std::unique_ptr<Player> player;
  std::set<string> names;
  const auto expect_closed = [&] {
    EXPECT_TRUE(!player || player->ended()) << "the script leaves a generator open";
  };
  for (const Row &row : rows_of("clock.tsv", kColumns)) {
    SCOPED_TRACE(row.where() + " (" + row.text("script") + ")");
    if (!player || !player->plays(row)) {
      expect_closed();
      const string name = row.text("script");
      EXPECT_TRUE(names.insert(name).second) << "the rows of " << name << " are not together";
      player = std::make_unique<Player>(name, prefix + name, next);
    }
    player->play(row);
  }
  expect_closed();
}

TEST(Vectors, OfClockScriptsHoldWhenFlakeNextSleeps) {
  play_scripts("next-", next_inside);
}

TEST(Vectors, OfClockScriptsHoldWhenTheCallerSleeps) {
  play_scripts("step-", next_by_steps);
}

}  // namespace
