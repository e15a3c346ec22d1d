// SPDX-License-Identifier: MIT
// flake doctor: each finding, from fixtures that stand for hosts and from a shim that stands for
// the kernel's clock.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <thread>

#include "command.h"

namespace {

constexpr int64_t kMs = 1000000;

Outcome doctor(const string &fixture, Words more = {}) {
  Words all = {"doctor", "--root", FLAKE_FIXTURES "doctor/" + fixture};
  all.insert(all.end(), more.begin(), more.end());
  return flake(all, "", {"FLAKECORE_RUN_DIR=/tmp"});
}

// "WARN  name: value" of the finding with this name, without the blanks; empty when there is none.
string finding(const Outcome &outcome, const string &name) {
  for (const string &line : lines(outcome.out)) {
    size_t at = line.find("  " + name + ": ");
    if (at < 9) return line.substr(0, line.find(' ')) + line.substr(at + 1);
  }
  return "";
}

void expect_finding(const Outcome &outcome, const string &name, const string &level_and_name,
                    const string &part) {
  string found = finding(outcome, name);
  EXPECT_PRED2(starts, found, level_and_name + " " + name + ": ");
  EXPECT_PRED2(contains, found, part);
}

// A file of this text, which goes with the object.
class File {
 public:
  explicit File(const string &text) : path_(testing::TempDir() + "flake-doctor-XXXXXX") {
    ::close(mkstemp(path_.data()));
    std::ofstream(path_) << text;
  }
  File(const File &) = delete;
  ~File() { unlink(path_.c_str()); }
  const string &path() const { return path_; }

 private:
  string path_;
};

const string kTrueTime(40, '\0');  // as clockshim.c reads it

// The kernel's account is "state status maxerror esterror".
Outcome with_kernel(const string &account, Words more = {}) {
  File clock(kTrueTime);
  Words all = {"doctor", "--root", FLAKE_FIXTURES "doctor/machine"};
  all.insert(all.end(), more.begin(), more.end());
  return flake(all, "",
               {"LD_PRELOAD=" + flake_test::preloadable(FLAKE_SHIM),
                "FLAKE_SHIM_FILE=" + clock.path(), "FLAKE_SHIM_ADJTIMEX=" + account});
}

// ---- as a whole ---------------------------------------------------------------------------------

TEST(Doctor, OnThisHostItSaysSomethingOfEverything) {
  Outcome outcome = flake({"doctor"});
  EXPECT_TRUE(outcome.status == 0 || contains(outcome.out, "FAIL"));
  EXPECT_EQ("", outcome.err);
  for (const string name : {"sync", "steering", "layout", "run directory", "machine", "machine-id",
                            "hostname", "clock source", "clock reading", "step"})
    EXPECT_NE("", finding(outcome, name)) << name;
}

TEST(Doctor, TheWorstComesFirstAndEachSaysWhatToDo) {
  Words all = lines(doctor("clone").out);
  const Words levels = {"FAIL", "WARN", "UNKNOWN", "OK"};
  size_t level = 0, findings = 0;
  for (size_t i = 0; i + 1 < all.size(); i++) {
    if (starts(all[i], " ")) continue;
    size_t at = std::find(levels.begin(), levels.end(), split(all[i])[0]) - levels.begin();
    ASSERT_LT(at, levels.size()) << all[i];
    EXPECT_GE(at, level);
    level = at;
    findings++;
    if (levels[at] == "OK") continue;
    EXPECT_PRED2(starts, all[i + 1], "         want: ");
    EXPECT_PRED2(starts, all[i + 2], "         do:   ");
  }
  EXPECT_GT(findings, 8u);
}

TEST(Doctor, AWarningIsNoFailureButWithStrict) {
  EXPECT_EQ(0, doctor("clone").status);
  EXPECT_EQ(1, doctor("clone", {"--strict"}).status);
  EXPECT_EQ(0, with_kernel("0 1 1000 10").status);
  EXPECT_EQ(0, with_kernel("0 1 1000 10", {"--strict"}).status) << "nothing to warn of";
  EXPECT_EQ(1, doctor("machine", {"--layout", "1/1/1"}).status);
}

TEST(Doctor, JsonHasTheSameFindings) {
  Outcome json = doctor("clone", {"--json"});
  EXPECT_EQ(1u, lines(json.out).size());
  EXPECT_PRED2(starts, json.out, "{\"findings\":[{\"level\":\"");
  EXPECT_PRED2(contains, json.out,
               "{\"level\":\"warn\",\"name\":\"machine-id\",\"value\":\"\\\"uninitialized\\\"\","
               "\"threshold\":\"32 hexadecimal digits that no other machine has\",\"advice\":\"");
  EXPECT_PRED2(contains, json.out, "],\"fail\":0,\"warn\":");
  Outcome read = flake_test::run({"/usr/bin/env", "python3", "-m", "json.tool"}, json.out);
  EXPECT_EQ(0, read.status) << read.err;
}

TEST(Doctor, ARootThatIsNoneIsRefused) {
  expect_refused(2, flake({"doctor", "--root", "/nowhere"}), "--root '/nowhere' is no directory");
  expect_refused(2, flake({"doctor", "--root", "/etc/passwd"}), "is no directory");
  EXPECT_EQ(2, flake({"doctor", "--root", string(5000, 'x')}).status);
}

TEST(Doctor, AnEmptyRootGivesUnknownsAndNoFailure) {
  Outcome outcome = flake({"doctor", "--root", FLAKE_FIXTURES "doctor/clone/etc"}, "",
                          {"FLAKECORE_RUN_DIR=/tmp"});
  EXPECT_EQ(0, outcome.status) << outcome.out;
  expect_finding(outcome, "steering", "UNKNOWN", "/proc shows no process");
  expect_finding(outcome, "machine-id", "UNKNOWN", "cannot be read");
  expect_finding(outcome, "clock source", "UNKNOWN", "not readable");
}

// ---- the kernel ---------------------------------------------------------------------------------

TEST(Doctor, TheKernelsAccountOfTheClockIsJudged) {
  Outcome good = with_kernel("0 1 25000 100");
  expect_finding(good, "sync", "OK", "is synchronised (status 0x0001)");
  expect_finding(good, "clock error", "OK", "at most 0.025000 s, estimated 0.000100 s");
  expect_finding(good, "leap second", "OK", "none");
  expect_finding(with_kernel("0 1 1000001 5"), "clock error", "WARN", "at most 1.000001 s");
  expect_finding(with_kernel("0 1 1000000 5"), "clock error", "OK", "at most 1.000000 s");
  for (const string account : {"5 1 16000000 16000000", "5 64 1 1", "0 65 1 1"}) {
    Outcome lost = with_kernel(account);
    expect_finding(lost, "sync", "WARN", "is not synchronised");
    EXPECT_EQ("", finding(lost, "clock error"));
  }
}

TEST(Doctor, AnAnnouncedLeapSecondIsAWarning) {
  expect_finding(with_kernel("0 17 1 1"), "leap second", "WARN", "steps back by 1 s");
  expect_finding(with_kernel("1 17 1 1"), "leap second", "WARN", "steps back by 1 s");
  expect_finding(with_kernel("3 1 1 1"), "leap second", "WARN", "steps back by 1 s");
  expect_finding(with_kernel("2 33 1 1"), "leap second", "WARN", "steps forward by 1 s");
  expect_finding(with_kernel("4 1 1 1"), "leap second", "OK", "none");
}

// As in a container: adjtimex is denied.
TEST(Doctor, WhatSeccompDeniesIsUnknown) {
#ifndef SYS_adjtimex
  FAIL() << "this machine has another call";
#else
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_adjtimex, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_adjtime, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      _exit(77);
    Outcome outcome = doctor("machine");
    expect_finding(outcome, "sync", "UNKNOWN", "adjtimex: Operation not permitted");
    expect_finding(outcome, "leap second", "UNKNOWN", "Operation not permitted");
    EXPECT_EQ(0, outcome.status);
    _exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) FAIL() << "no seccomp here";
  EXPECT_EQ(0, WEXITSTATUS(status));
#endif
}

// ---- time daemons -------------------------------------------------------------------------------

TEST(Doctor, DebiansChronyIsFine) {
  Outcome outcome = doctor("chrony-debian");
  expect_finding(outcome, "steering", "OK", "chronyd");
  expect_finding(outcome, "chrony steps", "OK",
                 "makestep 1 3 (/etc/chrony/chrony.conf:24): in the first 3 updates");
  expect_finding(outcome, "chrony leap seconds", "OK", "leapsecmode system (default)");
  expect_finding(outcome, "chrony sources", "OK", "1, none known to be smeared");
}

TEST(Doctor, ADropInThatLetsChronyStepAtAnyTimeIsFound) {
  Outcome outcome = doctor("chrony-anytime");
  expect_finding(outcome, "chrony steps", "WARN",
                 "makestep 0.5 -1 (/etc/chrony/conf.d/10-cloud.conf:2)");
  expect_finding(outcome, "chrony leap seconds", "OK", "leapsecmode slew");
  EXPECT_EQ(0, outcome.status);
  EXPECT_EQ(1, doctor("chrony-anytime", {"--strict"}).status);
}

TEST(Doctor, SmearedAndPlainSourcesTogetherAreAWarning) {
  Outcome outcome = doctor("chrony-mixed");
  expect_finding(outcome, "chrony sources", "WARN",
                 "169.254.169.123 smears leap seconds, 2.rhel.pool.ntp.org is not known to");
  expect_finding(outcome, "chrony steps", "OK", "makestep 1 3 (/etc/chrony.conf:3)");
}

TEST(Doctor, TwoKindsOfSmearAreAWarningAndIncludesEnd) {
  expect_finding(doctor("chrony-two-smears"), "chrony sources", "WARN",
                 "TIME1.google.com. smears leap seconds, time.facebook.com in another way");
  expect_finding(doctor("chrony-two-smears"), "chrony steps", "OK", "never: no makestep");
}

TEST(Doctor, ALeapSecondListBesideSmearedSourcesIsAWarning) {
  expect_finding(doctor("chrony-leap-list"), "chrony sources", "WARN", "a list announces them too");
}

TEST(Doctor, NtpdStepsUnlessItIsToldNotTo) {
  Outcome plain = doctor("ntpd-default");
  expect_finding(plain, "steering", "OK", "ntpd");
  expect_finding(plain, "ntpd steps", "WARN", "by more than 0.128 s");
  expect_finding(plain, "ntpd sources", "OK", "2, none known to be smeared");
  expect_finding(doctor("ntpd-x"), "ntpd steps", "OK", "-x: only beyond 600 s");
  Outcome tinkered = doctor("ntpsec-tinker");
  expect_finding(tinkered, "ntpd steps", "OK", "never: tinker step 0");
  expect_finding(tinkered, "ntpd sources", "WARN", "time.google.com smears");
  Outcome stopped = doctor("ntpd-stopped");
  expect_finding(stopped, "steering", "UNKNOWN", "no ");
  expect_finding(stopped, "ntpd steps", "OK", "-x: only beyond 600 s");
}

TEST(Doctor, TimesyncdStepsAndItsDropInsAreRead) {
  Outcome outcome = doctor("timesyncd");
  expect_finding(outcome, "steering", "OK", "systemd-timesyncd");
  expect_finding(outcome, "timesyncd steps", "WARN", "steps from 0.4 s on");
  expect_finding(outcome, "timesyncd sources", "WARN",
                 "169.254.169.123 smears leap seconds, ntp1.example.com is not known to");
}

TEST(Doctor, TwoDaemonsAtOnceAreAWarning) {
  Outcome outcome = doctor("two-daemons");
  expect_finding(outcome, "steering", "WARN", "chronyd, systemd-timesyncd: they may set");
  expect_finding(outcome, "chrony steps", "OK", "makestep 1 3");
  expect_finding(outcome, "timesyncd steps", "WARN", "0.4 s");
}

// Whatever stands in the files, the command ends and prints plain text.
TEST(Doctor, HostileFilesDoNoHarm) {
  namespace fs = std::filesystem;
  fs::path root = fs::path(testing::TempDir()) / ("flake-hostile-" + std::to_string(getpid()));
  fs::create_directories(root / "etc/chrony/conf.d");
  fs::create_directories(root / "proc/1");
  fs::create_directories(root / "proc/sys/kernel");
  std::ofstream(root / "proc/1/comm") << "chronyd\n";
  std::ofstream(root / "proc/sys/kernel/hostname") << "\x1b[31m" << string(100000, 'h');
  std::ofstream(root / "etc/machine-id") << "\xff\xfe\"\\";
  std::ofstream(root / "etc/chrony/chrony.conf")
      << "confdir /etc/chrony/conf.d\nmakestep\nserver\nleapsecmode " << string(70000, 'z')
      << "\nmakestep \x1b[31m nonsense\n"
      << string(1, '\0') << "\nserver " << string(5000, 's')
      << "\ninclude /etc/chrony/chrony.conf\n"
      << string(100000, ' ') << "\n";
  for (int i = 0; i < 50; i++)
    std::ofstream(root / "etc/chrony/conf.d" / (std::to_string(i) + ".conf"))
        << "server host" << i << ".example.com\n";
  ASSERT_EQ(0, mkfifo((root / "etc/chrony/conf.d/x.conf").c_str(), 0600));
  for (const string option : {"--json", "--strict"}) {
    Outcome outcome =
        flake({"doctor", "--root", root.string(), option}, "", {"FLAKECORE_RUN_DIR=/tmp"});
    EXPECT_LT(outcome.status, 2);
    for (char c : outcome.out) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << int{c};
    for (const string &line : lines(outcome.out))
      if (option == "--strict") {
        EXPECT_LT(line.size(), 420u);
      }
  }
  fs::remove_all(root);
}

// ---- the host -----------------------------------------------------------------------------------

TEST(Doctor, WhatMakesAMachineACopyIsFound) {
  Outcome clone = doctor("clone");
  expect_finding(clone, "machine-id", "WARN", "\"uninitialized\"");
  expect_finding(clone, "hostname", "WARN", "\"localhost\"");
  expect_finding(clone, "machine", "UNKNOWN", "without a generation ID");
  expect_finding(clone, "clock source", "WARN", "hpet (available: tsc hpet acpi_pm)");
  Outcome machine = doctor("machine");
  expect_finding(machine, "machine-id", "OK", "3d1219c7...");
  expect_finding(machine, "hostname", "OK", "\"web-3\"");
  expect_finding(machine, "machine", "OK", "with a generation ID");
  expect_finding(machine, "clock source", "OK", "kvm-clock");
}

// The names have a colon, which a file of the source tree should not.
TEST(Doctor, AGenerationIdIsFoundByItsAcpiName) {
  namespace fs = std::filesystem;
  fs::path root = fs::path(testing::TempDir()) / ("flake-acpi-" + std::to_string(getpid()));
  for (const string name : {"PNP0303:00", "VMGENCTR:00"}) {
    fs::create_directories(root / "sys/bus/acpi/devices" / name);
    Outcome outcome = flake({"doctor", "--root", root.string()});
    expect_finding(outcome, "machine", name == "PNP0303:00" ? "UNKNOWN" : "OK", "");
  }
  fs::remove_all(root);
}

TEST(Doctor, TheRunDirectoryIsJudgedAsTheGuardDoes) {
  Words words = {"doctor", "--root", FLAKE_FIXTURES "doctor/machine"};
  expect_finding(flake(words, "", {"FLAKECORE_RUN_DIR=/tmp"}), "run directory", "OK", "/tmp");
  Outcome none = flake(words, "", {"FLAKECORE_RUN_DIR=/nowhere"});
  expect_finding(none, "run directory", "FAIL", "/nowhere cannot be opened as a directory");
  EXPECT_EQ(1, none.status);
  string open = testing::TempDir() + "flake-open-" + std::to_string(getpid());
  mkdir(open.c_str(), 0777);
  chmod(open.c_str(), 0777);
  expect_finding(flake(words, "", {"FLAKECORE_RUN_DIR=" + open}), "run directory", "FAIL",
                 "can be written by others and is not sticky");
  EXPECT_NE(0, flake({"next", "--node", "1"}, "", {"FLAKECORE_RUN_DIR=" + open}).status);
  chmod(open.c_str(), 01777);
  expect_finding(flake(words, "", {"FLAKECORE_RUN_DIR=" + open}), "run directory", "OK", open);
  EXPECT_EQ(0, flake({"next", "--node", "1"}, "", {"FLAKECORE_RUN_DIR=" + open}).status);
  std::filesystem::remove_all(open);
}

TEST(Doctor, NodesThatAreHeldAreNamedAndStayHeld) {
  string dir = testing::TempDir() + "flake-held-" + std::to_string(getpid());
  mkdir(dir.c_str(), 0700);
  Words environment = {"FLAKECORE_RUN_DIR=" + dir};
  expect_finding(flake({"doctor"}, "", environment), "guard", "OK", "0 nodes in use");
  const int file = open((dir + "/flakecore.default.7.lock").c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_EQ(0, flock(file, LOCK_EX | LOCK_NB));
  expect_finding(flake({"doctor"}, "", environment), "guard", "OK", "1 node in use: default.7");
  expect_refused(1, flake({"next", "--node", "7"}, "", environment), "is in use");
  ::close(file);
  expect_finding(flake({"doctor"}, "", environment), "guard", "OK", "0 nodes in use");
  std::filesystem::remove_all(dir);
}

TEST(Doctor, TheEndOfTheLayoutIsForeseen) {
  expect_finding(doctor("machine"), "layout", "OK", "ends 2094-09-07");
  expect_finding(doctor("machine", {"--layout", "1/1/1"}), "layout", "FAIL", "time_used_up");
  expect_finding(doctor("machine", {"--layout", "41/10/12@4102444800000"}), "layout", "FAIL",
                 "before_epoch");
  int64_t now_s = time(nullptr);
  string soon = "40/10/12@" + std::to_string((now_s + 86400 * 300) * 1000 - (int64_t{1} << 40));
  expect_finding(doctor("machine", {"--layout", soon}), "layout", "WARN", "0 years are left");
}

// ---- steps --------------------------------------------------------------------------------------

// Runs the command under a clock that is moved by step_ns when it has run for a moment.
Outcome with_step(const string &words, int64_t step_ns, int after_ms) {
  File clock(kTrueTime);
  std::thread stepper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
    std::ofstream file(clock.path(), std::ios::binary | std::ios::in);
    file.write(reinterpret_cast<const char *>(&step_ns), sizeof step_ns);
  });
  Outcome outcome = shell("LD_PRELOAD=" + flake_test::preloadable(FLAKE_SHIM) +
                          " FLAKE_SHIM_FILE=" + clock.path() + " exec \"$flake\" doctor " + words);
  stepper.join();
  return outcome;
}

TEST(Doctor, WatchPrintsAStepBackAndFails) {
  Outcome outcome = with_step("--watch-seconds 3", -500 * kMs, 1200);
  EXPECT_EQ(1, outcome.status);
  EXPECT_EQ("", outcome.err);
  ASSERT_EQ(1u, lines(outcome.out).size()) << outcome.out;
  EXPECT_PRED2(contains, outcome.out, "the clock went back by 0.");
  double size = std::stod(outcome.out.substr(outcome.out.find(" by ") + 4));
  EXPECT_NEAR(0.5, size, 0.01);
}

TEST(Doctor, WatchPrintsAStepForwardAsJson) {
  Outcome outcome = with_step("--watch-seconds 3 --json", 3600000 * kMs, 1200);
  EXPECT_EQ(0, outcome.status);
  ASSERT_EQ(1u, lines(outcome.out).size()) << outcome.out;
  EXPECT_PRED2(contains, outcome.out, "\"step_ns\":3");
  EXPECT_EQ(1, with_step("--watch-seconds 3 --strict", 3600000 * kMs, 1200).status);
}

TEST(Doctor, WatchPrintsNothingWhenNothingHappensAndEndsWhenInterrupted) {
  expect_done(flake({"doctor", "--watch-seconds", "1"}), "");
  expect_done(shell("timeout -s INT 1 \"$flake\" doctor --watch; test $? = 124"), "");
  for (const string seconds : {"0", "-1", "x", "1000000001"})
    EXPECT_EQ(2, flake({"doctor", "--watch-seconds", seconds}).status);
}

// The kernel's own record: TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET on CLOCK_REALTIME.
TEST(Doctor, WatchAsksTheKernelToTellOfSteps) {
  Outcome outcome = shell(
      "\"$flake\" doctor --watch-seconds 2 & sleep 0.7;"
      " grep -h -E 'clockid|settime' /proc/$!/fdinfo/*; wait");
  expect_done(outcome, "clockid: 0\nsettime flags: 03\n");
}

TEST(Doctor, AClockThatStandsStillIsAFailure) {
  File clock(kTrueTime);
  const int64_t frozen_ns = time(nullptr) * int64_t{1000000000};
  std::ofstream file(clock.path(), std::ios::binary | std::ios::in);
  file.seekp(8);
  file.write(reinterpret_cast<const char *>(&frozen_ns), sizeof frozen_ns);
  file.close();
  Outcome outcome = flake(
      {"doctor"}, "",
      {"LD_PRELOAD=" + flake_test::preloadable(FLAKE_SHIM), "FLAKE_SHIM_FILE=" + clock.path()});
  EXPECT_EQ(1, outcome.status);
  expect_finding(outcome, "step", "FAIL", "the wall clock stood still");
  EXPECT_PRED2(starts, outcome.out, "FAIL");
}

}  // namespace
