// SPDX-License-Identifier: MIT
export { TestClock } from './testing.js';
