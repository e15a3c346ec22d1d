// SPDX-License-Identifier: MIT
// One error class; its code is the name of the core's status.
import { native } from './native.js';

/**
 * The codes of all errors, by status: the first is that of status -1.
 *
 * `caller`, your mistake, the same call will fail again: invalid_argument, bad_layout,
 * node_out_of_range, no_node, forked, closed, layout_differs, bad_text, not_supported.
 * `retry`, may pass by itself: exhausted, deadline_passed, lease_lost, store_unreachable, again.
 * `operator`, somebody must mend the clock, a file, a limit or the host: node_in_use,
 * clock_rewound, clock_frozen, before_epoch, time_used_up, ceiling_reached, bad_file, no_entropy,
 * out_of_memory, no_run_dir.
 */
export const CODES = Object.freeze([
  'invalid_argument', 'bad_layout', 'node_out_of_range', 'no_node', 'node_in_use', 'clock_rewound',
  'clock_frozen', 'before_epoch', 'time_used_up', 'exhausted', 'deadline_passed',
  'ceiling_reached', 'lease_lost', 'forked', 'closed', 'layout_differs', 'store_unreachable',
  'bad_file', 'bad_text', 'no_entropy', 'out_of_memory', 'not_supported', 'again', 'no_run_dir',
] as const);

/** The code of an error; "unknown" for a status that this version does not know. */
export type FlakeErrorCode = (typeof CODES)[number] | 'unknown';

/** The classes of statuses by number; the first is no error. */
export const KINDS = Object.freeze(['ok', 'caller', 'retry', 'operator'] as const);

/** Whose turn it is when an error comes. */
export type FlakeErrorKind = 'caller' | 'retry' | 'operator';

const OPTIONS = {
  max_wait_ms: 'maxWaitMs', max_lead_ms: 'maxLeadMs', start_floor_ms: 'startFloorMs',
  ceiling_ms: 'ceilingMs', seq_spread_bits: 'seqSpreadBits', clock_source: 'clockSource',
  host_guard: 'hostGuard', node_bits: 'nodeBits',
} as const;
const OPTION = new RegExp(`\\b(${Object.keys(OPTIONS).join('|')})\\b`, 'g');
const CAMEL_OPTION = new RegExp(`\\b(${Object.values(OPTIONS).join('|')})\\b`, 'g');

/** A sentence of the core, with its options as they are called here. */
export function spelled(sentence: string): string {
  return sentence.replace(OPTION, (name) => OPTIONS[name as keyof typeof OPTIONS]);
}

/** The same as the core spells it, for the command. */
export function asTheCore(sentence: string): string {
  return sentence.replace(
    CAMEL_OPTION, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function textOf(status: unknown): string {
  if (Number.isSafeInteger(status)) return native.statusText(status as number);
  throw new ArgumentTypeError(`status must be a whole number, not ${String(status)}`);
}

/**
 * Every error of this package but that of a native module which cannot be loaded, an Error with
 * the code ERR_DLOPEN_FAILED. Its message says what to do.
 */
export class FlakeError extends Error {
  /** The name of the status, such as "clock_rewound". Compare this, not the message. */
  readonly code: FlakeErrorCode;
  /** The status of the core, a negative number. */
  readonly status: number;
  /** Of nextIds, the IDs that were drawn before the error; they are valid. Not enumerable. */
  declare readonly issued: BigUint64Array;

  /** status: a negative number. message: a sentence to say instead of the general one. */
  constructor(status: number, message: string = textOf(status)) {
    super(spelled(message));
    this.status = status;
    this.code = native.statusName(status) as FlakeErrorCode;
  }

  /** @internal The error that ended nextIds after some IDs. */
  static after(issued: BigUint64Array, status: number): FlakeError {
    return Object.defineProperty(new FlakeError(status), 'issued', { value: issued });
  }

  /** Whose turn it is: "caller", "retry" or "operator", also for codes that are unknown. */
  get kind(): FlakeErrorKind {
    return KINDS[native.statusClass(this.status)] as FlakeErrorKind;
  }

  /** For JSON: code, kind, message. */
  toJSON(): object {
    const { code, kind, message } = this;
    return { code, kind, message };
  }

  static {
    Object.defineProperty(this.prototype, 'name', { value: 'FlakeError' });
    Object.defineProperty(this.prototype, 'issued', { value: new BigUint64Array() });
  }
}

/** A value of the wrong type, such as 7.5, NaN, true or null where a whole number stands. */
export class ArgumentTypeError extends FlakeError {
  /** message: what was wrong. The code is "invalid_argument". */
  constructor(message: string) {
    super(statusOf('invalid_argument'), message);
  }

  static {
    Object.defineProperty(this.prototype, 'name', { value: 'ArgumentTypeError' });
  }
}

/** The number of a code. */
export function statusOf(code: (typeof CODES)[number]): number {
  return -1 - CODES.indexOf(code);
}

/** An error with a code, and a sentence of its own. */
export function refused(code: (typeof CODES)[number], message?: string): FlakeError {
  return new FlakeError(statusOf(code), message);
}

/** The result of a native call. Throws the error of a status. */
export function checked<T>(result: T | number): T {
  if (typeof result === 'number') throw new FlakeError(result);
  return result;
}

/** Throws the error of a negative status. */
export function succeeded(status: number): void {
  if (status < 0) throw new FlakeError(status);
}
