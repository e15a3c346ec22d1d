/* SPDX-License-Identifier: MIT */
/*
 * What the files of the command `flake` share. One file a subcommand (next.c, decode.c), listed in
 * main.c; the others hold what every subcommand needs: options, output, input, text.
 *
 * Exit status, for all of them: 0 done; 1 failed, or a part of the input was bad; 2 wrong usage, a
 * wrong value included. Results go to standard output, everything else to standard error, one line
 * a message, "flake next: what is wrong; what to do".
 */
#ifndef FLAKE_CLI_H
#define FLAKE_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flakecore.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* A subcommand. run gets its own arguments, with its name as argv[0], and returns the status. */
typedef struct command {
  const char *name;
  const char *summary;
  const char *help;
  int (*run)(int argc, char **argv);
} command;

extern const command command_next;
extern const command command_decode;
extern const command command_encode;
extern const command command_plan;
extern const command command_bounds;
extern const command command_check_migration;
extern const command command_doctor;
extern const command command_bench;

/* The one that runs now, or NULL. Messages carry its name. */
extern const command *command_current;

/* ---- options.c: the arguments ---------------------------------------------------------------- */

/* The next option as getopt_long gives it, or -1 after the last one. A wrong one ends the process,
 * and so does 'h', help. Each option is in options; its letter, if it has one, is its val. letters
 * begins with ':'. */
int option_next(int argc, char **argv, const char *letters, const struct option *options);

/* These read the value of the option that option_next found. A wrong one ends the process. */
int64_t option_number(void);
int option_word(const char *const *words); /* where it stands among words; NULL is the last */
int32_t option_format(void);               /* a flake_format */

/* The layout of a text that was given for what, such as "OLD". A wrong one ends the process. */
flake_layout layout_of(const char *what, const char *text);
flake_layout option_layout(const char *text); /* for "--layout" */

/* A point in time in Unix ms: parse_time's forms. A wrong one ends the process. */
int64_t time_of(const char *what, const char *text);

/* Prints the help of the current subcommand and ends the process. */
_Noreturn void option_help(void);

/* ---- output.c: standard output --------------------------------------------------------------- */

/* The longest line of output, in bytes. */
#define OUT_LINE_SIZE 512

/* Where the next line is to be written: OUT_LINE_SIZE bytes of a buffer. */
char *out_line(void);

/* Ends the line that was begun with out_line, which was written up to end. */
void out_line_end(char *end);

/* Writes a text of any length. */
void out_text(const char *text);

/* Writes what printf would, up to OUT_LINE_SIZE - 1 bytes at a time. */
__attribute__((format(printf, 1, 2))) void out_printf(const char *format, ...);

/* Writes a text as a JSON string, in quotes. What is not ASCII becomes one '?' a byte. */
void out_json(const char *text);

/* Hands everything to the system. A failure is reported and ends the process. */
void out_flush(void);

/* out_flush for the last time: what fails only at the end is a failure too. */
void out_close(void);

/* ---- messages.c: standard error -------------------------------------------------------------- */

/* Prints one message, after the results so far. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* complain, then ends the process with status. */
__attribute__((format(printf, 2, 3))) _Noreturn void fail(int status, const char *format, ...);

/* fail with EXIT_USAGE for arguments that --help explains: the message goes on to say so. */
__attribute__((format(printf, 1, 2))) _Noreturn void fail_usage(const char *format, ...);

/* A value that somebody gave, as messages show it: quoted, short, and harmless to a terminal. */
typedef struct quoted {
  char text[192];
} quoted;

quoted quote(const char *text, size_t text_len);
quoted quote_word(const char *word);

/* ---- input.c: standard input by lines -------------------------------------------------------- */

/* A line without its end, "\n" or "\r\n". A very long one has lost its middle. */
typedef struct input_line {
  const char *text;
  size_t text_len;
  uint64_t number; /* from 1 */
} input_line;

/* The next line of standard input; false after the last one. It lasts until the next call. Results
 * are flushed before it waits for input. A read error is reported and ends the process. */
bool line_next(input_line *line);

/* ---- ids.c: IDs that somebody wrote ---------------------------------------------------------- */

/* Reads the ID of a line in a flake_format. In decimal and in hex it may be 0x and 16 digits, in
 * hex also upper case. False, after a complaint that names the line, when it is none. */
bool id_read(int32_t format, const input_line *line, uint64_t *id);

/* Hands take each argument from optind on, or each line of standard input when there is none. */
void ids_each(int argc, char **argv, void (*take)(void *self, const input_line *line), void *self);

/* Where an ID came from, as messages begin: "line 3: ", or nothing for an argument. */
typedef struct line_place {
  char text[32];
} line_place;

line_place place_of(uint64_t line_number);

/* ---- text.c: numbers and times as text ------------------------------------------------------- */

typedef enum parse_result { PARSED, PARSED_TOO_LARGE, PARSED_NOTHING } parse_result;

/* Digits only, without leading zeros. */
parse_result parse_decimal(const char *text, size_t text_len, uint64_t *value);

/* These write at a place and return the place after it; no NUL. */
char *put_text(char *at, const char *text);
char *put_id(char *at, int32_t format, uint64_t id); /* format is a flake_format */
char *put_decimal(char *at, uint64_t value);
char *put_time(char *at, int64_t unix_ms); /* UTC, "2016-04-30T11:18:25.796Z"; unix_ms >= 0 */

/* A value as text with a NUL, for messages and tables. */
typedef struct short_text {
  char text[48];
} short_text;

short_text show_time(int64_t unix_ms);  /* as put_time, without milliseconds that are 0 */
short_text show_date(int64_t unix_ms);  /* "2094-09-07" */
short_text show_number(uint64_t value); /* "100,000" */
short_text show_layout(const flake_layout *layout); /* the full form */

/* ---- time.c: points in time ------------------------------------------------------------------ */

/* What the clock reads, in Unix ms. */
int64_t now_ms(void);

/* Reads Unix ms, or ISO 8601 with a zone: 2026-01-31T12:00:00Z, 2026-01-31T12:00+08:00, with up to
 * three digits of a second. From 1970 to 9999. */
bool parse_time(const char *text, size_t text_len, int64_t *unix_ms);

#endif
