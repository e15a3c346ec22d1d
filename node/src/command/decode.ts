// SPDX-License-Identifier: MIT
// decode: says what is in IDs. A bad one is reported and left out; the others go on.
import { UINT64_MAX } from '../arguments.js';
import { FlakeError } from '../errors.js';
import { FORMATS, Format, decodeText } from '../id.js';
import { Decoded, Layout } from '../layout.js';
import { layoutOption, showHelp } from './layouts.js';
import { DONE, FAILED, Options, Output, PROGRAM, inputLines, quoted } from './terminal.js';

const HELP = `Usage: ${PROGRAM} decode [OPTION...] [ID...]

Says what is in IDs: the time in UTC, the node and the sequence number. Without an
ID it reads standard input, one ID a line. It prints lines of the form
  175928847299117063  2016-04-30T11:18:25.796Z  node 32  sequence 7

      --layout LAYOUT     how the bits of an ID are divided (default 41/10/12)
      --format FORMAT     how the IDs are written
                          dec: decimal, or 0x and 16 hexadecimal digits (default)
                          hex: 16 hexadecimal digits, with or without 0x
                          base32, base58, base62: as flake encode writes them
      --json              one JSON object a line: id (a string), time, unix_ms,
                          node, sequence, layout
  -h, --help              print this

What is not an ID is reported on standard error with its line number and left out.
An ID whose time is before 2006 or in the future is printed, with a warning: it is
probably of another layout.

Examples:
  ${PROGRAM} decode --layout discord 175928847299117063
  ${PROGRAM} next --node 1 -n 5 --format hex | ${PROGRAM} decode --format hex
  ${PROGRAM} decode --json < ids.txt
`;

const YEAR_2006_MS = 1_136_073_600_000n;
const SKEW_MS = 5000n; // between the clock that made the ID and ours
const WARNINGS_MAX = 10;
const FORMS: Record<Format, string> = {
  dec: 'decimal, or 0x and 16 hexadecimal digits; --help names the other forms',
  hex: '16 hexadecimal digits',
  base32: "13 digits of Crockford's base32, 0-9 A-Z without I L O U, below 2^64",
  base58: '11 digits of base58, 1-9 A-Z a-z without I O l, below 2^64',
  base62: '11 digits of base62, 0-9 A-Z a-z, below 2^64',
};

/** undefined where call() throws a FlakeError. */
function attempted<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof FlakeError) return undefined;
    throw error;
  }
}

class Decode {
  layout = new Layout();
  format: Format = 'dec';
  json = false;
  status = DONE;
  #implausible = 0;

  constructor(readonly out: Output) {}

  one(text: string, place: string): void {
    const id = this.#read(text);
    const legal = id !== undefined && 0n < id && id <= UINT64_MAX;
    const parts = legal ? attempted(() => this.layout.decode(id)) : undefined;
    if (!legal || !parts) return this.#report(text, place, id);
    this.out.write(this.json ? this.#json(id, parts) : this.#text(id, parts));
    this.#warnOfTime(id, parts.unixMs, place);
  }

  end(): number {
    const more = this.#implausible - WARNINGS_MAX;
    if (more > 0) this.out.complain(`warning: ${more} more such times`);
    return this.status;
  }

  /** The number of a text; undefined when it is none. */
  #read(text: string): bigint | undefined {
    const marked = ['dec', 'hex'].includes(this.format) && /^0x./s.test(text);
    if (marked || this.format === 'hex') {
      const digits = marked ? text.slice(2) : text;
      return /^[0-9A-Fa-f]{16}$/.test(digits) ? BigInt(`0x${digits}`) : undefined;
    }
    if (this.format !== 'dec') return attempted(() => decodeText(text, this.format));
    if (!/^(0|[1-9][0-9]*)$/.test(text)) return undefined;
    return text.length <= 20 ? BigInt(text) : UINT64_MAX + 1n;
  }

  #text(id: bigint, { iso, node, sequence }: Decoded): string {
    return `${id}  ${iso}  node ${node}  sequence ${sequence}\n`;
  }

  #json(id: bigint, { iso, unixMs, node, sequence }: Decoded): string {
    return `{"id":"${id}","time":"${iso}","unix_ms":${unixMs},"node":${node},` +
      `"sequence":${sequence},"layout":"${this.layout}"}\n`;
  }

  #report(text: string, place: string, id: bigint | undefined): void {
    this.status = FAILED;
    this.out.complain(place + (text ? this.#fault(text, id) : 'blank, where an ID should be'));
  }

  #fault(text: string, id: bigint | undefined): string {
    const given = quoted(text);
    if (id === undefined) return `${given} is not an ID; write it as ${FORMS[this.format]}`;
    if (id > UINT64_MAX) return `${given} is not an ID; the largest is 2^64 - 1`;
    if (id === 0n) return `${given} is not an ID; 0 is never issued`;
    return `${given} has more bits than layout ${this.layout}; name its layout with --layout`;
  }

  #warnOfTime(id: bigint, unixMs: bigint, place: string): void {
    const early = unixMs < YEAR_2006_MS;
    if (!early && unixMs <= BigInt(Date.now()) + SKEW_MS) return;
    if (++this.#implausible > WARNINGS_MAX) return;
    const when = early ? 'before 2006' : 'in the future';
    this.out.complain(
      `warning: ${place}the time of ${id} lies ${when}; is ${this.layout} its layout? ` +
      'see --layout');
  }
}

export function runDecode(out: Output, args: readonly string[]): number {
  const options = new Options(out, ['layout=', 'format=', 'json', 'help'], { h: 'help' });
  const [found, ids] = options.read(args);
  const job = new Decode(out);
  for (const [name, value] of found) {
    if (name === 'help') showHelp(out, HELP);
    else if (name === 'layout') job.layout = layoutOption(out, value);
    else if (name === 'format') job.format = options.word(name, value, FORMATS);
    else job.json = true;
  }
  for (const text of ids) job.one(text, '');
  if (ids.length === 0) {
    for (const [number, line] of inputLines(out)) job.one(line, `line ${number}: `);
  }
  return job.end();
}
