// SPDX-License-Identifier: MIT
// Each status has exactly one code, and each word for a value is the core's.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import * as flakecore from 'flakecore';
import { ArgumentTypeError, CODES, FlakeError } from 'flakecore';
import { NODE, ROOT, freshClock, freshSpace, refuses } from './shared.mjs';

const header = readFileSync(join(ROOT, 'core', 'flakecore.h'), 'utf8');
const require = createRequire(import.meta.url);
const inner = (name) => require(join(NODE, 'dist', `${name}.js`));

/** The words of an enumeration by its prefix: FLAKE_MODE_STRICT = 0 is ["strict", 0]. */
function words(prefix) {
  const found = header.matchAll(new RegExp(`^  ${prefix}(\\w+) = (-?\\d+)`, 'gm'));
  return [...found].map(([, word, number]) => [word.toLowerCase(), Number(number)]);
}

test('each status has one code, with its kind and its sentence', () => {
  const statuses = words('FLAKE_E_');
  assert.deepEqual(CODES, statuses.map(([code]) => code));
  for (const [code, status] of statuses) {
    const error = new FlakeError(status);
    assert.deepEqual([error.code, error.status, error.name], [code, status, 'FlakeError']);
    assert.ok(['caller', 'retry', 'operator'].includes(error.kind));
    assert.ok(error.message.length > 20 && error instanceof Error);
    assert.equal(error.issued.length, 0);
  }
  assert.equal(new FlakeError(-6).kind, 'operator');
  assert.equal(new FlakeError(-10).kind, 'retry');
  assert.equal(new FlakeError(-15).kind, 'caller');
});

test('an unknown status is an error all the same', () => {
  const [, end] = words('FLAKE_STATUS_').find(([word]) => word === 'end');
  for (const status of [end, -4095]) {
    const error = new FlakeError(status);
    assert.deepEqual([error.code, error.status, error.kind], ['unknown', status, 'operator']);
    assert.match(error.message, /newer than the program/);
  }
});

test('a FlakeError is made of a status and nothing else', () => {
  for (const status of [undefined, null, 'closed', NaN, 1.5, -1n, {}]) {
    const error = refuses('invalid_argument', () => { throw new FlakeError(status); });
    assert.match(error.message, /^status must be a whole number, not /);
    assert.ok(error instanceof ArgumentTypeError);
  }
});

test('messages call the options as they are called here', () => {
  for (const code of CODES) {
    const { message } = new FlakeError(-1 - CODES.indexOf(code));
    assert.doesNotMatch(message, /max_wait_ms|max_lead_ms|host_guard|ceiling_ms|start_floor_ms/);
  }
  assert.match(new FlakeError(-10).message, /allow a longer maxWaitMs/);
});

test('a wrong type has a class of its own', () => {
  const error = refuses('invalid_argument', () => new flakecore.Generator({ node: true }));
  assert.ok(error instanceof ArgumentTypeError && error instanceof FlakeError);
  assert.equal(error.name, 'ArgumentTypeError');
  assert.match(error.stack, /^ArgumentTypeError: node must be a whole number, not true/);
});

test('words, levels, reasons and formats are those of the core, in its order', () => {
  const { KINDS } = inner('errors');
  const { CLOCK_SOURCES, HOST_GUARDS, MODES } = inner('config');
  const { LEVELS, REASONS } = inner('health');
  for (const [prefix, known] of Object.entries({
    CLASS: KINDS, FORMAT: flakecore.FORMATS, MODE: MODES, CLOCK: CLOCK_SOURCES, GUARD: HOST_GUARDS,
    LEVEL: LEVELS,
  })) {
    assert.deepEqual(words(`FLAKE_${prefix}_`), known.map((word, i) => [word, i]), prefix);
  }
  assert.deepEqual(words('FLAKE_REASON_'), REASONS.map((word, bit) => [word, 2 ** bit]));
});

test('the package and the library have the same version', () => {
  assert.equal(flakecore.version, require(join(NODE, 'package.json')).version);
  assert.equal(flakecore.version, require('flakecore/package.json').version);
});

test('ES modules and CommonJS have the same things, not copies of them', async () => {
  for (const name of ['flakecore', 'flakecore/testing']) {
    const common = require(name);
    const { default: _, 'module.exports': __, ...module } = await import(name);
    assert.deepEqual(Object.keys(module).sort(), Object.keys(common).sort());
    for (const key of Object.keys(common)) assert.equal(module[key], common[key]);
  }
});

test('a sentence of the core that names what the user wrote is left as it is', () => {
  const space = freshSpace();
  const clock = freshClock();
  const gen = new flakecore.Generator({ node: 1, space, clock });
  refuses(
    'node_in_use', () => new flakecore.Generator({ node: 1, space, clock, maxWaitMs: 7 }),
    new RegExp(`node 1 of space "${space}" is open in this process with other options`));
  gen.close();
});
