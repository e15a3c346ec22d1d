// SPDX-License-Identifier: MIT
// The option --layout of the subcommands, and the end of their help, which explains it.
import { FlakeError } from '../errors.js';
import { Layout } from '../layout.js';
import { DONE, Exit, Output, USAGE, quoted } from './terminal.js';

const HELP_END = `
LAYOUT says how the bits of an ID are divided:
  41/10/12                      bits of time/node/sequence, the default
  41/10/12@1735689600000        the same, with the epoch in Unix ms
  t39s8n16*10ms@1735689600000   fields from the highest bit down, ticks of 10 ms
  a preset:                    PRESETS

Exit status: 0 done; 1 failed, or a part of the input was bad; 2 wrong usage.
`;

function presets(): string {
  return Layout.presets().map((name, i) => {
    const comma = i === 0 ? '' : i % 5 ? ',' : `,\n${' '.repeat(31)}`;
    return `${comma} ${name}`;
  }).join('');
}

/** Prints the help of a subcommand and ends the command. */
export function showHelp(out: Output, text: string): never {
  out.write(text + HELP_END.replace('PRESETS', presets()));
  out.flush();
  throw new Exit(DONE);
}

export function layoutOption(out: Output, value: string): Layout {
  try {
    return new Layout(value);
  } catch (error) {
    if (!(error instanceof FlakeError)) throw error;
    return out.fail(USAGE, `--layout ${quoted(value)}: ${new FlakeError(error.status).message}`);
  }
}
