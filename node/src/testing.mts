// SPDX-License-Identifier: MIT
export * from './testing.js';
