#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// npx flakecore next|decode|build: the command `flake`, for where only the package is installed.
// The native module is loaded by the subcommands that need it, as build may have to make it first.
import type * as Api from '../index.js';
import { runBuild } from './build.js';
import type { runDecode } from './decode.js';
import type { runNext } from './next.js';
import { DONE, Exit, FAILED, Output, PROGRAM, USAGE, bytesOf, quoted } from './terminal.js';

const HELP = `Usage: ${PROGRAM} COMMAND [OPTION...]

Time-ordered unique 64-bit IDs, made in process.

Commands:
  next             print new IDs
  decode           say what is in IDs: time, node, sequence
  build            compile the native module, where the package has none for this platform

Options:
  -h, --help    print this
  --version     print the version

${PROGRAM} COMMAND --help, or ${PROGRAM} help COMMAND, says more.
`;

type Run = (out: Output, args: readonly string[]) => number;

const COMMANDS = new Map<string, () => Run>([
  ['next', () => (require('./next.js') as { runNext: typeof runNext }).runNext],
  ['decode', () => (require('./decode.js') as { runDecode: typeof runDecode }).runDecode],
  ['build', () => runBuild],
]);

/** The subcommand's function. An Error: the native module is not there. */
function loaded(out: Output, name: string, load: () => Run): Run {
  out.name = name;
  try {
    return load();
  } catch (error) {
    return out.fail(FAILED, (error as Error).message);
  }
}

function run(out: Output, args: readonly string[]): number {
  const [first, second] = args;
  if (first === undefined) return out.fail(USAGE, 'name a command, such as next', true);
  if (first === '--version') {
    out.write(`flake ${(require('../index.js') as typeof Api).version}\n`);
    return DONE;
  }
  const asksHelp = first === 'help';
  if (first === '--help' || first === '-h' || (asksHelp && (second ?? '-').startsWith('-'))) {
    out.write(HELP);
    return DONE;
  }
  const word = asksHelp ? (second as string) : first;
  const load = COMMANDS.get(word);
  if (load) return loaded(out, word, load)(out, asksHelp ? ['--help'] : args.slice(1));
  const kind = word.startsWith('-') ? 'option' : 'command';
  return out.fail(USAGE, `there is no ${kind} ${quoted(word)}`, true);
}

function main(): number {
  const out = new Output();
  try {
    const status = run(out, process.argv.slice(2).map(bytesOf));
    out.flush();
    return status;
  } catch (error) {
    if (error instanceof Exit) return error.status;
    throw error;
  }
}

process.exitCode = main();
