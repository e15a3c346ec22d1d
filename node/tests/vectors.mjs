// SPDX-License-Identifier: MIT
// Reads the conformance vectors as bindings/vectors/README.md says.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './shared.mjs';

export const FOLDER = join(ROOT, 'bindings', 'vectors');

// Each file that is there must be read by some test: file, and the names of its columns.
export const COLUMNS = {
  'layouts.tsv': 'text status canonical time_bits time_shift node_bits node_shift seq_bits ' +
    'seq_shift tick_ms epoch_ms expires_ms now_ms check why',
  'ids.tsv': 'layout id decode_status unix_ms tick node sequence iso compose_status why',
  'bounds.tsv': 'layout from_ms until_ms status min_id max_id why',
  'clock.tsv': 'script step op arg1 arg2 expected first_id last_id why',
};

/** One pass from left to right: \xNN is a byte, \\ a backslash, \e nothing. */
function unescaped(field) {
  assert.match(field, /^[!-~]*$/, 'an unescaped byte');
  const bytes = field.replace(/\\(?:x([0-9a-f]{2})|(.)|$)/g, (all, hex, other) => {
    if (hex) return String.fromCharCode(parseInt(hex, 16));
    assert.ok(other === 'e' || other === '\\', `what is ${all}?`);
    return other === 'e' ? '' : '\\';
  });
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

class Row {
  constructor(place, fields) {
    this.place = place;
    this.fields = fields;
  }

  toString() {
    return `${this.place}: ${this.fields.why}`;
  }

  has(column) {
    assert.ok(column in this.fields, `there is no column ${column}`);
    return this.fields[column] !== '-';
  }

  text(column) {
    assert.ok(this.has(column), `${column} has no value: ${this}`);
    return unescaped(this.fields[column]);
  }

  number(column) {
    assert.match(this.fields[column], /^-?[0-9]+$/, String(this));
    return BigInt(this.fields[column]);
  }

  /** Of a row that is refused: nothing else is said. */
  expectNo(...columns) {
    assert.deepEqual(columns.filter((column) => this.has(column)), [], String(this));
  }
}

/** The rows of a file; fails when it is missing or has other columns than this reader knows. */
export function rowsOf(name) {
  const text = readFileSync(join(FOLDER, name), 'latin1');
  assert.ok(text.endsWith('\n'), `${name} is cut off`);
  const [head, ...lines] = text.slice(0, -1).split('\n');
  const names = COLUMNS[name].split(' ');
  assert.deepEqual(head.split('\t'), names, `${name}: other columns than this reader knows`);
  assert.ok(lines.length > 0, `${name} has no rows`);
  return lines.map((line, i) => {
    const fields = line.split('\t');
    assert.ok(fields.length === names.length && fields.every((f) => f !== ''), `${name}:${i + 2}`);
    return new Row(`${name}:${i + 2}`, Object.fromEntries(names.map((n, k) => [n, fields[k]])));
  });
}

/** Notes for ci/parity what was read or played, when it asks for that. */
export function note(kind, names) {
  const target = process.env.FLAKE_PARITY_NOTES;
  if (target === undefined) return;
  for (const name of names) appendFileSync(target, `${JSON.stringify([kind, name])}\n`);
}
