// SPDX-License-Identifier: MIT
export * from './index.js';
