// SPDX-License-Identifier: MIT
// The loader of the native module. It looks in the package and nowhere else, by absolute paths;
// FLAKECORE_NATIVE, the absolute path of a flakecore.node, is the one way to say otherwise.
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** What a call gives that may fail: its result, or a negative status. */
export type OrStatus<T> = T | number;

/** The functions of one open generator; see native/generator.c. */
export interface NativeGenerator {
  next(): OrStatus<bigint>;
  nextString(): OrStatus<string>;
  step(attempt: BigInt64Array): OrStatus<bigint>;
  range(count: number): OrStatus<[first: bigint, issued: number]>;
  many(ids: BigInt64Array | BigUint64Array, start: number, count: number):
    undefined | [done: number, status: number];
  health(): OrStatus<[
    level: number, reasons: number, status: string, text: string, wallMs: bigint, rewindMs: bigint,
    leadMs: bigint, expiresMs: bigint, ceilingMs: bigint,
  ]>;
  stats(): OrStatus<bigint[]>;
  close(): number;
}

/** A test clock of the core; opaque. */
export type NativeClock = { readonly native: 'clock' };

export interface Native {
  readonly version: string;
  readonly unset: bigint;
  statusName(status: number): string;
  statusText(status: number): string;
  statusClass(status: number): number;
  layoutPreset(index: number): string | null;
  layoutParse(text: Uint8Array): OrStatus<[
    memory: ArrayBuffer, text: string, timeBits: number, timeShift: number, nodeBits: number,
    nodeShift: number, seqBits: number, seqShift: number, tickMs: bigint, epochMs: bigint,
  ]>;
  layoutCheck(layout: ArrayBuffer, nowMs: bigint): number;
  layoutStride(layout: ArrayBuffer): OrStatus<bigint>;
  layoutExpiresMs(layout: ArrayBuffer): OrStatus<bigint>;
  decode(layout: ArrayBuffer, id: bigint):
    OrStatus<[unixMs: bigint, tick: bigint, node: number, sequence: number]>;
  compose(layout: ArrayBuffer, unixMs: bigint, node: bigint, sequence: bigint): OrStatus<bigint>;
  bounds(layout: ArrayBuffer, fromMs: bigint, untilMs: bigint): OrStatus<[bigint, bigint]>;
  formatName(index: number): string | null;
  encode(format: number, id: bigint): OrStatus<string>;
  decodeText(format: number, text: Uint8Array): OrStatus<bigint>;
  nodeFrom(chain: Uint8Array, layout: ArrayBuffer): [node: OrStatus<bigint>, text: string];
  open(layout: ArrayBuffer, numbers: BigInt64Array, space: Uint8Array, clock: NativeClock | null):
    NativeGenerator | [status: number, text: string];
  openClock(wallNs: bigint): OrStatus<NativeClock>;
  setWall(clock: NativeClock, wallNs: bigint): number;
  setRate(clock: NativeClock, ratePermille: bigint): number;
  advance(clock: NativeClock, ns: bigint): number;
  script(clock: NativeClock, afterNs: bigint, stepNs: bigint): number;
  stopSleeps(clock: NativeClock, stopped: bigint): number;
  wallNs(clock: NativeClock): bigint;
  monotonicNs(clock: NativeClock): bigint;
}

/** The folder of the package. */
export const packageFolder = join(__dirname, '..');

/** The C library of this process, by what the program of Node names as its loader. */
function library(): string {
  if (process.platform !== 'linux') return '';
  const head = Buffer.alloc(4096);
  const file = openSync(process.execPath, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  return head.includes('/ld-musl-') ? '-musl' : '-glibc';
}

/** "linux-x64-glibc": a prebuild for one platform works on no other. */
export function platform(): string {
  return `${process.platform}-${process.arch}${library()}`;
}

/** Where the native module of this platform lies, or is to lie. */
export function builtModule(): string {
  return join(packageFolder, 'prebuilds', platform(), 'flakecore.node');
}

function modulePath(): string {
  const given = process.env['FLAKECORE_NATIVE'];
  if (given !== undefined) {
    if (isAbsolute(given) && existsSync(given)) return given;
    throw new Error(`FLAKECORE_NATIVE is '${given}'; it must be the absolute path of a file`);
  }
  const built = builtModule();
  if (existsSync(built)) return built;
  throw new Error(
    `flakecore has no native module for ${platform()}: ${built} is not there. Run ` +
    '"npx flakecore build"; it needs a C compiler, make and Python 3');
}

function load(): Native {
  const path = modulePath();
  const native = require(path) as Native;
  const manifest = readFileSync(join(packageFolder, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  if (native.version === version) return native;
  throw new Error(
    `${path} is of flakecore ${native.version}, the package of ${version}; run ` +
    '"npx flakecore build"');
}

export const native: Native = load();
