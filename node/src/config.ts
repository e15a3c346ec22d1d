// SPDX-License-Identifier: MIT
// The options of a Generator on their way into the core's config.
import {
  INT64_MAX, Time, Whole, checkOptions, choice, moment, shown, utf8, whole,
} from './arguments.js';
import { ArgumentTypeError, FlakeError, refused } from './errors.js';
import { Layout, LayoutLike, layoutOf, nodeNumber } from './layout.js';
import { native } from './native.js';
import { TestClock } from './testing.js';

export const MODES = Object.freeze(['strict', 'monotonic'] as const);
export const CLOCK_SOURCES = Object.freeze(['precise', 'coarse'] as const);
export const HOST_GUARDS = Object.freeze(['on', 'unsafe_off'] as const);

/** What makes a generator what it is. */
export interface GeneratorOptions {
  /**
   * The number of this generator, 0..2^nodeBits-1, which no other live generator of the space may
   * have. A string is a chain of sources, as nodeFrom takes it: "env:NODE,hostname-ordinal". There
   * is no default, unless the layout has no node field.
   */
  node?: Whole | string | undefined;
  /** "41/10/12" when not given. */
  layout?: LayoutLike | undefined;
  /** A named set of IDs that must all differ; 1..63 of A-Z a-z 0-9 . _ -; "default". */
  space?: string | undefined;
  /**
   * "strict" (default) never runs ahead of the clock and waits, or refuses; "monotonic" never waits
   * and runs ahead by at most maxLeadMs.
   */
  mode?: (typeof MODES)[number] | undefined;
  /** Bounds a whole call, 0..86400000 ms; 1100. */
  maxWaitMs?: Whole | undefined;
  /** 0..86400000 ms; monotonic mode must be given it, or startFloorMs. */
  maxLeadMs?: Whole | undefined;
  /** No ID with an earlier time than this, a Date or Unix ms. */
  startFloorMs?: Time | undefined;
  /** The first time not to be used, a Date or Unix ms. */
  ceilingMs?: Time | undefined;
  /** Start each tick's sequence at a random number below 2^this; 0. */
  seqSpreadBits?: Whole | undefined;
  /** "precise" (default), or "coarse" (cheaper, late by 1 to 10 ms). */
  clockSource?: (typeof CLOCK_SOURCES)[number] | undefined;
  /**
   * "on" (default) holds a lock file against other processes of the host; "unsafe_off" does not:
   * nothing then keeps a second process from the same IDs.
   */
  hostGuard?: (typeof HOST_GUARDS)[number] | undefined;
  /** A clock for tests instead of the system's. */
  clock?: TestClock | undefined;
}

const OPTIONS = [
  'node', 'layout', 'space', 'mode', 'maxWaitMs', 'maxLeadMs', 'startFloorMs', 'ceilingMs',
  'seqSpreadBits', 'clockSource', 'hostGuard', 'clock',
];

/** A node number from the surroundings. */
export interface NodeFound {
  readonly node: number;
  /** Which source decided, in one sentence. */
  readonly text: string;
}

/**
 * Finds a node number for a layout.
 *
 * chain lists sources, with commas, in the order in which they are asked; the first that is there
 * decides: "7" (the number itself), "env:NAME", "file:PATH" (its first line), "hostname-ordinal"
 * ("web-3" of a StatefulSet), "ipv4:PREFIX" or "ipv4:PREFIX@eth0" (the bits of the host's private
 * address after so many bits of prefix), "random:FLEET" (two of a fleet may get the same one; the
 * text says how probable that is). Nothing is looked up in the network. Environment variables are
 * those that the process was started with, or that the main thread has set since.
 *
 * no_node: no source is there. node_out_of_range: the number does not fit. invalid_argument: not a
 * chain, a source holds no number, or several addresses are there.
 */
export function nodeFrom(chain: string, layout: LayoutLike = 'snowflake'): NodeFound {
  const given = utf8('chain', chain);
  if (/[\p{Surrogate}\0]/u.test(chain)) {
    throw refused('invalid_argument', `${shown(chain)} is not a chain of sources; it is no text`);
  }
  const [node, text] = native.nodeFrom(given, Layout.memoryOf(layoutOf(layout)));
  if (typeof node === 'number') throw new FlakeError(node, text || undefined);
  return Object.freeze({ node: Number(node), text });
}

const DAY_MS = 86_400_000n;
const CLOCK_END_MS = INT64_MAX / 1_000_000n; // the core's clocks are an int64 of ns

/** What no int64 can hold is refused here, as the core refuses the rest that is above most. */
function int64(name: string, number: bigint, most: bigint): bigint {
  if (-INT64_MAX < number && number <= INT64_MAX) return number;
  throw refused('invalid_argument', `${name} is ${shown(number)}; it must lie in 0..${most}`);
}

/** A space as bytes. The core refuses what is no name, but would not see behind a NUL. */
function spaceName(space: unknown): Uint8Array {
  const name = utf8('space', space);
  if (name.includes(0)) {
    throw refused('invalid_argument', `space ${shown(space)} is not a name; it holds a NUL`);
  }
  return name;
}

/** The options as the core takes them. */
export interface Config {
  readonly layout: Layout;
  readonly space: string;
  readonly node: NodeFound;
  readonly clock: TestClock | null;
  readonly numbers: BigInt64Array;
  readonly spaceBytes: Uint8Array;
}

function clockOf(clock: unknown): TestClock | null {
  if (clock === undefined || TestClock.is(clock)) return clock ?? null;
  throw new ArgumentTypeError(`clock must be a TestClock, not ${shown(clock)}`);
}

function nodeOf(node: GeneratorOptions['node'], layout: Layout): [bigint, string] {
  if (node === undefined) return [native.unset, ''];
  if (typeof node !== 'string') return [nodeNumber(node, layout), ''];
  const found = nodeFrom(node, layout);
  return [BigInt(found.node), found.text];
}

/** Checks the options. An option that is undefined is as one that is not given. */
export function configOf(options: GeneratorOptions): Config {
  checkOptions(options, OPTIONS);
  const { space = 'default', layout: chosen = 'snowflake' } = options;
  const number = (name: string, value: unknown, most: bigint): bigint =>
    value === undefined ? native.unset : int64(name, whole(name, value), most);
  const time = (name: string, value: unknown): bigint =>
    value === undefined ? native.unset : int64(name, moment(name, value), CLOCK_END_MS);
  const word = (name: string, value: unknown, words: readonly string[]): bigint =>
    value === undefined ? native.unset : BigInt(choice(name, value, words));
  const clock = clockOf(options.clock);
  const layout = layoutOf(chosen);
  const [node, text] = nodeOf(options.node, layout);
  const numbers = BigInt64Array.of(
    node,
    number('maxWaitMs', options.maxWaitMs, DAY_MS),
    number('maxLeadMs', options.maxLeadMs, DAY_MS),
    time('startFloorMs', options.startFloorMs),
    time('ceilingMs', options.ceilingMs),
    number('seqSpreadBits', options.seqSpreadBits, BigInt(layout.seqBits)),
    word('mode', options.mode, MODES),
    word('clockSource', options.clockSource, CLOCK_SOURCES),
    word('hostGuard', options.hostGuard, HOST_GUARDS),
  );
  const found = { node: node === native.unset ? 0 : Number(node), text };
  return { layout, space, node: found, clock, numbers, spaceBytes: spaceName(space) };
}
