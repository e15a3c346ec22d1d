// SPDX-License-Identifier: MIT
// Prints what the installed package offers, for ci/parity: a kind, a name, and how Node calls it.
// Names are taken from the package in build/node/installed, and from things that it made.
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const place = fileURLToPath(new URL('../../build/node/installed/', import.meta.url));
const require = createRequire(join(place, 'x.js'));
const flakecore = require('flakecore');
const testing = require('flakecore/testing');
const inner = (name) => require(join(place, 'node_modules', 'flakecore', 'dist', `${name}.js`));

/** The members of a thing, its own and those of its class. */
function members(thing) {
  return [...Object.getOwnPropertyNames(thing),
    ...Object.getOwnPropertyNames(Object.getPrototypeOf(thing))];
}

function* publicNames(module, prefix = '') {
  for (const [name, thing] of Object.entries(module)) {
    yield prefix + name;
    if (typeof thing !== 'function' || !thing.prototype) continue;
    for (const member of [...Object.getOwnPropertyNames(thing), ...members(thing.prototype)]) {
      yield `${prefix}${name}.${member}`;
    }
  }
}

/** Members of what calls give. */
function* made() {
  const clock = new testing.TestClock(1_750_000_000_000_000_000n);
  const gen = new flakecore.Generator({ node: 1, space: 'parity', clock });
  const things = {
    Layout: gen.layout, Decoded: flakecore.decode(gen.nextId()), Health: gen.health(),
    Stats: gen.stats(), FlakeError: new flakecore.FlakeError(-1),
  };
  for (const [name, thing] of Object.entries(things)) {
    for (const member of members(thing)) yield `${name}.${member}`;
  }
  gen.close();
}

/** The options of opening, each tried: an unknown one is refused. */
function* options() {
  for (const [name, value] of Object.entries({
    node: 1, layout: 'snowflake', space: 'parity', mode: 'strict', maxWaitMs: 1100, maxLeadMs: 0,
    startFloorMs: 0, ceilingMs: 4e12, seqSpreadBits: 0, clockSource: 'precise', hostGuard: 'on',
  })) {
    const clock = new testing.TestClock(1_750_000_000_000_000_000n);
    new flakecore.Generator({ node: 1, space: 'parity', clock, [name]: value }).close();
    yield `Generator({ ${name} })`;
  }
}

/** The words that stand for the core's enumerators. */
function* values() {
  const { CLOCK_SOURCES, HOST_GUARDS, MODES } = inner('config');
  for (const [prefix, words] of Object.entries({
    CLASS: inner('errors').KINDS, FORMAT: flakecore.FORMATS, MODE: MODES, CLOCK: CLOCK_SOURCES,
    GUARD: HOST_GUARDS, LEVEL: inner('health').LEVELS, REASON: flakecore.REASONS,
  })) {
    for (const word of words) yield [`FLAKE_${prefix}_${word.toUpperCase()}`, word];
  }
}

process.env.FLAKECORE_RUN_DIR = mkdtempSync(join(tmpdir(), 'flakecore-run-'));
for (const name of [...publicNames(flakecore), ...publicNames(testing, 'testing.'), ...made(),
  ...options()]) {
  console.log(['name', name, name].join('\t'));
}
for (const code of flakecore.CODES) {
  console.log(['name', `"${code}"`, `"${code}"`].join('\t'));
  const error = new flakecore.FlakeError(-1 - flakecore.CODES.indexOf(code));
  console.log(['status', code, `"${error.code}"`].join('\t'));
}
for (const [name, word] of values()) console.log(['value', name, word].join('\t'));
rmSync(process.env.FLAKECORE_RUN_DIR, { recursive: true });
