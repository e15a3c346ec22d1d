// SPDX-License-Identifier: MIT
// The native module, as native/*.c offers it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findModule, notLoaded, packageFolder } from './loader.js';

/** What a call gives that may fail: its result, or a negative status. */
export type OrStatus<T> = T | number;

/** The functions of one open generator; see native/generator.c. */
export interface NativeGenerator {
  next(): OrStatus<bigint>;
  nextString(): OrStatus<string>;
  step(attempt: BigInt64Array): OrStatus<bigint>;
  range(count: number): OrStatus<[first: bigint, issued: number]>;
  many(ids: BigInt64Array | BigUint64Array): number | [done: number, status: number];
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

/** Loads the module, whatever its file is called. */
function opened(path: string, whatToDo: string): Native {
  const module = { exports: {} as Native };
  try {
    process.dlopen(module, path);
    return module.exports;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const forbidden = code === 'ERR_DLOPEN_DISABLED';
    throw notLoaded(
      `${path} cannot be loaded: ${message}; ` +
      (forbidden ? 'start Node with --allow-addons, and without --no-addons' : whatToDo), cause);
  }
}

function load(): Native {
  const [path, whatToDo] = findModule();
  const native = opened(path, whatToDo);
  const manifest = readFileSync(join(packageFolder, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  if (native.version === version) return native;
  throw notLoaded(
    `${path} is of flakecore ${native.version}, the package of ${version}; ${whatToDo}`);
}

export const native: Native = load();
