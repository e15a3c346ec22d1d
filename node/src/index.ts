// SPDX-License-Identifier: MIT
/**
 * Time-ordered unique 64-bit IDs (Snowflake: time, node, sequence), made in process.
 *
 *     import { Generator, decode } from 'flakecore';
 *
 *     const gen = new Generator({ node: 7 });
 *     const id = gen.nextId();    // a positive bigint
 *     decode(id).time;            // a Date
 *
 * Each live generator of a space needs a node number of its own. Errors are FlakeErrors, with the
 * name of the core's status as .code.
 *
 * @packageDocumentation
 */
import { native } from './native.js';

export type { Time, Whole } from './arguments.js';
export type { IdBuffer } from './batch.js';
export { nodeFrom } from './config.js';
export type { GeneratorOptions, NodeFound } from './config.js';
export { ArgumentTypeError, CODES, FlakeError } from './errors.js';
export type { FlakeErrorCode, FlakeErrorKind } from './errors.js';
export { Generator } from './generator.js';
export type { AsyncOptions, IdRange } from './generator.js';
export { REASONS } from './health.js';
export type { Health, Stats } from './health.js';
export { FORMATS, Id, decodeText, encode } from './id.js';
export type { FlakeId, FlakeIdString, Format, IdLike } from './id.js';
export { Layout, bounds, compose, decode } from './layout.js';
export type { Decoded, LayoutLike } from './layout.js';

/** The version of the core inside; the package has the same. */
export const version: string = native.version;
