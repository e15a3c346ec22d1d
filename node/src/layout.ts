// SPDX-License-Identifier: MIT
// Layouts: how the bits of an ID are divided, and what follows for IDs that exist already.
import {
  INT64_MAX, Time, Whole, dateOf, isoOf, json, limited, shown, unixMs, utf8, whole,
} from './arguments.js';
import { ArgumentTypeError, FlakeError, checked, refused, statusOf, succeeded } from './errors.js';
import { native } from './native.js';
import { FlakeId, IdLike, bitsOf } from './id.js';

/** The parts of an ID. */
export class Decoded {
  constructor(
    /** The start of the ID's tick in Unix ms, exact. */
    readonly unixMs: bigint,
    /** Ticks since the layout's epoch. */
    readonly tick: bigint,
    /** 0 in a layout without node field. */
    readonly node: number,
    /** 0 in a layout without sequence field. */
    readonly sequence: number,
  ) {}

  /** The start of the ID's tick; null beyond what a Date can hold, the year 275760. */
  get time(): Date | null {
    return dateOf(this.unixMs);
  }

  /** The same as text, "2016-04-30T11:18:25.796Z", in any year. */
  get iso(): string {
    return isoOf(this.unixMs);
  }

  /** For JSON: iso, unixMs (a string above 2^53), node, sequence. */
  toJSON(): object {
    const { iso, node, sequence } = this;
    return { iso, unixMs: json(this.unixMs), node, sequence };
  }
}

/**
 * How up to 64 bits are divided into time, node and sequence. Immutable.
 *
 *     new Layout('41/10/12')                     bits of time/node/sequence, ticks of 1 ms
 *     new Layout('t39s8n16*10ms@1735689600000')  from the highest bit down, tick, epoch in Unix ms
 *     new Layout('twitter')                      a preset, one of Layout.presets()
 *
 * bad_layout: anything else. String(layout) is the full form.
 */
export class Layout {
  /** Width of the time field in bits, 1..48. */
  readonly timeBits: number;
  /** Position of the lowest bit of the time field. */
  readonly timeShift: number;
  /** Width of the node field in bits, 0..32. */
  readonly nodeBits: number;
  /** Position of the lowest bit of the node field. */
  readonly nodeShift: number;
  /** Width of the sequence field in bits, 0..32. */
  readonly seqBits: number;
  /** Position of the lowest bit of the sequence field. */
  readonly seqShift: number;
  /** Length of a tick in ms, 1..10000. */
  readonly tickMs: bigint;
  /** Unix ms of tick 0. */
  readonly epochMs: bigint;
  readonly #memory: ArrayBuffer;
  readonly #text: string;

  constructor(text: string = 'snowflake') {
    const parts = native.layoutParse(utf8('layout', text));
    if (typeof parts === 'number') {
      const general = native.statusText(statusOf('bad_layout'));
      throw refused('bad_layout', `${shown(text)}: ${general}`);
    }
    [
      this.#memory, this.#text, this.timeBits, this.timeShift, this.nodeBits, this.nodeShift,
      this.seqBits, this.seqShift, this.tickMs, this.epochMs,
    ] = parts;
    Object.freeze(this);
  }

  /** The same as new Layout(text). */
  static parse(text: string): Layout {
    return new Layout(text);
  }

  /** The names of all presets; the first is the default. */
  static presets(): string[] {
    const names: string[] = [];
    for (;;) {
      const name = native.layoutPreset(names.length);
      if (name === null) return names;
      names.push(name);
    }
  }

  /** The first Unix ms that the time field can no longer express. */
  get expiresMs(): bigint {
    return checked(native.layoutExpiresMs(this.#memory));
  }

  /** expiresMs as a Date; null beyond what a Date can hold, the year 275760. */
  get expires(): Date | null {
    return dateOf(this.expiresMs);
  }

  /**
   * What lies between two IDs that follow each other in a tick: 1, or more.
   * not_supported: the sequence is bit 63.
   */
  get stride(): bigint {
    return checked(native.layoutStride(this.#memory));
  }

  /**
   * Throws unless a generator can use this layout at the time now (the clock's when not given).
   *
   * not_supported: it only decodes. before_epoch: the epoch is in the future. time_used_up: its
   * time field has ended.
   */
  check(now: Time = Date.now()): void {
    succeeded(native.layoutCheck(this.#memory, unixMs('now', now)));
  }

  /** Takes an ID (1..2^64-1) apart. invalid_argument: 0, bits above the fields, or a number. */
  decode(id: IdLike): Decoded {
    return new Decoded(...checked(native.decode(this.#memory, bitsOf(id, 1n))));
  }

  /**
   * Puts an ID together, the inverse of decode. Says nothing of its being unique.
   *
   * time: the start of a tick. before_epoch, time_used_up, node_out_of_range: that part does not
   * fit. invalid_argument: the sequence does not fit, the time lies inside a tick, or the ID would
   * be 0. not_supported: the layout has 64 bits.
   */
  compose(time: Time, node: Whole, sequence: Whole): FlakeId {
    const ms = unixMs('time', time);
    const last = limited('sequence', sequence, -INT64_MAX, INT64_MAX);
    return checked(native.compose(this.#memory, ms, nodeNumber(node, this), last)) as FlakeId;
  }

  /**
   * The smallest and largest ID with since <= start of its tick < until, for
   * "WHERE id BETWEEN low AND high".
   *
   * invalid_argument: no tick starts in the range. before_epoch: since is before the epoch.
   * time_used_up: until is after expiresMs. not_supported: time is not on top.
   */
  bounds(since: Time, until: Time): [low: FlakeId, high: FlakeId] {
    const [from, to] = [unixMs('since', since), unixMs('until', until)];
    const found = native.bounds(this.#memory, from, to);
    if (typeof found === 'number') throw new FlakeError(found, this.#whyNoBounds(found, from, to));
    return found as [FlakeId, FlakeId];
  }

  #whyNoBounds(status: number, since: bigint, until: bigint): string | undefined {
    switch (status) {
      case statusOf('before_epoch'):
        return `since is ${since}, before the layout's epoch; give ${this.epochMs} or later`;
      case statusOf('time_used_up'):
        return `until is ${until}, after the end of the time field; ` +
          `give ${this.expiresMs} or earlier`;
      case statusOf('invalid_argument'):
        return `no tick of ${this.tickMs} ms starts in ${since} <= Unix ms < ${until}; ` +
          'give a later until';
      default:
        return undefined;
    }
  }

  /** Whether other is the same layout. */
  equals(other: LayoutLike): boolean {
    return this.#text === layoutOf(other).#text;
  }

  /** The full form, "t41n10s12@1735689600000". */
  toString(): string {
    return this.#text;
  }

  /** The full form. */
  toJSON(): string {
    return this.#text;
  }

  /** @internal Whether it was made by the constructor. */
  static is(value: unknown): value is Layout {
    return typeof value === 'object' && value !== null && #memory in value;
  }

  /** @internal What the core reads. */
  static memoryOf(layout: Layout): ArrayBuffer {
    return layout.#memory;
  }
}

/** Where a layout is asked for, its text will do. */
export type LayoutLike = Layout | string;

/** A node as the core reads it. node_out_of_range: a number that no layout can hold. */
export function nodeNumber(node: unknown, layout: Layout): bigint {
  const number = whole('node', node);
  if (0n <= number && number <= INT64_MAX) return number;
  const most = 2n ** BigInt(layout.nodeBits) - 1n;
  throw refused(
    'node_out_of_range',
    most > 0n
      ? `node ${shown(number)} does not fit layout ${layout}; give a number in 0..${most}`
      : `layout ${layout} has no node field; leave node ${shown(number)} out`);
}

const defaultLayout = new Layout();

/** A Layout, or the one that a text means. ArgumentTypeError: neither. */
export function layoutOf(layout: LayoutLike): Layout {
  if (Layout.is(layout)) return layout;
  if (layout === 'snowflake') return defaultLayout;
  if (typeof layout === 'string') return new Layout(layout);
  throw new ArgumentTypeError(`layout must be a Layout or its text, not ${shown(layout)}`);
}

/** Takes an ID apart; see Layout.decode. */
export function decode(id: IdLike, layout: LayoutLike = defaultLayout): Decoded {
  return layoutOf(layout).decode(id);
}

/** Puts an ID together; see Layout.compose. */
export function compose(
  time: Time, node: Whole, sequence: Whole, layout: LayoutLike = defaultLayout,
): FlakeId {
  return layoutOf(layout).compose(time, node, sequence);
}

/** The smallest and largest ID of a range of time; see Layout.bounds. */
export function bounds(
  since: Time, until: Time, layout: LayoutLike = defaultLayout,
): [low: FlakeId, high: FlakeId] {
  return layoutOf(layout).bounds(since, until);
}
