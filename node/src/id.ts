// SPDX-License-Identifier: MIT
// IDs as values: bigint, text in the formats of the core, and Id for whatever travels as JSON.
import { ArgumentTypeError, FlakeError, checked, refused, statusOf } from './errors.js';
import { UINT64_MAX, choice, limited, shown, utf8 } from './arguments.js';
import { native } from './native.js';

declare const brand: unique symbol;

/** An ID as a bigint. A plain bigint is not one: Id.from(value).value checks and makes one. */
export type FlakeId = bigint & { readonly [brand]: 'FlakeId' };

/** An ID as its decimal text, for JSON. Sort by the number: as text, "9" comes after "10". */
export type FlakeIdString = string & { readonly [brand]: 'FlakeIdString' };

/** What is taken where an ID is meant; never a number, as it would be rounded above 2^53. */
export type IdLike = bigint | string | Id;

/** A way to write an ID. */
export type Format = 'dec' | 'hex' | 'base32' | 'base58' | 'base62';

function formatNames(): readonly Format[] {
  const names: Format[] = [];
  for (;;) {
    const name = native.formatName(names.length);
    if (name === null) return Object.freeze(names);
    names.push(name as Format);
  }
}

const NUMBER_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** All text forms. All but decimal have a fixed width and sort as text exactly as the IDs do. */
export const FORMATS: readonly Format[] = formatNames();

/** The bits of an ID, least..2^64-1. ArgumentTypeError: no bigint, text or Id. */
export function bitsOf(id: IdLike, least = 0n): bigint {
  const given: unknown = id instanceof Id ? id.value : id;
  const bits = typeof given === 'string' ? decodeText(given) : given;
  if (typeof bits === 'bigint') return limited('id', bits, least, UINT64_MAX);
  const hint = typeof id === 'number' ? '; a number is rounded above 2^53, see Id.fromNumber' : '';
  throw new ArgumentTypeError(`id must be a bigint, its text or an Id, not ${shown(id)}${hint}`);
}

/** An ID (0..2^64-1) as text. invalid_argument: no such format, not 64 bits, or a number. */
export function encode(id: IdLike, format: Format = 'dec'): string {
  return checked(native.encode(choice('format', format, FORMATS), bitsOf(id)));
}

/**
 * The ID of a text; reads exactly what encode writes.
 *
 * bad_text: anything else, also blanks, signs, the other case, leading zeros in decimal, more than
 * 64 bits. invalid_argument: no such format, or no string.
 */
export function decodeText(text: string, format: Format = 'dec'): FlakeId {
  const place = choice('format', format, FORMATS);
  const id = native.decodeText(place, utf8('text', text));
  if (id === statusOf('bad_text')) {
    throw refused('bad_text', `${shown(text)} is not an ID in the format ${format}`);
  }
  return checked(id) as FlakeId;
}

/**
 * An ID (1..2^64-1) as an object: JSON.stringify writes it as a string, and arithmetic that would
 * round it is refused. A bare bigint in JSON.stringify is a TypeError of the language.
 *
 *     JSON.stringify({ id: Id.from(gen.nextId()) })    {"id":"253479419526516736"}
 */
export class Id {
  /** The ID as a bigint. */
  readonly value: FlakeId;

  private constructor(value: bigint) {
    this.value = value as FlakeId;
    Object.freeze(this);
  }

  /**
   * From a bigint, a decimal text or an Id. invalid_argument: 0, out of range, or another type: a
   * number is refused. bad_text: not the text of an ID.
   */
  static from(value: IdLike): Id {
    const bits = bitsOf(value, 1n);
    return value instanceof Id ? value : new Id(bits);
  }

  /**
   * From a number of 1..2^53-1, such as the layout js53 gives. invalid_argument: anything else;
   * 2^53 + 1 as a number is 2^53 already.
   */
  static fromNumber(value: number): Id {
    if (typeof value === 'number') return new Id(limited('id', value, 1n, NUMBER_MAX));
    throw new ArgumentTypeError(`id must be a number, not ${shown(value)}`);
  }

  /** From text in a format. bad_text: not the text of an ID. */
  static fromText(text: string, format: Format = 'dec'): Id {
    return new Id(bitsOf(decodeText(text, format), 1n));
  }

  /** Smaller than 0 when a is the earlier ID, 0 when they are equal, else larger: for sort(). */
  static compare(a: IdLike, b: IdLike): number {
    const [left, right] = [bitsOf(a), bitsOf(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  }

  /** Whether other is the same ID. */
  equals(other: IdLike): boolean {
    return this.value === bitsOf(other);
  }

  /** Its decimal text. */
  toString(): FlakeIdString {
    return String(this.value) as FlakeIdString;
  }

  /** Its decimal text: JavaScript rounds numbers above 2^53. */
  toJSON(): FlakeIdString {
    return this.toString();
  }

  /** Throws invalid_argument: arithmetic would round, and < or + would compare or join text. */
  valueOf(): never {
    throw new FlakeError(
      statusOf('invalid_argument'),
      'an Id is not a number; use .value (a bigint), String(id), Id.compare(a, b) or id.equals(b)');
  }

  /** For console.log. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Id(${this.toString()})`;
  }
}
