// SPDX-License-Identifier: MIT
// Values on their way into the core: the right value or an error, never a rounded or narrowed one.
import { inspect, types } from 'node:util';
import { ArgumentTypeError, refused } from './errors.js';

export const INT64_MAX = 2n ** 63n - 1n;
export const UINT64_MAX = 2n ** 64n - 1n;

/** A whole number: a bigint, or a number from -(2^53 - 1) to 2^53 - 1. */
export type Whole = bigint | number;

/** A moment: a Date, or Unix time in ms as a whole number. */
export type Time = Date | Whole;

/** A value as text, short enough for an error. */
export function shown(value: unknown): string {
  const options = { depth: 0, breakLength: Infinity, maxStringLength: 80 };
  const text = typeof value === 'bigint' ? String(value) : inspect(value, options);
  return text.length <= 80 ? text : text.slice(0, 77) + '...';
}

/** value as a bigint. ArgumentTypeError: no whole number, or a number that may be a rounded one. */
export function whole(name: string, value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  if (Number.isInteger(value)) {
    throw new ArgumentTypeError(
      `${name} is ${shown(value)}; above 2^53 - 1 a number is rounded: give a bigint`);
  }
  throw new ArgumentTypeError(`${name} must be a whole number, not ${shown(value)}`);
}

/** value as a bigint of least..most. invalid_argument: it is not. */
export function limited(name: string, value: unknown, least: bigint, most: bigint): bigint {
  const number = whole(name, value);
  if (least <= number && number <= most) return number;
  throw refused(
    'invalid_argument', `${name} is ${shown(number)}; it must lie in ${least}..${most}`);
}

/** How many, as a number of least..2^53 - 1. */
export function count(name: string, value: unknown, least: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  return Number(limited(name, value, BigInt(least), BigInt(Number.MAX_SAFE_INTEGER)));
}

/** The place of value among names. invalid_argument: it is none of them. */
export function choice(name: string, value: unknown, names: readonly string[]): number {
  const place = names.indexOf(value as string);
  if (place >= 0) return place;
  const message = `${name} is ${shown(value)}; it must be one of ${names.join(', ')}`;
  if (typeof value === 'string') throw refused('invalid_argument', message);
  throw new ArgumentTypeError(message);
}

/** Checks an argument of named options: an object that has no others. */
export function checkOptions(options: unknown, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null || isSomethingElse(options, names)) {
    throw new ArgumentTypeError(
      `the options must be an object with ${names.join(', ')}, not ${shown(options)}`);
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) {
      throw refused(
        'invalid_argument', `there is no option ${shown(name)}; there are ${names.join(', ')}`);
    }
  }
}

/** Whether it has none of the names and is of a class: an AbortSignal shows no keys at all. */
function isSomethingElse(options: object, names: readonly string[]): boolean {
  const prototype: unknown = Object.getPrototypeOf(options);
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return !plain && !names.some((name) => name in options);
}

/** A string as bytes; one that is no text at all comes out as bytes that the core refuses. */
export function utf8(name: string, value: unknown): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value);
  throw new ArgumentTypeError(`${name} must be a string, not ${shown(value)}`);
}

/** A moment in Unix ms. ArgumentTypeError: neither a whole number nor a valid Date. */
export function moment(name: string, value: unknown): bigint {
  const given = types.isDate(value) ? value.getTime() : value;
  if (Number.isNaN(given)) throw new ArgumentTypeError(`${name} is ${shown(value)}, no moment`);
  return whole(name, given);
}

/** The same of a time of IDs. before_epoch, time_used_up: beyond what any layout can express. */
export function unixMs(name: string, value: unknown): bigint {
  const ms = moment(name, value);
  if (ms < -INT64_MAX) throw refused('before_epoch', `${name} is ${ms}, before every epoch`);
  if (ms > INT64_MAX) {
    throw refused('time_used_up', `${name} is ${ms}, after the end of every layout`);
  }
  return ms;
}

const DATE_MAX_MS = 8_640_000_000_000_000n;
const ERA_MS = 146_097n * 86_400_000n; // 400 years, after which the calendar repeats

/** Unix ms as a Date; null beyond what a Date can hold, the year 275760. */
export function dateOf(ms: bigint): Date | null {
  return ms <= DATE_MAX_MS ? new Date(Number(ms)) : null;
}

/** Unix ms (>= 0) as "2016-04-30T11:18:25.796Z"; a year beyond 9999 with a "+" in front. */
export function isoOf(ms: bigint): string {
  const [year, ...rest] = new Date(Number(ms % ERA_MS)).toISOString().split('-');
  const full = BigInt(year as string) + 400n * (ms / ERA_MS);
  return [full > 9999n ? `+${full}` : `${full}`.padStart(4, '0'), ...rest].join('-');
}

/** A 64-bit value for JSON: a number while that is exact, else its decimal text. */
export function json(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
