// SPDX-License-Identifier: MIT
// What the subcommands of "npx flakecore" share: arguments, input, output, messages. Options,
// output and exit status are those of the command `flake`. Bytes are strings, one character each.
import { readSync, writeSync } from 'node:fs';
import { getSystemErrorMap } from 'node:util';

export const PROGRAM = 'npx flakecore';

/** Exit status: done; failed, or a part of the input was bad; wrong usage or a wrong value. */
export const DONE = 0;
export const FAILED = 1;
export const USAGE = 2;

/** Ends the command with a status; what there was to say has been said. */
export class Exit extends Error {
  constructor(readonly status: number) {
    super();
  }
}

/** The bytes of a text, one character each. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The text of such bytes. */
export function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** A value that somebody gave: quoted, short, and harmless to a terminal. */
export function quoted(value: string): string {
  const plain = value.slice(0, 40).replace(
    /[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `'${plain}'${value.length > 40 ? '...' : ''}`;
}

const sleeping = new Int32Array(new SharedArrayBuffer(4));

/** Repeats a system call for as long as the other end is not ready. */
function patiently<T>(call: () => T): T {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(sleeping, 0, 0, 5);
    }
  }
}

/** What the system says of an error, without Node's prefix. */
export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return getSystemErrorMap().get(errno ?? 0)?.[1] ?? message;
}

/** Standard output through one buffer; a result that is lost must not look like success. */
export class Output {
  /** Of the subcommand, or nothing. */
  name = '';
  #text = '';

  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= 65_536) this.flush();
  }

  flush(): void {
    let rest = Buffer.from(this.#text);
    this.#text = '';
    try {
      while (rest.length > 0) rest = rest.subarray(patiently(() => writeSync(1, rest)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') {
        this.complain(`cannot write to standard output: ${reasonOf(error)}`);
      }
      throw new Exit(FAILED);
    }
  }

  /** One line on standard error, after the results so far. */
  complain(text: string, seeHelp = false): void {
    this.flush();
    const name = this.name ? `${PROGRAM} ${this.name}` : PROGRAM;
    const plain = bytesOf(text).replace(/[^ -~]/g, '?');
    const line = `${name}: ${plain}${seeHelp ? `; see ${name} --help` : ''}\n`;
    try {
      patiently(() => writeSync(2, line));
    } catch {
      // There is nobody left to tell.
    }
  }

  fail(status: number, text: string, seeHelp = false): never {
    this.complain(text, seeHelp);
    throw new Exit(status);
  }
}

/** Lines of standard input with their numbers, without their ends; flushes before it waits. */
export function* inputLines(out: Output): Iterable<[number: number, line: string]> {
  const chunk = Buffer.alloc(65_536);
  let [number, rest] = [0, ''];
  for (;;) {
    out.flush();
    const more = chunk.toString('latin1', 0, readInput(out, chunk));
    const lines = (rest + more).split('\n');
    rest = lines.pop() as string;
    if (rest.length > 65_536) rest = rest.slice(0, 4096); // longer than what a line may hold
    if (more === '' && rest !== '') lines.push(rest);
    for (const line of lines) yield [++number, line.endsWith('\r') ? line.slice(0, -1) : line];
    if (more === '') return;
  }
}

function readInput(out: Output, chunk: Buffer): number {
  try {
    return patiently(() => readSync(0, chunk));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EOF') return 0;
    return out.fail(FAILED, `cannot read standard input: ${reasonOf(error)}`);
  }
}

// ---- arguments ----------------------------------------------------------------------------------

/**
 * Arguments as getopt_long reads them, but that no option may be shortened. names: each option,
 * with "=" behind it when it needs a value; letters: for one letter the name that it stands for.
 */
export class Options {
  readonly #needs: Map<string, boolean>;

  constructor(
    readonly out: Output, names: readonly string[], readonly letters: Record<string, string>,
  ) {
    this.#needs = new Map(names.map((name) => [name.replace('=', ''), name.endsWith('=')]));
  }

  /** Name and value of each option in order, and the arguments that are none. */
  read(args: readonly string[]): [found: [string, string][], others: string[]] {
    const found: [string, string][] = [];
    const others: string[] = [];
    const rest = [...args];
    for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
      if (argument === '--') return [found, [...others, ...rest]];
      if (argument.startsWith('--')) found.push(this.#long(argument, rest));
      else if (/^-./s.test(argument)) found.push(...this.#short(argument, rest));
      else others.push(argument);
      if (found.at(-1)?.[0] === 'help') break;
    }
    return [found, others];
  }

  #long(argument: string, rest: string[]): [string, string] {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(argument) ?? [];
    const needs = this.#needs.get(name);
    if (needs === undefined) this.#wrong(`there is no option ${quoted(argument)}`);
    if (!needs && value !== undefined) this.#wrong(`option ${quoted(argument)} takes no value`);
    return [name, needs ? value ?? this.#value(argument, rest) : ''];
  }

  #short(argument: string, rest: string[]): [string, string][] {
    const found: [string, string][] = [];
    for (let at = 1; at < argument.length; at++) {
      const name = this.letters[argument[at] as string];
      if (name === undefined) this.#wrong(`there is no option ${quoted(`-${argument[at]}`)}`);
      if (this.#needs.get(name)) {
        return [...found, [name, argument.slice(at + 1) || this.#value(argument, rest)]];
      }
      found.push([name, '']);
      if (name === 'help') break;
    }
    return found;
  }

  #value(argument: string, rest: string[]): string {
    return rest.shift() ?? this.#wrong(`option ${quoted(argument)} needs a value`);
  }

  #wrong(text: string): never {
    this.out.fail(USAGE, text, true);
  }

  /** A whole number below 2^63, written as decimal digits without leading zeros. */
  number(name: string, value: string): bigint {
    if (!/^(0|-?[1-9][0-9]*)$/.test(value)) {
      this.out.fail(
        USAGE, `--${name} ${quoted(value)} is not a whole number; write decimal digits without ` +
        'leading zeros, such as 7');
    }
    const number = value.length > 20 ? 2n ** 63n : BigInt(value);
    if (-(2n ** 63n) + 1n < number && number < 2n ** 63n) return number;
    return this.out.fail(
      USAGE, `--${name} ${quoted(value)} is out of range; it must lie below 2^63`);
  }

  word<Word extends string>(name: string, value: string, words: readonly Word[]): Word {
    return words.find((word) => word === value) ?? this.out.fail(
      USAGE, `--${name} ${quoted(value)} is unknown; write ${words.join(' or ')}`);
  }
}
