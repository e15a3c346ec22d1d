// SPDX-License-Identifier: MIT
// A node from the surroundings: each source gives the right number or a typed error and a sentence,
// the first source that is there decides, and nothing is asked of the network.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "flake_test.h"
#include "in_child.h"

namespace {

using namespace flake_test;

constexpr int64_t kTwoTo31 = int64_t{1} << 31;
constexpr int64_t kTwoTo53 = int64_t{1} << 53;

struct Found {
  int64_t node;
  std::string text;
};

// What a chain gives, and its sentence, which must end inside the buffer.
Found ask(const std::string &chain, std::string_view layout_text = "41/10/12") {
  const flake_layout layout = parse(layout_text);
  std::string text(FLAKE_NODE_TEXT_SIZE, '#');
  Found found{flake_node_from(chain.data(), chain.size(), &layout, text.data(), text.size()), ""};
  EXPECT_NE(text.find('\0'), std::string::npos) << chain;
  found.text = text.c_str();
  EXPECT_GT(found.text.size(), 5u) << "a sentence for " << chain;
  EXPECT_EQ(flake_node_from(chain.data(), chain.size(), &layout, nullptr, 0) < 0, found.node < 0)
      << "the same without a text";
  return found;
}

// The chain must give this node or status, with a sentence that has these words.
void expect_node(int64_t expected, const std::string &chain,
                 const std::vector<std::string> &words = {},
                 std::string_view layout_text = "41/10/12") {
  const Found found = ask(chain, layout_text);
  // 0 is a node here, so EXPECT_STATUS, which prints it as "ok", would mislead
  EXPECT_EQ(found.node, expected) << chain << " on " << layout_text << ": " << found.text;
  for (const std::string &word : words)
    EXPECT_NE(found.text.find(word), std::string::npos) << word << " in: " << found.text;
}

class Variable {
 public:
  Variable(const char *name, const std::string &value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;
  ~Variable() { unsetenv(name_); }

 private:
  const char *name_;
};

class Directory {
 public:
  Directory() { EXPECT_NE(mkdtemp(path_), nullptr); }
  Directory(const Directory &) = delete;
  Directory &operator=(const Directory &) = delete;
  ~Directory() { std::filesystem::remove_all(path_); }

  std::string path(const std::string &name = "") const {
    return name.empty() ? path_ : std::string(path_) + "/" + name;
  }
  std::string file(const std::string &content) const {
    std::ofstream(path("node"), std::ios::binary | std::ios::trunc) << content;
    return "file:" + path("node");
  }

 private:
  char path_[32] = "/tmp/flake-test-XXXXXX";
};

void write_file(const char *path, const std::string &content) {
  std::ofstream file(path);
  file << content << std::flush;
  ASSERT_TRUE(file.good()) << path;
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

// ---- a number -----------------------------------------------------------------------------------

TEST(Node, ANumberThatFitsIsTheNodeAndEveryOtherIsRefused) {  // S31
  struct Case {
    const char *layout;
    int64_t max;
  };
  for (const Case &c : {Case{"41/10/12", 1023}, Case{"sonyflake", 65535}, Case{"js53", 31},
                        Case{"t31n32", 4294967295}, Case{"41/0/12", 0}, Case{"t48s16@0", 0}}) {
    std::set<int64_t> numbers = {0,
                                 1,
                                 16,
                                 31,
                                 32,
                                 1023,
                                 1024,
                                 65535,
                                 65536,
                                 70000,
                                 kTwoTo31 - 1,
                                 kTwoTo31,
                                 kTwoTo31 + 1,
                                 c.max,
                                 c.max + 1,
                                 1221865536,
                                 4294967295,
                                 4294967296,
                                 4294967297,
                                 kTwoTo53,
                                 kTwoTo53 + 1,
                                 INT64_MAX / 10 - 1};
    for (int64_t number : numbers) {
      const bool fits = number <= c.max;
      expect_node(fits ? number : int64_t{FLAKE_E_NODE_OUT_OF_RANGE}, std::to_string(number),
                  {std::to_string(number)}, c.layout);
    }
    expect_node(FLAKE_E_NODE_OUT_OF_RANGE, std::to_string(c.max + 1),
                {"0.." + std::to_string(c.max)}, c.layout);
  }
}

TEST(Node, ANumberThatDoesNotFitIsOutOfRangeHoweverLongItIs) {
  Directory dir;
  for (const std::string &number :
       {std::string("922337203685477579"), std::string("9223372036854775807"),
        std::string("9223372036854775808"), std::string("18446744073709551615"),
        std::string("18446744073709551616"), std::string("18446744073709551623"),
        std::string(60, '9')}) {
    Variable variable("FLAKE_TEST_NODE", number);
    for (const std::string &chain : {number, std::string("env:FLAKE_TEST_NODE"), dir.file(number)})
      expect_node(FLAKE_E_NODE_OUT_OF_RANGE, chain);
  }
}

TEST(Node, ANumberIsDecimalAlsoWithLeadingZeros) {
  expect_node(8, "08");
  expect_node(10, "010");
  expect_node(0, "000");
  expect_node(7, std::string(200, '0') + "7");
}

const char *const not_numbers[] = {"",    " ",        "7 ",  " 7",  "-1",  "+7",    "-0",   "7.5",
                                   "7.0", "7\n",      "7\r", "NaN", "nan", "null",  "true", "0x10",
                                   "1e3", "7_0",      "1 2", "7\t", "7;",  "x7",    "7x",   "/",
                                   ":",   "\xd9\xa7", "٧",   "inf", "''",  "\"7\"", "0b1"};

TEST(Node, WhatIsNoNumberIsRefusedAsAnArgument) {  // S31
  for (const char *text : not_numbers) {
    expect_node(FLAKE_E_INVALID_ARGUMENT, text);
    Variable variable("FLAKE_TEST_NODE", text);
    expect_node(FLAKE_E_INVALID_ARGUMENT, "env:FLAKE_TEST_NODE",
                {"env:FLAKE_TEST_NODE", "0..1023"});
  }
}

TEST(Node, AWordThatIsNoSourceIsRefusedAndTheSourcesAreNamed) {
  for (const char *chain : {"env",
                            "env:",
                            "file",
                            "file:",
                            "ipv4",
                            "ipv4:",
                            "random",
                            "random:",
                            "hostname",
                            "hostname-ordinal:",
                            "hostname-ordinals",
                            "hostname-ordinal ",
                            " hostname-ordinal",
                            "ENV:X",
                            "Random:10",
                            "pid",
                            "auto",
                            "default",
                            "eth0",
                            "mac",
                            "env=X"})
    expect_node(FLAKE_E_INVALID_ARGUMENT, chain,
                {chain, "env:", "file:", "hostname-ordinal", "ipv4:", "random:"});
}

// ---- env ----------------------------------------------------------------------------------------

TEST(Node, OfAnEnvironmentVariableIsTheNumberInIt) {
  const std::string source = "env:FLAKE_TEST_NODE";
  expect_node(FLAKE_E_NO_NODE, source, {source, "not set"});
  for (int64_t node : {0, 1, 16, 1023}) {
    Variable variable("FLAKE_TEST_NODE", std::to_string(node));
    expect_node(node, source, {source, std::to_string(node)});
  }
  for (const char *number : {"1024", "70000", "1221865536", "9007199254740993"}) {
    Variable variable("FLAKE_TEST_NODE", number);
    expect_node(FLAKE_E_NODE_OUT_OF_RANGE, source, {source, number, "0..1023"});
  }
  expect_node(FLAKE_E_NO_NODE, source, {}, "sonyflake");
}

TEST(Node, AProcessIdIsNoNodeWhereItDoesNotFit) {  // S3
  Variable variable("FLAKE_TEST_NODE", "70000");
  for (const char *chain : {"70000", "env:FLAKE_TEST_NODE"}) {
    expect_node(FLAKE_E_NODE_OUT_OF_RANGE, chain, {"70000", "10 bits"});
    expect_node(FLAKE_E_NODE_OUT_OF_RANGE, chain, {"70000", "16 bits"}, "sonyflake");
  }
}

TEST(Node, AVeryLongValueOfAVariableIsRefusedAndShownInPart) {
  Variable variable("FLAKE_TEST_NODE", std::string(100000, 'x'));
  expect_node(FLAKE_E_INVALID_ARGUMENT, "env:FLAKE_TEST_NODE", {"xxxx", "0..1023"});
}

// ---- file ---------------------------------------------------------------------------------------

TEST(Node, OfAFileIsTheNumberInItsFirstLine) {
  Directory dir;
  expect_node(7, dir.file("7"), {"7", dir.path("node")});
  expect_node(7, dir.file("7\n"));
  expect_node(1023, dir.file("1023\nmore\n"));
  expect_node(7, dir.file("7\n" + std::string(1000000, 'x')));
  expect_node(0, dir.file("0\n\n"));
  expect_node(FLAKE_E_NODE_OUT_OF_RANGE, dir.file("1024\n"), {dir.path("node"), "1024", "0..1023"});
  expect_node(FLAKE_E_NODE_OUT_OF_RANGE, dir.file("9007199254740993\n"));
}

TEST(Node, AFileWithoutANumberInItsFirstLineIsRefused) {
  Directory dir;
  for (const char *content : not_numbers)
    if (std::string(content) != "7\n")
      expect_node(FLAKE_E_INVALID_ARGUMENT, dir.file(content), {dir.path("node"), "0..1023"});
  for (const std::string &content :
       {std::string("\n7\n"), std::string("7\r\n"), std::string(1, '\0'), std::string("7\0\n", 3),
        std::string("\xef\xbb\xbf"
                    "7\n"),
        std::string(1000, ' ') + "7", std::string(1000, 'x')})
    expect_node(FLAKE_E_INVALID_ARGUMENT, dir.file(content));
}

TEST(Node, AFirstLineIsReadToItsEndAndNeverCut) {
  Directory dir;
  for (size_t zeros = 50; zeros < 80; zeros++) {
    const Found found = ask(dir.file(std::string(zeros, '0') + "12\n"));
    EXPECT_TRUE(found.node == 12 || found.node < 0) << zeros << " zeros: " << found.text;
  }
}

TEST(Node, AFileThatIsMissingIsNoNode) {
  Directory dir;
  expect_node(FLAKE_E_NO_NODE, "file:" + dir.path("none"), {dir.path("none"), "not exist"});
  expect_node(FLAKE_E_NO_NODE, "file:" + dir.path("none/node"));
  ASSERT_EQ(symlink("none", dir.path("link").c_str()), 0);
  expect_node(FLAKE_E_NO_NODE, "file:" + dir.path("link"));
}

TEST(Node, AFileThatIsThereButCannotBeReadIsRefused) {
  Directory dir;
  expect_node(FLAKE_E_INVALID_ARGUMENT, "file:" + dir.path(), {dir.path(), "irectory"});
  const std::string source = dir.file("7");
  ASSERT_EQ(chmod(dir.path("node").c_str(), 0), 0);
  in_child([&] {
    if (geteuid() == 0) {
      ASSERT_EQ(setgid(65534) | setuid(65534), 0);
    }
    expect_node(FLAKE_E_INVALID_ARGUMENT, source, {dir.path("node"), "Permission denied"});
    expect_node(FLAKE_E_INVALID_ARGUMENT, source + ",7");
  });
}

TEST(Node, ASymlinkToAFileIsRead) {  // as Kubernetes mounts its files
  Directory dir;
  dir.file("7\n");
  ASSERT_EQ(symlink("node", dir.path("link").c_str()), 0);
  expect_node(7, "file:" + dir.path("link"));
}

TEST(Node, AFileThatNeverEndsOrNeverBeginsDoesNotHang) {
  Directory dir;
  ASSERT_EQ(mkfifo(dir.path("fifo").c_str(), 0600), 0);
  in_child([&] {
    alarm(10);
    expect_node(FLAKE_E_INVALID_ARGUMENT, "file:" + dir.path("fifo"));
    const int writer = open(dir.path("fifo").c_str(), O_RDWR);
    expect_node(FLAKE_E_INVALID_ARGUMENT, "file:" + dir.path("fifo"));
    close(writer);
    expect_node(FLAKE_E_INVALID_ARGUMENT, "file:/dev/zero");
    expect_node(FLAKE_E_INVALID_ARGUMENT, "file:/dev/null");
    expect_node(FLAKE_E_INVALID_ARGUMENT, "file:/dev/urandom");
  });
}

TEST(Node, NoSourceLeavesADescriptorOpen) {
  Directory dir;
  const std::string good = dir.file("7");
  for (int i = 0; i < 2000; i++)
    for (const std::string &chain :
         {good, "file:" + dir.path(), std::string("ipv4:22"), std::string("random:5")}) {
      const flake_layout layout = parse("41/10/12");
      (void)!flake_node_from(chain.data(), chain.size(), &layout, nullptr, 0);
    }
  const int next = open("/dev/null", O_RDONLY);
  EXPECT_LT(next, 50);
  close(next);
}

// ---- the host name ------------------------------------------------------------------------------

void expect_of_hostname(const std::string &host, int64_t expected,
                        const std::vector<std::string> &words = {}) {
  SCOPED_TRACE("host name " + host);
  ASSERT_EQ(sethostname(host.data(), host.size()), 0) << std::strerror(errno);
  expect_node(expected, "hostname-ordinal", words);
}

TEST(Node, OfAHostNameIsTheNumberAfterItsLastDash) {
  in_child([] {
    enter_private(CLONE_NEWUTS);
    expect_of_hostname("web-3", 3, {"hostname-ordinal", "3"});
    expect_of_hostname("web-0", 0);
    expect_of_hostname("a-1023", 1023);
    expect_of_hostname("my-web-2-17", 17);
    expect_of_hostname("-5", 5);
    expect_of_hostname("web-03", 3);
    expect_of_hostname(std::string(62, 'a') + "-1", 1);
    expect_of_hostname("a-1024", FLAKE_E_NODE_OUT_OF_RANGE,
                       {"hostname-ordinal", "1024", "0..1023"});
    expect_of_hostname("web-1221865536", FLAKE_E_NODE_OUT_OF_RANGE);
  });
}

TEST(Node, AHostNameThatDoesNotEndInADashAndANumberIsNoNode) {
  in_child([] {
    enter_private(CLONE_NEWUTS);
    for (const char *host : {"web", "web-", "-", "", "web3", "web-3a", "web-x3", "3", "web_3",
                             "web-3.example.com", "web-3.5", "web- 3", "web-+3", "localhost"})
      expect_of_hostname(host, FLAKE_E_NO_NODE, {"hostname-ordinal", host});
  });
}

TEST(Node, AnOrdinalThatDoesNotFitIsRefusedHoweverLongItIsAndNotPassedOver) {
  in_child([] {
    enter_private(CLONE_NEWUTS);
    for (const std::string &ordinal : {std::string("1024"), std::string("922337203685477579"),
                                       std::string("9223372036854775808"),
                                       std::string("18446744073709551619"), std::string(60, '9')}) {
      expect_of_hostname("w-" + ordinal, FLAKE_E_NODE_OUT_OF_RANGE);
      expect_node(FLAKE_E_NODE_OUT_OF_RANGE, "hostname-ordinal,7");
    }
  });
}

// ---- an address ---------------------------------------------------------------------------------

// Gives an interface an address; "lo:1" is a second one of "lo", under that name.
void add_address(const char *interface, const char *address) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{};
  std::strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  sockaddr_in in{};
  in.sin_family = AF_INET;
  ASSERT_EQ(inet_pton(AF_INET, address, &in.sin_addr), 1);
  std::memcpy(&request.ifr_addr, &in, sizeof in);
  ASSERT_EQ(ioctl(fd, SIOCSIFADDR, &request), 0) << interface << " " << std::strerror(errno);
  close(fd);
}

// Runs body on a host of its own that has just these addresses.
template <typename Body>
void on_host(const std::vector<const char *> &addresses, Body body) {
  in_child([&] {
    enter_private(CLONE_NEWNET);
    for (size_t i = 0; i < addresses.size(); i++)
      add_address(i ? ("lo:" + std::to_string(i)).c_str() : "lo", addresses[i]);
    if (!testing::Test::HasFailure()) body();
  });
}

void expect_of_address(const char *address, const std::string &chain, int64_t expected,
                       std::string_view layout = "41/10/12") {
  SCOPED_TRACE(address);
  on_host({address}, [&] { expect_node(expected, chain, {}, layout); });
}

TEST(Node, OfNeighbouringAddressesAreNeighbouringNodes) {  // S8
  for (int64_t host = 2; host <= 10; host++)
    expect_of_address(("172.17.0." + std::to_string(host)).c_str(), "ipv4:22", host);
}

TEST(Node, OfAnAddressIsTheBitsAfterThePrefix) {  // S8
  expect_of_address("10.3.255.100", "ipv4:22", 3 * 256 + 100);
  expect_of_address("100.64.3.7", "ipv4:22", 3 * 256 + 7);
  expect_of_address("192.168.7.9", "ipv4:24", 9);
  expect_of_address("192.168.7.9", "ipv4:31", 1);
  expect_of_address("10.1.2.3", "ipv4:8", 0x010203, "t30n24s8");
  expect_of_address("10.1.2.3", "ipv4:1", 0x0a010203, "t31n31");
  expect_of_address("192.168.2.3", "ipv4:1", 0x40a80203, "t31n31");
}

TEST(Node, OfAddressesThatDifferInThePrefixAloneIsOneNode) {  // S8: what the prefix must not hide
  for (const char *address : {"10.1.2.3", "10.2.2.3"}) {
    expect_of_address(address, "ipv4:16", 2 * 256 + 3, "sonyflake");
    expect_of_address(address, "ipv4:16", FLAKE_E_NODE_OUT_OF_RANGE);
  }
  expect_of_address("10.1.2.3", "ipv4:14", 0x10203, "t40n18s5");
  expect_of_address("10.2.2.3", "ipv4:14", 0x20203, "t40n18s5");
}

TEST(Node, APrefixThatLeavesMoreBitsThanTheNodeFieldIsRefused) {  // S8
  on_host({"10.1.2.3"}, [] {
    expect_node(FLAKE_E_NODE_OUT_OF_RANGE, "ipv4:8", {"24 bits", "10", "at least 22"});
    expect_node(FLAKE_E_NODE_OUT_OF_RANGE, "ipv4:1");
    expect_node(FLAKE_E_NODE_OUT_OF_RANGE, "ipv4:21", {"11 bits", "10", "at least 22"});
    expect_node(2 * 256 + 3, "ipv4:22");
    expect_node(3, "ipv4:24");
    expect_node(FLAKE_E_NODE_OUT_OF_RANGE, "ipv4:15", {}, "sonyflake");
    expect_node(FLAKE_E_NODE_OUT_OF_RANGE, "ipv4:31", {}, "41/0/12");
    expect_node(FLAKE_E_NODE_OUT_OF_RANGE, "ipv4:21,7", {"at least 22"});
  });
}

TEST(Node, APrefixIsANumberFrom1To31) {
  on_host({"10.1.2.3"}, [] {
    for (const char *chain : {"ipv4:0", "ipv4:32", "ipv4:33", "ipv4:-1", "ipv4:22@", "ipv4:@lo",
                              "ipv4:@", "ipv4:x", "ipv4:22.5", "ipv4:22 ", "ipv4: 22", "ipv4:/22",
                              "ipv4:255.255.252.0", "ipv4:4294967318", "ipv4:18446744073709551638"})
      expect_node(FLAKE_E_INVALID_ARGUMENT, chain, {chain, "1..31", "ipv4:22@eth0"});
    expect_node(FLAKE_E_INVALID_ARGUMENT, "ipv4:");
  });
}

TEST(Node, OnlyPrivateAddressesCount) {  // S8
  for (const char *address : {"10.0.0.1", "10.255.255.254", "172.16.0.1", "172.31.255.254",
                              "192.168.0.1", "192.168.255.254", "100.64.0.1", "100.127.255.254"})
    on_host({address}, [] { EXPECT_GE(ask("ipv4:22").node, 0); });
  for (const char *address : {"9.255.255.254", "11.0.0.1", "172.15.255.254", "172.32.0.1",
                              "192.167.255.254", "192.169.0.1", "100.63.255.254", "100.128.0.1",
                              "8.8.8.8", "127.0.0.1", "169.254.3.7", "198.18.0.1"})
    on_host({address}, [] { expect_node(FLAKE_E_NO_NODE, "ipv4:22", {"ipv4:22", "private"}); });
  on_host({}, [] { expect_node(FLAKE_E_NO_NODE, "ipv4:22", {"ipv4:22", "private"}); });
  on_host({"127.0.0.1", "8.8.8.8", "10.0.3.7"}, [] { expect_node(3 * 256 + 7, "ipv4:22"); });
}

TEST(Node, OfSeveralAddressesNoneIsChosenUnlessTheInterfaceIsNamed) {
  on_host({"10.0.2.3", "172.17.0.1"}, [] {
    expect_node(FLAKE_E_INVALID_ARGUMENT, "ipv4:22", {"several", "ipv4:22@eth0"});
    expect_node(FLAKE_E_INVALID_ARGUMENT, "ipv4:22,7");
    expect_node(2 * 256 + 3, "ipv4:22@lo", {"ipv4:22@lo"});
    expect_node(1, "ipv4:22@lo:1");
    for (const char *chain : {"ipv4:22@nosuch0", "ipv4:22@l", "ipv4:22@lo:12", "ipv4:22@lo@lo"})
      expect_node(FLAKE_E_NO_NODE, chain, {chain});
    expect_node(FLAKE_E_NO_NODE, "ipv4:22@" + std::string(247, 'i'));
    expect_node(FLAKE_E_NODE_OUT_OF_RANGE, "ipv4:16@lo");
    expect_node(7, "ipv4:22@nosuch0,7");
  });
}

TEST(Node, OfSeveralAddressesThatGiveOneNodeThatIsTaken) {
  on_host({"10.0.2.3", "172.17.2.3"}, [] { expect_node(2 * 256 + 3, "ipv4:22"); });
  on_host({"10.0.2.3", "172.17.2.3", "192.168.0.1"},
          [] { expect_node(FLAKE_E_INVALID_ARGUMENT, "ipv4:22"); });
  on_host({"192.168.0.1", "10.0.2.3", "172.17.2.3"},
          [] { expect_node(FLAKE_E_INVALID_ARGUMENT, "ipv4:22"); });
}

TEST(Node, AddressesThatCannotBeReadAreAnErrorAndNotPassedOver) {
  on_host({"10.0.2.3"}, [] {
    const rlimit none{3, 3};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (int fd = 3; fd < 64; fd++) close(fd);
    EXPECT_LT(ask("ipv4:22,7").node, 0) << "no descriptor is to be had, so nobody knows";
  });
}

// ---- random -------------------------------------------------------------------------------------

TEST(Node, ARandomOneLiesInTheNodeFieldAndTwoDifferMostly) {
  for (const char *layout : {"41/0/12", "41/1/12", "js53", "41/10/12", "sonyflake", "t31n32"}) {
    const int64_t max = (int64_t{1} << parse(layout).node_bits) - 1;
    std::set<int64_t> seen;
    int64_t ones = 0, zeros = max;
    for (int i = 0; i < 1000; i++) {
      const int64_t node = ask("random:10", layout).node;
      ASSERT_GE(node, 0);
      ASSERT_LE(node, max);
      seen.insert(node);
      ones |= node;
      zeros &= node;
    }
    EXPECT_EQ(ones, max) << "every bit is 1 in some";
    EXPECT_EQ(zeros, 0) << "and 0 in others";
    // 1,000 draws from 1,024 give 638 different ones on average, with a deviation of 10
    if (max >= 1023) {
      EXPECT_GT(seen.size(), 550u);
    }
  }
}

TEST(Node, ARandomOneComesWithTheOddsOfACollision) {  // S11
  struct Case {
    const char *fleet, *layout, *odds;
  };
  for (const Case &c : {Case{"10", "41/10/12", " 4.3 %"}, Case{"38", "41/10/12", " 50 %"},
                        Case{"2", "41/10/12", " 0.098 %"}, Case{"100", "41/10/12", " 99"},
                        Case{"1", "41/10/12", " 0 %"}, Case{"7", "js53", " 51 %"},
                        Case{"300", "sonyflake", " 50 %"}}) {
    const std::string chain = std::string("random:") + c.fleet;
    const Found found = ask(chain, c.layout);
    for (const std::string &word :
         {chain, std::to_string(found.node), std::string(c.fleet),
          std::to_string(int64_t{1} << parse(c.layout).node_bits), std::string(c.odds)})
      EXPECT_NE(found.text.find(word), std::string::npos) << word << " in: " << found.text;
  }
}

TEST(Node, ACollisionThatIsCertainHasOddsOf100Percent) {
  expect_node(0, "random:2", {" 100 %"}, "41/0/12");
  for (const char *chain : {"random:1025", "random:1000000000000", "random:922337203685477579"}) {
    const Found found = ask(chain);
    EXPECT_GE(found.node, 0);
    EXPECT_NE(found.text.find(" 100 %"), std::string::npos) << found.text;
  }
}

TEST(Node, ARandomOneIsRefusedWithoutTheSizeOfTheFleet) {  // S11
  for (const char *chain :
       {"random:0", "random:-1", "random:x", "random:10 ", "random: 10", "random:1.5", "random:00"})
    expect_node(FLAKE_E_INVALID_ARGUMENT, chain, {chain, "fleet", "random:10"});
  expect_node(FLAKE_E_INVALID_ARGUMENT, "random:");
  expect_node(FLAKE_E_INVALID_ARGUMENT, "random");
}

// ---- chains -------------------------------------------------------------------------------------

TEST(Node, OfAChainTheFirstSourceThatIsThereDecides) {
  Directory dir;
  const std::string file = dir.file("5");
  expect_node(5, "env:FLAKE_TEST_NODE," + file, {file});
  expect_node(5, "env:FLAKE_TEST_NODE,file:" + dir.path("none") + "," + file + ",9");
  expect_node(9, "9," + file);
  Variable variable("FLAKE_TEST_NODE", "6");
  expect_node(6, "env:FLAKE_TEST_NODE," + file, {"env:FLAKE_TEST_NODE"});
  expect_node(5, file + ",env:FLAKE_TEST_NODE", {file});
  expect_node(6, "env:FLAKE_TEST_NONE,env:FLAKE_TEST_NODE,random:10");
}

TEST(Node, OfAChainASourceThatIsThereButBadIsNotPassedOver) {
  Directory dir;
  const std::string file = dir.file("x");
  expect_node(FLAKE_E_INVALID_ARGUMENT, file + ",7", {file});
  expect_node(FLAKE_E_INVALID_ARGUMENT, "env:FLAKE_TEST_NONE," + file + ",7", {file});
  expect_node(FLAKE_E_NODE_OUT_OF_RANGE, "1024,7", {"1024"});
  expect_node(FLAKE_E_INVALID_ARGUMENT, "random:0,7");
  expect_node(FLAKE_E_INVALID_ARGUMENT, "nonsense,7", {"nonsense"});
  for (const char *typo :
       {"7,nonsense", "7,", "7,,8", "env:HOME ,7", "7,env:", "7,hostnme-ordinal"})
    expect_node(FLAKE_E_INVALID_ARGUMENT, typo, {"no source"});
  expect_node(FLAKE_E_NODE_OUT_OF_RANGE, "ipv4:8,7");
  for (const char *value : {"", "x", "-1"}) {
    Variable variable("FLAKE_TEST_NODE", value);
    expect_node(FLAKE_E_INVALID_ARGUMENT, "env:FLAKE_TEST_NODE,7", {"env:FLAKE_TEST_NODE"});
  }
  Variable variable("FLAKE_TEST_NODE", "1024");
  expect_node(FLAKE_E_NODE_OUT_OF_RANGE, "env:FLAKE_TEST_NODE,7", {"env:FLAKE_TEST_NODE"});
}

TEST(Node, OfAChainWithoutAnySourceThatIsThereIsNone) {
  Directory dir;
  in_child([&] {
    enter_private(CLONE_NEWUTS | CLONE_NEWNET);
    ASSERT_EQ(sethostname("web", 3), 0);
    const std::string chain =
        "env:FLAKE_TEST_NODE,file:" + dir.path("none") + ",hostname-ordinal,ipv4:22";
    expect_node(FLAKE_E_NO_NODE, chain, {"\"" + chain + "\"", "give a number", "private IPv4"});
    expect_node(7, "env:FLAKE_TEST_NODE,file:" + dir.path("none") + ",hostname-ordinal,ipv4:22,7");
  });
}

TEST(Node, AnEmptyChainOrLinkIsRefused) {
  for (const char *chain : {"", ",", ",7", "env:FLAKE_TEST_NODE,", "env:FLAKE_TEST_NODE,,7", ",,"})
    expect_node(FLAKE_E_INVALID_ARGUMENT, chain);
}

TEST(Node, ASourceHasAtMost255Characters) {
  expect_node(FLAKE_E_NO_NODE, "env:" + std::string(251, 'X'));
  expect_node(FLAKE_E_INVALID_ARGUMENT, "env:" + std::string(252, 'X'), {"255"});
  expect_node(FLAKE_E_INVALID_ARGUMENT, "env:" + std::string(100000, 'X'), {"255"});
  expect_node(FLAKE_E_INVALID_ARGUMENT, "env:FLAKE_TEST_NODE,env:" + std::string(252, 'X'));
  expect_node(7, "env:" + std::string(251, 'X') + ",env:" + std::string(251, 'Y') + ",7");
  for (const char *start : {"7", "file:", "ipv4:22@", "ipv4:", "random:", "nonsense"})
    ask(start + std::string(255 - std::strlen(start), 'x'));
}

TEST(Node, ANulInAChainIsRefused) {
  for (const std::string &chain :
       {std::string(1, '\0'), std::string("7\0", 2), std::string("env:PATH\0", 9),
        std::string("7\0,7", 4), std::string("env:FLAKE_TEST_NODE,7\0", 22)})
    expect_node(FLAKE_E_INVALID_ARGUMENT, chain);
}

TEST(Node, AChainIsReadToItsLengthAndNotBeyond) {
  const flake_layout layout = parse("41/10/12");
  auto exact = std::make_unique<char[]>(3);  // the address sanitizer sees a byte too many
  std::memcpy(exact.get(), "123", 3);
  EXPECT_EQ(flake_node_from(exact.get(), 3, &layout, nullptr, 0), 123);
  EXPECT_EQ(flake_node_from("71023", 1, &layout, nullptr, 0), 7);
  EXPECT_EQ(flake_node_from("7,x", 1, &layout, nullptr, 0), 7);
}

// ---- what is refused at once --------------------------------------------------------------------

TEST(Node, RefusesANullPointerAndATextThatIsTooSmall) {
  const flake_layout layout = parse("41/10/12");
  std::string text(FLAKE_NODE_TEXT_SIZE, '#');
  const std::string untouched = text;
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_node_from(nullptr, 0, &layout, nullptr, 0));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_node_from("7", 1, nullptr, nullptr, 0));
  for (size_t size : {0, 1, FLAKE_NODE_TEXT_SIZE - 1})
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_node_from("7", 1, &layout, text.data(), size));
  EXPECT_EQ(text, untouched);
  EXPECT_EQ(flake_node_from("7", 1, &layout, nullptr, 0), 7);
  EXPECT_EQ(flake_node_from("7", 1, &layout, nullptr, FLAKE_NODE_TEXT_SIZE), 7);
}

TEST(Node, RefusesABadLayoutWithASentence) {
  flake_layout layout = parse("41/10/12");
  layout.node_bits = 40;
  std::string text(FLAKE_NODE_TEXT_SIZE, '#');
  EXPECT_STATUS(FLAKE_E_BAD_LAYOUT, flake_node_from("7", 1, &layout, text.data(), text.size()));
  EXPECT_NE(text.find('\0'), std::string::npos) << "the sentence is promised on failure too";
}

// ---- no look-up ---------------------------------------------------------------------------------

// From now on this process dies if it makes a socket of another family than netlink, which asks the
// kernel for the host's own addresses.
void forbid_network() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof filter / sizeof filter[0], filter};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0) << std::strerror(errno);
}

template <typename Call>
double median_ms(Call call) {
  std::vector<double> took;
  for (int i = 0; i < 51; i++) {
    const auto start = std::chrono::steady_clock::now();
    call();
    took.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::nth_element(took.begin(), took.begin() + 25, took.end());
  return took[25];
}

TEST(Node, IsFoundAndOpenedWithoutALookUpWithin50Milliseconds) {  // S9
  Directory dir;
  in_child([&] {
    enter_private(CLONE_NEWUTS | CLONE_NEWNET);
    const std::string host = "does-not-resolve.invalid";
    ASSERT_EQ(sethostname(host.data(), host.size()), 0);
    for (int i = 0; i < 50; i++)
      add_address(("lo:" + std::to_string(i)).c_str(), ("10.1.0." + std::to_string(i + 1)).c_str());
    forbid_network();
    setenv("FLAKECORE_RUN_DIR", dir.path().c_str(), 1);
    const std::string chain = "env:FLAKE_TEST_NODE,hostname-ordinal,ipv4:22@lo:7";
    EXPECT_LT(median_ms([&] {
                flake_config config = make_config();
                config.node =
                    flake_node_from(chain.data(), chain.size(), &config.layout, nullptr, 0);
                EXPECT_EQ(config.node, 8);
                Generator gen(config);
                EXPECT_STATUS(FLAKE_OK, gen.status());
              }),
              50);
  });
}

}  // namespace
