// SPDX-License-Identifier: MIT
// next: prints new IDs.
import { GeneratorOptions, MODES, nodeFrom } from '../config.js';
import { FlakeError, asTheCore } from '../errors.js';
import { Generator } from '../generator.js';
import { FORMATS, Format, encode } from '../id.js';
import { layoutOption, showHelp } from './layouts.js';
import { DONE, FAILED, Options, Output, PROGRAM, USAGE, quoted, textOf } from './terminal.js';

const HELP = `Usage: ${PROGRAM} next --node CHAIN [OPTION...]

Prints new IDs, one a line, each larger than the one before.

      --node CHAIN        number of this generator: no two that live at the same
                          time may share it, so there is no default. Or sources of
                          it, with commas; the first that is there decides:
                          env:NAME          an environment variable
                          file:PATH         the first line of a file
                          hostname-ordinal  the number that ends the host's name
                          ipv4:PREFIX       the bits after the network's prefix of
                                            this host's private IPv4 address;
                                            ipv4:PREFIX@eth0 names an interface
                          random:FLEET      a random number, for a fleet of so many:
                                            says how probable it is that two of them
                                            get the same one
  -n, --count N           how many IDs (default 1)
      --layout LAYOUT     how the bits of an ID are divided (default 41/10/12)
      --space NAME        set of IDs that must all differ (default "default")
      --format FORMAT     dec (default), hex, base32, base58 or base62, as flake
                          encode writes them
      --mode MODE         strict: never ahead of the clock, may wait (default)
                          monotonic: never waits, may run ahead of the clock
      --max-wait-ms N     strict: the longest wait for an ID, 0 to 86400000 ms
                          (default 1100)
      --max-lead-ms N     monotonic: how far ahead of the clock, 0 to 86400000 ms.
                          No default: the next process to use the node this
                          soon could repeat IDs
      --start-floor-ms N  no ID with an earlier time than this, in Unix ms
                          (default none)
      --seq-spread-bits N start the sequence of each tick at a random number below
                          2^N, 0 to the width of the sequence (default 0)
  -h, --help              print this

Examples:
  ${PROGRAM} next --node 1
  ${PROGRAM} next --node 1 -n 5 | ${PROGRAM} decode
  ${PROGRAM} next --node env:NODE,hostname-ordinal
  ${PROGRAM} next --node 7 --layout sonyflake --format hex
`;

const NUMBERS = {
  'max-wait-ms': 'maxWaitMs', 'max-lead-ms': 'maxLeadMs', 'start-floor-ms': 'startFloorMs',
  'seq-spread-bits': 'seqSpreadBits',
} as const;

interface Request {
  generator: GeneratorOptions;
  count: bigint;
  format: Format;
}

function requestOf(out: Output, args: readonly string[]): Request {
  const words = ['node', 'count', 'layout', 'space', 'format', 'mode', ...Object.keys(NUMBERS)];
  const options = new Options(
    out, [...words.map((name) => `${name}=`), 'help'], { n: 'count', h: 'help' });
  const [found, others] = options.read(args);
  const request: Request = { generator: {}, count: 1n, format: 'dec' };
  for (const [name, value] of found) take(request, options, name, value);
  const [other] = others;
  if (other !== undefined) {
    out.fail(USAGE, `${quoted(other)} is not an option; for several IDs write -n N`, true);
  }
  return request;
}

function take(request: Request, options: Options, name: string, value: string): void {
  const { out } = options;
  const { generator } = request;
  if (name === 'help') showHelp(out, HELP);
  else if (name === 'format') request.format = options.word(name, value, FORMATS);
  else if (name === 'layout') generator.layout = layoutOption(out, value);
  else if (name === 'space') generator.space = value;
  else if (name === 'mode') generator.mode = options.word(name, value, MODES);
  else if (name === 'node') generator.node = nodeOption(options, value);
  else if (name === 'count') {
    request.count = options.number(name, value);
    if (request.count < 0n) out.fail(USAGE, `--count ${quoted(value)} is below 0`);
  } else {
    generator[NUMBERS[name as keyof typeof NUMBERS]] = options.number(name, value);
  }
}

/** A number, or a chain of sources. */
function nodeOption(options: Options, value: string): bigint | string {
  const meantAsNumber = value === '' || (/^[-+0-9]/.test(value) && !value.includes(','));
  return meantAsNumber ? options.number('node', value) : value;
}

/** Where a chain of sources was given, what it says. The odds of a random node must be seen. */
function findNode(out: Output, generator: GeneratorOptions): void {
  const chain = generator.node;
  if (typeof chain !== 'string') return;
  try {
    const found = nodeFrom(textOf(chain), generator.layout);
    if (found.text.includes(' from random:')) out.complain(found.text);
    generator.node = found.node;
  } catch (error) {
    if (!(error instanceof FlakeError)) throw error;
    const status = error.kind === 'caller' ? USAGE : FAILED;
    out.fail(status, `--node ${quoted(chain)}: ${error.message}`);
  }
}

function openGenerator(out: Output, options: GeneratorOptions): Generator {
  try {
    return new Generator(options);
  } catch (error) {
    if (!(error instanceof FlakeError)) throw error;
    const text = asTheCore(error.message);
    if (error.code === 'no_node') return out.fail(USAGE, `${text}: --node N`, true);
    return out.fail(error.kind === 'caller' ? USAGE : FAILED, text);
  }
}

export function runNext(out: Output, args: readonly string[]): number {
  const { generator, count, format } = requestOf(out, args);
  findNode(out, generator);
  const gen = openGenerator(out, generator);
  let done = 0n;
  try {
    for (; done < count; done++) {
      let id = gen.tryNextId();
      if (id === null) { // what was printed must not wait together with the generator
        out.flush();
        id = gen.nextId();
      }
      out.write(`${format === 'dec' ? id : encode(id, format)}\n`);
    }
  } catch (error) {
    if (!(error instanceof FlakeError)) throw error;
    out.fail(FAILED, `stopped after ${done} of ${count} IDs: ${asTheCore(error.message)}`);
  }
  gen.close();
  return DONE;
}
