// SPDX-License-Identifier: MIT
// The host-wide guard, with real processes: two that were given one node never issue the same ID,
// whatever becomes of the processes, their forks, their descriptors, and the run directory.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "flake_test.h"
#include "in_child.h"

namespace {

using namespace flake_test;
namespace fs = std::filesystem;

constexpr const char *kVariable = "FLAKECORE_RUN_DIR";
constexpr uid_t kNobody = 65534;

// ---- processes ----------------------------------------------------------------------------------

enum class What { kOpen, kNext, kClose, kReasons, kBeget, kLeave };

struct Order {
  What what;
  flake_config config;
};

// Another process that has one generator and does what it is told.
class Line {
 public:
  Line(int fd, pid_t pid) : fd_(fd), pid_(pid) {}

  pid_t pid() const { return pid_; }
  int64_t open(const flake_config &config) { return order({What::kOpen, config}); }
  int64_t next() { return order({What::kNext, {}}); }
  int64_t close() { return order({What::kClose, {}}); }
  // What health says, as flake_reason bits.
  int64_t reasons() { return order({What::kReasons, {}}); }
  // Ends it, without closing what it has open.
  void leave() {
    order({What::kLeave, {}});
    reap();
  }
  // Ends it in a moment that it does not choose.
  void kill() {
    ASSERT_GT(pid_, 0);  // anything else would mean many processes
    ::kill(pid_, SIGKILL);
    reap();
  }

 protected:
  int64_t order(const Order &order) {
    int64_t value = 0;
    EXPECT_EQ(send(fd_, &order, sizeof order, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof order));
    EXPECT_EQ(recv(fd_, &value, sizeof value, 0), static_cast<ssize_t>(sizeof value));
    return value;
  }
  void reap() {
    EXPECT_EQ(waitpid(pid_, nullptr, 0), pid_);
    pid_ = 0;
  }

  int fd_;
  pid_t pid_;
};

// A child of this process; make it before the generators that it shall not inherit. It can have one
// child of its own, which this process takes over when the parent is gone.
class Peer : public Line {
 public:
  explicit Peer(flake_generator *inherited = nullptr) : Line(-1, 0) {
    int own[2], heir[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, own), 0);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, heir), 0);
    EXPECT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    std::fflush(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(own[0]);
      ::close(heir[0]);
      serve(own[1], heir[1], inherited);
    }
    EXPECT_GT(pid_, 0);
    ::close(own[1]);
    ::close(heir[1]);
    fd_ = own[0];
    heir_fd_ = heir[0];
  }
  Peer(const Peer &) = delete;
  Peer &operator=(const Peer &) = delete;
  ~Peer() {
    if (pid_ > 0) leave();
    ::close(fd_);
    ::close(heir_fd_);
  }

  // Makes the process fork. The child can leave only after it.
  Line beget() { return Line(heir_fd_, static_cast<pid_t>(order({What::kBeget, {}}))); }

 private:
  [[noreturn]] static void serve(int fd, int heir_fd, flake_generator *gen) {
    alarm(120);
    Order order;
    while (recv(fd, &order, sizeof order, 0) == static_cast<ssize_t>(sizeof order)) {
      int64_t value = 0;
      flake_health health{};
      if (order.what == What::kBeget) value = fork();
      if (order.what == What::kBeget && value == 0) serve(heir_fd, -1, gen);
      if (order.what == What::kOpen) value = flake_open(&order.config, nullptr, &gen);
      if (order.what == What::kNext) value = flake_next(gen);
      if (order.what == What::kClose) value = flake_close(gen);
      if (order.what == What::kReasons) {
        value = flake_health_get(gen, &health, sizeof health);
        if (value == FLAKE_OK) value = health.reasons;
      }
      send(fd, &value, sizeof value, MSG_NOSIGNAL);
      if (order.what == What::kLeave) break;
    }
    _exit(0);
  }

  int heir_fd_;
};

// ---- surroundings -------------------------------------------------------------------------------

// Each test has a run directory of its own, so that tests that run at the same time do not meet.
class Guard : public testing::Test {
 protected:
  Guard() {
    EXPECT_NE(mkdtemp(dir_), nullptr);
    setenv(kVariable, dir_, 1);
  }
  ~Guard() override {
    unsetenv(kVariable);
    fs::remove_all(dir_);
  }

  std::string path(const std::string &name = "") const {
    return name.empty() ? dir_ : std::string(dir_) + "/" + name;
  }

  const flake_config config = make_config();

 private:
  char dir_[32] = "/tmp/flake-test-XXXXXX";
};

std::string lock_name(const flake_config &config) {
  return std::string("flakecore.") + config.space + "." + std::to_string(config.node) + ".lock";
}

flake_config with_node(flake_config config, int64_t node) {
  config.node = node;
  return config;
}

flake_config with_space(flake_config config, const std::string &space) {
  set_space(config, space);
  return config;
}

std::string read_file(const std::string &path) {
  std::stringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

void write_file(const std::string &path, const std::string &content) {
  std::ofstream file(path);
  file << content << std::flush;
  ASSERT_TRUE(file.good()) << path;
}

std::vector<std::string> names_in(const std::string &dir) {
  std::vector<std::string> names;
  for (const fs::directory_entry &entry : fs::directory_iterator(dir))
    names.push_back(entry.path().filename());
  return names;
}

// Opens and closes, and says what opening gave.
flake_status try_open(const flake_config &config) {
  return Generator(config).status();
}

std::string explain(const flake_config &config, int64_t status) {
  char text[FLAKE_EXPLAIN_SIZE];
  EXPECT_GT(flake_explain(&config, status, text, sizeof text), 0);
  return text;
}

void expect_says(const std::string &text, const std::vector<std::string> &words) {
  for (const std::string &word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

std::vector<int> descriptors() {
  std::vector<int> open;
  for (int fd = 0; fd < 4096; fd++)
    if (fcntl(fd, F_GETFD) >= 0) open.push_back(fd);
  return open;
}

// The descriptor of this process that is open on the file.
int descriptor_of(const std::string &path) {
  struct stat file {
  }, st{};
  EXPECT_EQ(stat(path.c_str(), &file), 0) << path;
  for (int fd : descriptors())
    if (fstat(fd, &st) == 0 && st.st_ino == file.st_ino && st.st_dev == file.st_dev) return fd;
  ADD_FAILURE() << path << " is not open";
  return -1;
}

flake_health health_of(flake_generator *gen) {
  flake_health health{};
  EXPECT_STATUS(FLAKE_OK, flake_health_get(gen, &health, sizeof health));
  return health;
}

// ---- one node, two processes --------------------------------------------------------------------

TEST_F(Guard, ANodeThatAnotherProcessHasIsRefusedUntilThatOneClosesIt) {
  Peer other;
  ASSERT_STATUS(FLAKE_OK, other.open(config));
  for (int i = 0; i < 3; i++) {
    flake_generator *gen = nullptr;
    EXPECT_STATUS(FLAKE_E_NODE_IN_USE, flake_open(&config, nullptr, &gen));
    EXPECT_EQ(gen, nullptr);
  }
  const int64_t last = other.next();
  ASSERT_ID(last);
  EXPECT_STATUS(FLAKE_OK, other.close());
  Generator gen(config);
  ASSERT_STATUS(FLAKE_OK, gen.status()) << "at once";
  EXPECT_GT(gen.next(), last);
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, other.open(config)) << "and now the other way round";
}

TEST_F(Guard, ANodeOfAProcessThatEndedOrWasKilledIsFreeAtOnceAndGoesOnAbove) {  // S6
  int64_t last = 0;
  for (int run = 0; run < 6; run++) {
    Peer process;
    ASSERT_STATUS(FLAKE_OK, process.open(config)) << "run " << run;
    for (int i = 0; i < 3; i++) {
      const int64_t id = process.next();
      ASSERT_GT(id, last) << said(id);
      last = id;
    }
    if (run % 2) process.kill();
  }
}

TEST_F(Guard, AThousandProcessesThatEachTakeOneIdInTurnRepeatNothing) {  // S4
  int64_t last = 0;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  for (int i = 0; i < 1000; i++) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Generator gen(config);
      const int64_t id = gen.status() == FLAKE_OK ? gen.next() : int64_t{gen.status()};
      _exit(write(ends[1], &id, sizeof id) != sizeof id);
    }
    int64_t id = 0;
    ASSERT_EQ(read(ends[0], &id, sizeof id), static_cast<ssize_t>(sizeof id));
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    ASSERT_GT(id, last) << said(id);
    last = id;
  }
  close(ends[0]);
  close(ends[1]);
}

TEST_F(Guard, OtherNodesAndOtherSpacesAreFree) {
  const std::vector<flake_config> configs = {
      config,
      with_node(config, 0),
      with_node(config, 11),
      with_node(config, 1023),
      with_space(config, "a"),
      with_space(config, "a.1"),
      with_space(with_node(config, 11), "a"),
      with_space(with_node(config, 1), "a.1.1"),
      with_space(config, "A"),
      with_space(config, "a-"),
      with_space(config, std::string(63, 'x')),
      with_space(config, std::string(62, 'x')),
  };
  std::vector<Generator> open;
  Peer other;
  for (const flake_config &each : configs) {
    open.emplace_back(each);
    EXPECT_STATUS(FLAKE_OK, open.back().status()) << each.space << " " << each.node;
  }
  for (const flake_config &each : configs)
    EXPECT_STATUS(FLAKE_E_NODE_IN_USE, other.open(each)) << each.space << " " << each.node;
}

TEST_F(Guard, ANodeIsRefusedWhateverElseDiffersInTheOptions) {
  flake_config longest = make_config("t31n32*1s", 4294967295);
  set_space(longest, std::string(63, 'z'));
  Peer other;
  ASSERT_STATUS(FLAKE_OK, other.open(config));
  flake_config layout = config, mode = config, coarse = config, spread = config;
  layout.layout = parse("sonyflake");
  mode.mode = FLAKE_MODE_MONOTONIC;
  mode.max_lead_ms = 1000;
  coarse.clock_source = FLAKE_CLOCK_COARSE;
  spread.seq_spread_bits = 4;
  for (const flake_config &each : {layout, mode, coarse, spread})
    EXPECT_STATUS(FLAKE_E_NODE_IN_USE, try_open(each));
  Peer third;
  ASSERT_STATUS(FLAKE_OK, third.open(longest));
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, try_open(longest)) << "the longest name";
}

TEST_F(Guard, OfManyProcessesThatOpenOneNodeAtOnceOneGetsIt) {
  for (int round = 0; round < 25; round++) {
    int start[2], end[2], won = 0, refused = 0;
    ASSERT_EQ(pipe(start) | pipe(end), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 8; i++) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      char byte;
      close(start[1]);
      (void)!read(start[0], &byte, 1);  // until all may start
      Generator gen(with_space(config, "round-" + std::to_string(round)));
      (void)!write(end[1], &byte, 1);
      while (getppid() != 1 && access(path("all").c_str(), F_OK) != 0) usleep(1000);
      _exit(gen.status() == FLAKE_OK ? 0 : gen.status() == FLAKE_E_NODE_IN_USE ? 1 : 2);
    }
    close(start[0]);
    close(start[1]);
    char byte;
    for (int i = 0; i < 8; i++) ASSERT_EQ(read(end[0], &byte, 1), 1);
    write_file(path("all"), "");
    for (pid_t child : children) {
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      won += WEXITSTATUS(status) == 0;
      refused += WEXITSTATUS(status) == 1;
    }
    close(end[0]);
    close(end[1]);
    fs::remove(path("all"));
    EXPECT_EQ(won, 1);
    EXPECT_EQ(refused, 7);
  }
}

TEST_F(Guard, EqualGeneratorsOfAProcessShareOneLockAndTheLastCloseGivesItUp) {
  Peer other;
  Generator one(config);
  const size_t count = descriptors().size();
  Generator two(config), three(config);
  EXPECT_EQ(descriptors().size(), count);
  EXPECT_STATUS(FLAKE_OK, one.close());
  EXPECT_STATUS(FLAKE_OK, three.close());
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, other.open(config));
  EXPECT_ID(two.next());
  EXPECT_STATUS(FLAKE_OK, two.close());
  EXPECT_EQ(descriptors().size(), count - 1);
  EXPECT_STATUS(FLAKE_OK, other.open(config));
}

TEST_F(Guard, AnOpenThatFailsAfterTheLockWasTakenGivesItUp) {
  Peer other;
  flake_config late = config;
  late.ceiling_ms = kNowMs;  // long ago by now
  const size_t count = descriptors().size();
  EXPECT_STATUS(FLAKE_E_CEILING_REACHED, try_open(late));
  EXPECT_EQ(descriptors().size(), count);
  EXPECT_STATUS(FLAKE_OK, other.open(config));
}

TEST_F(Guard, TheLockFileNamesItsHolderAndIsNeverDeleted) {
  Peer other;
  const std::string lock = path(lock_name(config));
  const mode_t mask = umask(0);
  EXPECT_STATUS(FLAKE_OK, try_open(config));
  umask(mask);
  struct stat before {
  }, after{};
  ASSERT_EQ(stat(lock.c_str(), &before), 0) << "it stays";
  EXPECT_EQ(read_file(lock), std::to_string(getpid()) + "\n");
  EXPECT_EQ(before.st_mode & 07022, 0u) << "only its owner may write";
  ASSERT_STATUS(FLAKE_OK, other.open(config));
  ASSERT_EQ(stat(lock.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(read_file(lock), std::to_string(other.pid()) + "\n");
  EXPECT_EQ(names_in(path()).size(), 1u);
}

TEST_F(Guard, ALockFileThatHoldsNonsenseIsNoObstacle) {
  for (const std::string &content : {std::string("nonsense"), std::string("999999999999\n"),
                                     std::string(100000, '7'), std::string(1, '\0')}) {
    write_file(path(lock_name(config)), content);
    Peer other;
    EXPECT_STATUS(FLAKE_OK, other.open(config));
    EXPECT_STATUS(FLAKE_E_NODE_IN_USE, try_open(config));
    EXPECT_EQ(read_file(path(lock_name(config))), std::to_string(other.pid()) + "\n");
  }
}

// ---- the sentence -------------------------------------------------------------------------------

TEST_F(Guard, ExplainNamesTheProcessThatHasTheNodeAndTheLockFile) {
  Peer other;
  ASSERT_STATUS(FLAKE_OK, other.open(config));
  ASSERT_STATUS(FLAKE_E_NODE_IN_USE, try_open(config));
  expect_says(explain(config, FLAKE_E_NODE_IN_USE),
              {"node 1 ", config.space, "process " + std::to_string(other.pid()),
               path(lock_name(config)), "another node"});
}

TEST_F(Guard, ExplainDoesNotBlameAProcessForANodeThatIsOpenInThisOne) {
  Generator gen(config);
  flake_config other = config;
  other.max_wait_ms = 5;
  ASSERT_STATUS(FLAKE_E_NODE_IN_USE, try_open(other));
  const std::string text = explain(other, FLAKE_E_NODE_IN_USE);
  expect_says(text, {"this process", "other options"});
  EXPECT_EQ(text.find(std::to_string(getpid())), std::string::npos) << text;
}

TEST_F(Guard, ExplainWorksWhenTheLockFileSaysNothing) {
  Peer other;
  ASSERT_STATUS(FLAKE_OK, other.open(config));
  for (const char *content : {"", "\n", "x", "-", "0", "-5\n"}) {
    write_file(path(lock_name(config)), content);
    expect_says(explain(config, FLAKE_E_NODE_IN_USE), {"node 1 ", config.space, "in use"});
  }
}

// ---- forks --------------------------------------------------------------------------------------

// Draws count IDs in every way; returns how many calls did not say that the process was forked.
int not_refused_as_forked(flake_generator *gen, int count) {
  int others = 0;
  for (int i = 0; i < count; i++) {
    flake_attempt attempt{};
    int64_t issued = 0, ids[4];
    others += flake_next(gen) != FLAKE_E_FORKED;
    if (i % 100) continue;
    others += flake_next_step(gen, &attempt) != FLAKE_E_FORKED;
    others += flake_next_range(gen, 4, &issued) != FLAKE_E_FORKED;
    others += flake_next_many(gen, ids, 4) != FLAKE_E_FORKED;
  }
  return others;
}

TEST_F(Guard, FourForkedChildrenGetNoIdOfTheParentsWhileItGoesOn) {  // S1
  Generator gen(config);
  std::vector<int64_t> ids;
  for (int i = 0; i < 1000; i++) ids.push_back(gen.next());
  std::vector<pid_t> children;
  for (int i = 0; i < 4; i++) {
    children.push_back(fork());
    if (children.back() == 0) _exit(not_refused_as_forked(gen, 30000) != 0);
    for (int n = 0; n < 10000; n++) ids.push_back(gen.next());
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "a child got something else than forked";
  }
  for (int n = 0; n < 100000; n++) ids.push_back(gen.next());
  EXPECT_ID(ids.front());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()), ids.end());
}

TEST_F(Guard, FourForkedChildrenWithNodesOfTheirOwnRepeatNothing) {  // S1, as it is meant
  Generator gen(config);
  EXPECT_ID(gen.next());
  std::vector<std::vector<int64_t>> drawn(5, std::vector<int64_t>(30000));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  for (size_t i = 0; i < 4; i++) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child != 0) continue;
    flake_close(gen);
    Generator own(with_node(config, 2 + static_cast<int64_t>(i)));
    for (int64_t &id : drawn[i]) id = flake_next(own);
    std::ofstream(path("ids" + std::to_string(i)))
        .write(reinterpret_cast<const char *>(drawn[i].data()),
               static_cast<std::streamsize>(drawn[i].size() * sizeof drawn[i][0]));
    _exit(0);
  }
  for (int64_t &id : drawn[4]) id = gen.next();
  for (size_t i = 0; i < 4; i++) {
    ASSERT_GT(wait(nullptr), 0);
  }
  std::vector<int64_t> all;
  for (size_t i = 0; i < 5; i++) {
    if (i < 4) {
      const std::string bytes = read_file(path("ids" + std::to_string(i)));
      ASSERT_EQ(bytes.size(), drawn[i].size() * sizeof drawn[i][0]);
      std::memcpy(drawn[i].data(), bytes.data(), bytes.size());
    }
    all.insert(all.end(), drawn[i].begin(), drawn[i].end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_ID(all.front());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST_F(Guard, AForkedChildThatClosesWhatItInheritedLeavesTheParentsLock) {
  Peer outsider;
  Generator gen(config);
  EXPECT_ID(gen.next());
  Peer child(gen);
  EXPECT_STATUS(FLAKE_E_FORKED, child.next());
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, child.open(config)) << "the parent has it";
  EXPECT_STATUS(FLAKE_OK, child.close());
  EXPECT_STATUS(FLAKE_E_FORKED, child.next());
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, child.open(config));
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, outsider.open(config));
  EXPECT_EQ(health_of(gen).reasons, 0u);
  EXPECT_ID(gen.next());
  EXPECT_STATUS(FLAKE_OK, child.open(with_node(config, 2)));
  EXPECT_ID(child.next());
}

TEST_F(Guard, AForkedChildThatClosedWhatItInheritedCanOpenTheNodeWhenItsParentIsGone) {
  Peer parent;
  ASSERT_STATUS(FLAKE_OK, parent.open(config));
  const int64_t last = parent.next();
  Line child = parent.beget();
  EXPECT_STATUS(FLAKE_OK, child.close());
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, child.open(config));
  parent.leave();
  EXPECT_STATUS(FLAKE_OK, child.open(config));
  EXPECT_GT(child.next(), last);
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, try_open(config));
  child.leave();
  EXPECT_STATUS(FLAKE_OK, try_open(config));
}

TEST_F(Guard, AForkedChildThatOutlivesItsParentKeepsTheNodeLockedUntilItClosesOrEnds) {
  for (bool closes : {true, false}) {
    Peer outsider, parent;
    ASSERT_STATUS(FLAKE_OK, parent.open(config));
    Line child = parent.beget();
    parent.kill();
    EXPECT_STATUS(FLAKE_E_NODE_IN_USE, outsider.open(config));
    EXPECT_STATUS(FLAKE_E_NODE_IN_USE, child.open(config)) << "it holds the lock itself";
    if (closes)
      EXPECT_STATUS(FLAKE_OK, child.close());
    else
      child.leave();
    EXPECT_STATUS(FLAKE_OK, outsider.open(config));
    if (closes) child.leave();
  }
}

TEST_F(Guard, AParentThatClosesAndOpensAgainIsNotHeldUpByItsChildren) {
  Peer outsider;
  Generator gen(config);
  const int64_t last = gen.next();
  Peer child(gen);  // as a worker that never heard of the generator
  EXPECT_STATUS(FLAKE_OK, gen.close());
  Generator again(config);
  ASSERT_STATUS(FLAKE_OK, again.status()) << "the last close unlocks the file";
  EXPECT_GT(again.next(), last);
  EXPECT_STATUS(FLAKE_E_FORKED, child.next());
  EXPECT_STATUS(FLAKE_OK, again.close());
  EXPECT_STATUS(FLAKE_OK, outsider.open(config));
}

TEST_F(Guard, ARawCloneIsAForkToo) {
  Generator gen(config);
  EXPECT_ID(gen.next());
  const int64_t child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0);
  if (child == 0) syscall(SYS_exit_group, not_refused_as_forked(gen, 10) != 0);
  int status = 0;
  ASSERT_EQ(waitpid(static_cast<pid_t>(child), &status, 0), child);
  EXPECT_EQ(status, 0) << "the child got something else than forked";
  EXPECT_ID(gen.next());
}

// Leaves the namespaces of the host; who may not do so becomes root of a user namespace for it.
void enter_private(int namespaces) {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (uid == 0 && unshare(namespaces) == 0) return;
  ASSERT_EQ(unshare(namespaces | CLONE_NEWUSER), 0)
      << "namespaces are needed: " << std::strerror(errno);
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1");
  write_file("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1");
}

TEST_F(Guard, AForkIntoANewPidNamespaceIsFoundAlsoWhenParentAndChildAreBothProcess1) {
  in_child([&] {
    Generator outer(config);
    EXPECT_ID(outer.next());
    enter_private(CLONE_NEWPID);
    in_child([&] {
      ASSERT_EQ(getpid(), 1);
      EXPECT_EQ(not_refused_as_forked(outer, 100), 0);
      Generator gen(with_node(config, 2));
      EXPECT_ID(gen.next());
      ASSERT_EQ(unshare(CLONE_NEWPID), 0);
      in_child([&] {
        ASSERT_EQ(getpid(), 1);
        EXPECT_EQ(not_refused_as_forked(gen, 100), 0);
      });
      EXPECT_ID(gen.next());
    });
    EXPECT_ID(outer.next());
  });
}

// ---- two copies of the library ------------------------------------------------------------------

// The shared library, loaded from a file of its own.
struct Copy {
  explicit Copy(const std::string &path) {
    fs::copy_file(FLAKE_SO, path);
    load(path);
  }

  void load(const std::string &path) {
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      ADD_FAILURE() << dlerror();
      return;
    }
    open = reinterpret_cast<decltype(open)>(dlsym(handle, "flake_open"));
    close = reinterpret_cast<decltype(close)>(dlsym(handle, "flake_close"));
    next = reinterpret_cast<decltype(next)>(dlsym(handle, "flake_next"));
    explain = reinterpret_cast<decltype(explain)>(dlsym(handle, "flake_explain"));
  }

  void *handle = nullptr;
  flake_status (*open)(const flake_config *, flake_test_clock *, flake_generator **) = nullptr;
  flake_status (*close)(flake_generator *) = nullptr;
  int64_t (*next)(flake_generator *) = nullptr;
  int32_t (*explain)(const flake_config *, int64_t, char *, size_t) = nullptr;
};

TEST_F(Guard, TwoCopiesOfTheLibraryInOneProcessNeverHaveOneNode) {  // S5, S43
  Copy one(path("one.so")), two(path("two.so"));
  ASSERT_TRUE(one.open && two.open);
  ASSERT_NE(one.open, two.open);
  flake_generator *first = nullptr, *second = nullptr;
  ASSERT_STATUS(FLAKE_OK, one.open(&config, nullptr, &first));
  const int64_t last = one.next(first);
  EXPECT_ID(last);
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, two.open(&config, nullptr, &second));
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, try_open(config)) << "nor the copy that is linked in";
  char text[FLAKE_EXPLAIN_SIZE];
  EXPECT_GT(two.explain(&config, FLAKE_E_NODE_IN_USE, text, sizeof text), 0);
  expect_says(text, {"process " + std::to_string(getpid())});
  const flake_config other = with_node(config, 2);
  ASSERT_STATUS(FLAKE_OK, two.open(&other, nullptr, &second));
  EXPECT_STATUS(FLAKE_OK, two.close(second));
  EXPECT_STATUS(FLAKE_OK, one.close(first));
  ASSERT_STATUS(FLAKE_OK, two.open(&config, nullptr, &second));
  EXPECT_GT(two.next(second), last);
  EXPECT_STATUS(FLAKE_OK, two.close(second));
}

TEST_F(Guard, ALibraryThatIsClosedAndLoadedAgainRemembersWhatItIssued) {
  flake_config ahead = config;
  ahead.mode = FLAKE_MODE_MONOTONIC;
  ahead.max_lead_ms = 60000;
  Copy library(path("library.so"));
  int64_t last = 0;
  for (int round = 0; round < 3; round++) {
    flake_generator *gen = nullptr;
    ASSERT_TRUE(library.open);
    ASSERT_STATUS(FLAKE_OK, library.open(&ahead, nullptr, &gen));
    for (int i = 0; i < 100000; i++) {  // far ahead of the clock
      const int64_t id = library.next(gen);
      ASSERT_GT(id, last);
      last = id;
    }
    EXPECT_STATUS(FLAKE_OK, library.close(gen));
    EXPECT_EQ(dlclose(library.handle), 0);
    library.load(path("library.so"));
  }
}

// ---- without the guard --------------------------------------------------------------------------

TEST_F(Guard, SwitchedOffItLetsBothOpenAndHealthWarns) {
  flake_config off = config;
  off.host_guard = FLAKE_GUARD_UNSAFE_OFF;
  Peer other;
  ASSERT_STATUS(FLAKE_OK, other.open(off));
  Generator gen(off);
  ASSERT_STATUS(FLAKE_OK, gen.status());
  EXPECT_ID(gen.next());
  EXPECT_EQ(health_of(gen).level, static_cast<uint32_t>(FLAKE_LEVEL_WARN));
  EXPECT_EQ(health_of(gen).reasons, static_cast<uint32_t>(FLAKE_REASON_GUARD_OFF));
  EXPECT_EQ(other.reasons(), FLAKE_REASON_GUARD_OFF);
  EXPECT_TRUE(fs::is_empty(path())) << "no lock file";
  setenv(kVariable, path("missing").c_str(), 1);
  EXPECT_STATUS(FLAKE_OK, try_open(with_node(off, 2))) << "needs no directory";
}

TEST_F(Guard, AGeneratorOnATestClockTakesNoLock) {
  Clock clock;
  Peer other;
  ASSERT_STATUS(FLAKE_OK, other.open(config));
  Generator gen(config, clock);
  ASSERT_STATUS(FLAKE_OK, gen.status());
  EXPECT_EQ(health_of(gen).reasons, 0u);
  setenv(kVariable, path("missing").c_str(), 1);
  EXPECT_STATUS(FLAKE_OK, Generator(with_node(config, 2), clock).status());
  EXPECT_EQ(names_in(path()).size(), 1u) << "the other's";
}

// ---- the run directory --------------------------------------------------------------------------

void expect_no_run_dir(const flake_config &config, const std::string &dir, const std::string &why) {
  SCOPED_TRACE("run directory \"" + dir + "\"");
  setenv(kVariable, dir.c_str(), 1);
  for (int i = 0; i < 2; i++) EXPECT_STATUS(FLAKE_E_NO_RUN_DIR, try_open(config));
  expect_says(explain(config, FLAKE_E_NO_RUN_DIR), {kVariable, dir, why});
}

TEST_F(Guard, ARunDirectoryThatIsNoneIsRefusedAndNoOtherIsTaken) {
  write_file(path("file"), "content");
  fs::create_directory(path("good"));
  fs::create_directory_symlink(path("good"), path("link"));
  const std::string missing = "No such file or directory", none = "not a directory";
  for (const auto &[dir, why] :
       std::vector<std::pair<std::string, std::string>>{{path("missing"), missing},
                                                        {path("missing/good"), missing},
                                                        {path("file"), none},
                                                        {path("file/good"), none},
                                                        {path("link"), none},
                                                        {"/dev/null", none},
                                                        {"/proc", ""},
                                                        {"", "empty"},
                                                        {path(std::string(300, 'x')), ""},
                                                        {path(std::string(5000, 'x')), ""}}) {
    if (dir.size() < 200) expect_no_run_dir(config, dir, why);
    setenv(kVariable, dir.c_str(), 1);
    errno = EMFILE;  // what an earlier call left there must not count
    EXPECT_STATUS(FLAKE_E_NO_RUN_DIR, try_open(config));
  }
  EXPECT_EQ(read_file(path("file")), "content");
  EXPECT_TRUE(fs::is_empty(path("good")));
  setenv(kVariable, path("good").c_str(), 1);
  EXPECT_STATUS(FLAKE_OK, try_open(config));
}

TEST_F(Guard, ARunDirectoryThatIsALinkIsRefusedHoweverItIsWritten) {
  fs::create_directory(path("good"));
  fs::create_directory_symlink(path("good"), path("link"));
  for (const std::string &dir : {path("link"), path("link/"), path("link//")})
    expect_no_run_dir(config, dir, "a symbolic link");
}

TEST_F(Guard, ARunDirectoryThatOthersCanWriteToMustBeSticky) {
  fs::create_directory(path("dir"));
  setenv(kVariable, path("dir").c_str(), 1);
  for (mode_t mode : {0777, 0770, 0730, 0702, 0703, 02775}) {
    ASSERT_EQ(chmod(path("dir").c_str(), mode), 0);
    expect_no_run_dir(config, path("dir"), "not sticky");
    EXPECT_TRUE(fs::is_empty(path("dir")));
  }
  for (mode_t mode : {01777, 01770, 0755, 0700, 0711, 03775}) {
    ASSERT_EQ(chmod(path("dir").c_str(), mode), 0);
    EXPECT_STATUS(FLAKE_OK, try_open(config)) << std::oct << mode;
  }
}

TEST_F(Guard, ARunDirectoryOfAnotherUserIsRefused) {
  fs::create_directory(path("dir"));
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path("dir").c_str(), kNobody, kNobody), 0);
    expect_no_run_dir(config, path("dir"), "another user owns it");
    return;
  }
  in_child([&] {  // here the host's root is neither root nor this user
    enter_private(0);
    expect_no_run_dir(config, "/", "another user owns it");
  });
}

// Gives up all that makes root different.
void drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  ASSERT_EQ(syscall(SYS_capset, &header, data), 0) << std::strerror(errno);
}

TEST_F(Guard, ARunDirectoryThatThisUserCannotWriteToIsRefused) {
  fs::create_directory(path("dir"));
  ASSERT_EQ(chmod(path("dir").c_str(), 0500), 0);
  in_child([&] {
    drop_capabilities();
    expect_no_run_dir(config, path("dir"), "Permission denied");
  });
}

// ---- what lies under the lock's name ------------------------------------------------------------

// Whatever lies there, the node is refused, and soon.
void expect_name_is_taken(const flake_config &config) {
  in_child([&] {
    alarm(10);
    for (int i = 0; i < 2; i++) EXPECT_STATUS(FLAKE_E_NO_RUN_DIR, try_open(config));
  });
}

TEST_F(Guard, ALinkUnderTheLocksNameIsNeverFollowed) {
  const std::string lock = path(lock_name(config)), victim = path("victim");
  write_file(victim, "content");
  fs::create_symlink(victim, lock);
  expect_name_is_taken(config);
  EXPECT_EQ(read_file(victim), "content");
  fs::remove(victim);
  expect_name_is_taken(config);
  EXPECT_FALSE(fs::exists(victim)) << "nor is a file made where a link points";
  const flake_config second = with_node(config, 2);
  Peer other;
  ASSERT_STATUS(FLAKE_OK, other.open(second));
  fs::remove(lock);
  fs::create_symlink(path(lock_name(second)), lock);
  expect_name_is_taken(config);
  fs::remove(lock);
  EXPECT_STATUS(FLAKE_OK, try_open(config));
}

TEST_F(Guard, AHardLinkUnderTheLocksNameIsRefusedAndNotWrittenTo) {
  const std::string lock = path(lock_name(config)), victim = path("victim");
  write_file(victim, "content");
  fs::create_hard_link(victim, lock);
  expect_name_is_taken(config);
  EXPECT_EQ(read_file(victim), "content");
  fs::remove(victim);
  EXPECT_STATUS(FLAKE_OK, try_open(config)) << "now it has one name";
}

TEST_F(Guard, ADirectoryAFifoOrASocketUnderTheLocksNameIsRefusedWithoutHanging) {
  const std::string lock = path(lock_name(config));
  ASSERT_EQ(mkdir(lock.c_str(), 0755), 0);
  expect_name_is_taken(config);
  fs::remove(lock);
  ASSERT_EQ(mkfifo(lock.c_str(), 0644), 0);
  expect_name_is_taken(config);
  ASSERT_EQ(chmod(lock.c_str(), 0444), 0);  // to read from it alone would wait for a writer
  in_child([&] {
    drop_capabilities();
    expect_name_is_taken(config);
  });
  fs::remove(lock);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(lock.size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, lock.c_str());
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  expect_name_is_taken(config);
  close(fd);
  fs::remove(lock);
  EXPECT_STATUS(FLAKE_OK, try_open(config));
}

// ---- the default directories --------------------------------------------------------------------

constexpr const char *kRunLock = "/run/lock";
constexpr const char *kDevShm = "/dev/shm";
constexpr const char *kTmp = "/tmp";

void mount_tmpfs(const char *dir, const std::string &options, unsigned long flags = 0) {
  ASSERT_EQ(mount("none", dir, "tmpfs", flags, options.c_str()), 0)
      << dir << ": " << std::strerror(errno);
}

// A host whose default directories are empty and its own, with nothing else chosen.
template <typename Body>
void on_host(Body body) {
  in_child([&] {
    unsetenv(kVariable);
    enter_private(CLONE_NEWNS);
    ASSERT_EQ(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    mount_tmpfs("/run", "mode=755");
    ASSERT_EQ(mkdir(kRunLock, 0755), 0);
    for (const char *dir : {kRunLock, kDevShm, kTmp}) mount_tmpfs(dir, "mode=1777");
    if (!testing::Test::HasFailure()) body();
  });
}

// Lock files must be in these of the default directories, and a second process must find them.
// Nowhere: no directory can be used.
void expect_lock_in(const flake_config &config, const std::vector<std::string> &where) {
  Peer other;
  Generator gen(config);
  EXPECT_STATUS(where.empty() ? FLAKE_E_NO_RUN_DIR : FLAKE_OK, gen.status());
  for (const char *dir : {kRunLock, kDevShm, kTmp})
    EXPECT_EQ(fs::exists(std::string(dir) + "/" + lock_name(config)),
              std::count(where.begin(), where.end(), dir) > 0)
        << dir;
  EXPECT_STATUS(where.empty() ? FLAKE_E_NO_RUN_DIR : FLAKE_E_NODE_IN_USE, other.open(config));
}

TEST_F(Guard, WithoutAChosenDirectoryALockLiesInEachThatCanBeUsed) {
  on_host([&] { expect_lock_in(config, {kRunLock, kDevShm, kTmp}); });
  on_host([&] {
    mount_tmpfs(kRunLock, "mode=1777", MS_RDONLY);
    expect_lock_in(config, {kDevShm, kTmp});
    mount_tmpfs(kDevShm, "mode=1777", MS_RDONLY);
    expect_lock_in(with_node(config, 2), {kTmp});
    mount_tmpfs(kTmp, "mode=1777", MS_RDONLY);
    expect_lock_in(with_node(config, 3), {});
    expect_says(explain(config, FLAKE_E_NO_RUN_DIR), {kVariable, kRunLock, kDevShm, kTmp});
  });
}

TEST_F(Guard, AChosenDirectoryIsTheOnlyOne) {
  on_host([&] {
    ASSERT_EQ(mkdir("/tmp/chosen", 0700), 0);
    setenv(kVariable, "/tmp/chosen", 1);
    expect_lock_in(config, {"/tmp/chosen"});
    EXPECT_TRUE(fs::exists("/tmp/chosen/" + lock_name(config)));
    setenv(kVariable, "/tmp/missing", 1);
    expect_lock_in(config, {});
  });
}

TEST_F(Guard, ADefaultDirectoryThatIsMissingOrUnsafeMakesWayForTheNext) {
  on_host([&] {
    ASSERT_EQ(umount(kRunLock), 0);
    ASSERT_EQ(rmdir(kRunLock), 0);
    expect_lock_in(config, {kDevShm, kTmp});
  });
  on_host([&] {
    ASSERT_EQ(chmod(kRunLock, 0777), 0);
    expect_lock_in(config, {kDevShm, kTmp});
  });
  on_host([&] {
    ASSERT_EQ(umount(kRunLock), 0);
    ASSERT_EQ(rmdir(kRunLock), 0);
    ASSERT_EQ(mkdir("/tmp/good", 0700) | symlink("/tmp/good", kRunLock), 0);
    expect_lock_in(config, {kDevShm, kTmp});
    EXPECT_TRUE(fs::is_empty("/tmp/good"));
  });
  on_host([&] {
    ASSERT_EQ(chmod(kRunLock, 0500), 0);
    drop_capabilities();
    expect_lock_in(config, {kDevShm, kTmp});
  });
}

TEST_F(Guard, ADefaultDirectoryThatIsFullDoesNotMakeWay) {
  on_host([&] {
    mount_tmpfs(kRunLock, "mode=1777,nr_inodes=1");
    expect_lock_in(config, {});
  });
}

TEST_F(Guard, ALockFileThatNothingCanBeWrittenToLocksAllTheSame) {
  on_host([&] {
    mount_tmpfs(kRunLock, "mode=1777,size=4k");
    write_file("/run/lock/full", std::string(4096, 'x'));
    expect_lock_in(config, {kRunLock, kDevShm, kTmp});
  });
}

// A container that the host's directory is mounted into read-only sees the same lock file.
TEST_F(Guard, ALockThatIsHeldIsRespectedWhereTheDirectoryIsReadOnly) {
  on_host([&] {
    Peer other;
    ASSERT_STATUS(FLAKE_OK, other.open(config));
    ASSERT_EQ(unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(mount(kRunLock, kRunLock, nullptr, MS_BIND, nullptr), 0);
    ASSERT_EQ(mount(nullptr, kRunLock, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr), 0);
    ASSERT_TRUE(fs::exists(std::string(kRunLock) + "/" + lock_name(config)));
    EXPECT_STATUS(FLAKE_E_NODE_IN_USE, try_open(config));
  });
}

TEST_F(Guard, UsersWhoCanUseDifferentDirectoriesMeetAllTheSame) {
  on_host([&] {
    ASSERT_EQ(chmod(kRunLock, 0755), 0);  // as some distributions have it: for root alone
    Peer other;
    in_child([&] {
      ASSERT_TRUE(setgid(kNobody) == 0 && setuid(kNobody) == 0);
      Generator gen(config);
      ASSERT_STATUS(FLAKE_OK, gen.status());
      EXPECT_STATUS(FLAKE_E_NODE_IN_USE, other.open(config));
    });
  });
}

TEST_F(Guard, ARelativeRunDirectoryIsRefused) {
  for (const char *dir : {".", "here", "./x"})
    expect_no_run_dir(config, dir, "not an absolute path");
}

TEST_F(Guard, AFileSizeLimitIsNoSignal) {
  in_child([&] {
    const rlimit none{0, 0};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    EXPECT_STATUS(FLAKE_OK, try_open(config));
  });
}

// ---- another user -------------------------------------------------------------------------------

// Goes on as somebody who has with the file only the rights of everybody.
void become_another_user(const std::string &file) {
  if (geteuid() == 0 && getuid() == 0 && setgid(kNobody) == 0) {
    ASSERT_EQ(setuid(kNobody), 0);
    return;
  }
  struct stat st {};
  ASSERT_EQ(stat(file.c_str(), &st), 0);
  ASSERT_EQ(chmod(file.c_str(), (st.st_mode & 07) << 6), 0);
  drop_capabilities();
}

TEST_F(Guard, AnotherUsersLockIsRespectedAndItsHolderNamed) {
  ASSERT_EQ(chmod(path().c_str(), 01777), 0);
  Peer other;
  ASSERT_STATUS(FLAKE_OK, other.open(config));
  in_child([&] {
    become_another_user(path(lock_name(config)));
    ASSERT_LT(open(path(lock_name(config)).c_str(), O_RDWR), 0) << "it must not be ours to write";
    EXPECT_STATUS(FLAKE_E_NODE_IN_USE, try_open(config));
    expect_says(explain(config, FLAKE_E_NODE_IN_USE), {"process " + std::to_string(other.pid())});
    EXPECT_STATUS(FLAKE_OK, other.close());
    Generator gen(config);
    ASSERT_STATUS(FLAKE_OK, gen.status()) << "a file that we can only read is enough to lock";
    EXPECT_EQ(health_of(gen).reasons, 0u);
    EXPECT_STATUS(FLAKE_E_NODE_IN_USE, other.open(config));
  });
}

// Where the file creation mask of the first one lets nobody else read the file.
TEST_F(Guard, AnotherUsersLockIsRespectedWhateverItsUmaskWas) {
  on_host([&] {
    umask(077);
    Peer other;
    ASSERT_STATUS(FLAKE_OK, other.open(config));
    become_another_user(std::string(kRunLock) + "/" + lock_name(config));
    const flake_status status = try_open(config);
    EXPECT_TRUE(status == FLAKE_E_NODE_IN_USE || status == FLAKE_E_NO_RUN_DIR)
        << "opened a second time, with the lock in another directory: " << said(status);
  });
}

// ---- descriptors --------------------------------------------------------------------------------

TEST_F(Guard, AtTheLimitOfDescriptorsOpeningIsRefusedAndNothingLeaks) {
  in_child([&] {
    const rlimit limit{64, 64};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    std::vector<int> taken;
    while (taken.empty() || taken.back() >= 0) taken.push_back(open("/dev/null", O_RDONLY));
    taken.pop_back();
    for (size_t room = 0; room < 2; room++) {
      const size_t count = descriptors().size();
      for (int i = 0; i < 10; i++) EXPECT_STATUS(FLAKE_E_OUT_OF_MEMORY, try_open(config));
      EXPECT_EQ(descriptors().size(), count) << "with room for " << room;
      close(taken.back());
      taken.pop_back();
    }
    Generator gen(config);
    EXPECT_STATUS(FLAKE_OK, gen.status()) << "two are enough";
    EXPECT_ID(gen.next());
  });
}

TEST_F(Guard, AThousandOpensAndClosesLeaveNoDescriptor) {
  Peer other;
  ASSERT_STATUS(FLAKE_OK, other.open(with_node(config, 2)));
  write_file(path(lock_name(with_node(config, 4))), "");
  fs::create_hard_link(path(lock_name(with_node(config, 4))), path("hard"));
  const std::vector<int> before = descriptors();
  for (int i = 0; i < 1000; i++) {
    ASSERT_STATUS(FLAKE_OK, try_open(config));
    ASSERT_STATUS(FLAKE_E_NODE_IN_USE, try_open(with_node(config, 2)));
    ASSERT_STATUS(FLAKE_E_NO_RUN_DIR, try_open(with_node(config, 4)));
    explain(with_node(config, 2), FLAKE_E_NODE_IN_USE);
  }
  EXPECT_EQ(descriptors(), before);
}

TEST_F(Guard, TheLockIsNotInheritedByAProgramThatIsExecuted) {
  Peer other;
  Generator gen(config);
  ASSERT_STATUS(FLAKE_OK, gen.status());
  EXPECT_NE(fcntl(descriptor_of(path(lock_name(config))), F_GETFD) & FD_CLOEXEC, 0);
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    execl("/bin/sleep", "sleep", "60", nullptr);
    _exit(127);
  }
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the other program runs";
  close(ends[0]);
  EXPECT_STATUS(FLAKE_OK, gen.close());
  EXPECT_STATUS(FLAKE_OK, other.open(config));
  kill(child, SIGKILL);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

void expect_guard_lost(flake_generator *gen) {
  const flake_health health = health_of(gen);
  EXPECT_EQ(health.level, static_cast<uint32_t>(FLAKE_LEVEL_WARN));
  EXPECT_EQ(health.reasons, static_cast<uint32_t>(FLAKE_REASON_GUARD_LOST));
  EXPECT_STATUS(FLAKE_OK, health.status);
}

TEST_F(Guard, AProgramThatClosedAllDescriptorsKeepsTheFileThatGotTheNumber) {
  Peer other;
  Generator gen(config);
  ASSERT_STATUS(FLAKE_OK, gen.status());
  const int64_t last = gen.next();
  const int fd = descriptor_of(path(lock_name(config)));
  ASSERT_EQ(close(fd), 0);
  expect_guard_lost(gen);
  const int null = open("/dev/null", O_RDONLY);
  ASSERT_EQ(dup2(null, fd), fd);
  struct stat stranger {
  }, after{};
  ASSERT_EQ(fstat(fd, &stranger), 0);
  expect_guard_lost(gen);
  EXPECT_STATUS(FLAKE_OK, gen.close());
  ASSERT_EQ(fstat(fd, &after), 0) << "closing the generator closed another's file";
  EXPECT_EQ(after.st_ino, stranger.st_ino);
  Generator again(config);
  ASSERT_STATUS(FLAKE_OK, again.status());
  EXPECT_GT(again.next(), last);
  EXPECT_EQ(health_of(again).reasons, 0u);
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, other.open(config));
  close(fd);
  close(null);
}

TEST_F(Guard, TheLockOfAnotherNodeUnderTheSameNumberIsAStrangersFile) {
  Peer other;
  const int highest = descriptors().back();
  while (open("/dev/null", O_RDONLY) < highest) {  // so that the lowest free numbers lie above
  }
  Generator gen(config);
  const int fd = descriptor_of(path(lock_name(config)));
  ASSERT_EQ(close(fd), 0);
  Generator second(with_node(config, 2));
  ASSERT_EQ(descriptor_of(path(lock_name(with_node(config, 2)))), fd);
  expect_guard_lost(gen);
  EXPECT_EQ(health_of(second).reasons, 0u);
  EXPECT_STATUS(FLAKE_OK, gen.close());
  EXPECT_EQ(health_of(second).reasons, 0u);
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, other.open(with_node(config, 2)));
}

TEST_F(Guard, AProgramThatClosedAllDescriptorsCanCloseItsGenerators) {
  Generator gen(config);
  ASSERT_EQ(close(descriptor_of(path(lock_name(config)))), 0);
  EXPECT_STATUS(FLAKE_OK, gen.close());
  EXPECT_STATUS(FLAKE_OK, try_open(config));
}

TEST_F(Guard, ALockFileThatWasDeletedIsToldByHealth) {
  Peer other;
  Generator gen(config);
  EXPECT_EQ(health_of(gen).reasons, 0u);
  fs::remove(path(lock_name(config)));
  expect_guard_lost(gen);
  EXPECT_ID(gen.next());
  EXPECT_STATUS(FLAKE_OK, other.open(config)) << "that is why health tells";
  expect_guard_lost(gen);
  EXPECT_STATUS(FLAKE_OK, gen.close());
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, try_open(config));
  EXPECT_STATUS(FLAKE_OK, other.close());
  Generator again(config);
  EXPECT_EQ(health_of(again).reasons, 0u);
}

TEST_F(Guard, ALockFileThatWasReplacedOrLostWithItsDirectoryIsToldByHealth) {
  Generator gen(config);
  write_file(path("new"), "");
  fs::rename(path("new"), path(lock_name(config)));
  expect_guard_lost(gen);
  Generator second(with_node(config, 2));
  fs::remove_all(path());
  expect_guard_lost(second);
}

TEST_F(Guard, ALockFileThatWasMovedIsToldByHealthUntilItIsBack) {
  Peer other;
  Generator gen(config);
  const std::string file = path(lock_name(config));
  fs::rename(file, path("elsewhere"));
  expect_guard_lost(gen);
  EXPECT_STATUS(FLAKE_OK, other.open(config)) << "that is why health tells";
  expect_guard_lost(gen);
  EXPECT_STATUS(FLAKE_OK, other.close());
  fs::rename(path("elsewhere"), file);
  EXPECT_EQ(health_of(gen).reasons, 0u);
  fs::rename(path(), path() + ".moved");
  expect_guard_lost(gen);
  fs::create_directory(path());
  expect_guard_lost(gen);
  fs::remove(path());
  fs::rename(path() + ".moved", path());
  EXPECT_EQ(health_of(gen).reasons, 0u);
}

}  // namespace
