/* SPDX-License-Identifier: MIT */
/*
 * The command `flake`: finds the subcommand and runs it.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const command *const commands[] = {
    &command_next,   &command_decode,          &command_encode, &command_plan,
    &command_bounds, &command_check_migration, &command_doctor, &command_bench,
};
#define COMMANDS (sizeof commands / sizeof commands[0])

const command *command_current;

static const command *find(const char *name) {
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  fail_usage("there is no %s %s", name[0] == '-' ? "option" : "command", quote_word(name).text);
}

static int help(void) {
  out_text(
      "Usage: flake COMMAND [OPTION...]\n"
      "\n"
      "Time-ordered unique 64-bit IDs, made in process.\n"
      "\n"
      "Commands:\n");
  for (size_t i = 0; i < COMMANDS; i++) {
    char text[OUT_LINE_SIZE];
    snprintf(text, sizeof text, "  %-17s%s\n", commands[i]->name, commands[i]->summary);
    out_text(text);
  }
  out_text(
      "\n"
      "Options:\n"
      "  -h, --help    print this\n"
      "  --version     print the version\n"
      "\n"
      "flake COMMAND --help, or flake help COMMAND, says more.\n");
  return EXIT_DONE;
}

static int version(void) {
  out_text("flake ");
  out_text(flake_version());
  out_text("\n");
  return EXIT_DONE;
}

static int run(int argc, char **argv) {
  if (argc < 2) fail_usage("name a command, such as next");
  const char *word = argv[1];
  bool asks_help = strcmp(word, "help") == 0;
  if (strcmp(word, "--version") == 0) return version();
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help();
  if (asks_help && (argc == 2 || argv[2][0] == '-')) return help();
  command_current = find(asks_help ? argv[2] : word);
  if (asks_help) option_help();
  return command_current->run(argc - 1, argv + 1);
}

int main(int argc, char **argv) {
  int status = run(argc, argv);
  out_close();
  return status;
}
