// SPDX-License-Identifier: MIT
export {
  ArgumentTypeError, CODES, FORMATS, FlakeError, Generator, Id, Layout, REASONS, bounds, compose,
  decode, decodeText, encode, nodeFrom, version,
} from './index.js';
export type * from './index.js';
