/* SPDX-License-Identifier: MIT */
// A part of a test that needs a process of its own: another user, other limits, private namespaces.
#ifndef FLAKE_TEST_IN_CHILD_H
#define FLAKE_TEST_IN_CHILD_H

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace flake_test {

// Runs body in a child process, within a minute; what fails there fails here.
template <typename Body>
void in_child(Body body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    body();
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the child failed";
}

}  // namespace flake_test

#endif
