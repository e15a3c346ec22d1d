// SPDX-License-Identifier: MIT
// IDs as text: the formats, and Id through JSON and wherever it must not be rounded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { FORMATS, Generator, Id, compose, decode, decodeText, encode } from 'flakecore';
import { NOW_MS, freshClock, freshSpace, refuses } from './shared.mjs';

const BIG = 653247040368672768n; // JavaScript prints the number as 653247040368672800
const IDS = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });

test('every form reads back and sorts as the IDs do', () => { // S40
  fc.assert(fc.property(fc.constantFrom(...FORMATS), IDS, IDS, (format, one, two) => {
    const texts = [one, two].map((id) => encode(id, format));
    assert.deepEqual(texts.map((text) => decodeText(text, format)), [one, two]);
    if (format === 'dec') return;
    assert.equal(texts[0].length, texts[1].length);
    assert.equal(texts[0] < texts[1], one < two);
  }));
});

test('what encode does not write is refused', () => {
  for (const text of ['', ' 7', '7 ', '+7', '-7', '07', '7.5', '\u0667', '7\0', '\ud800',
    '1'.repeat(21), '99999999999999999999', '\u00e9']) {
    for (const format of FORMATS) refuses('bad_text', () => decodeText(text, format));
    refuses('bad_text', () => Id.from(text));
    refuses('bad_text', () => decode(text));
  }
});

test('an unknown format is refused and the known ones are named', () => {
  for (const format of ['', 'Dec', 'base64', '0', '\0', null, 0, 'toString']) {
    refuses('invalid_argument', () => encode(1n, format), /dec, hex, base32/);
    refuses('invalid_argument', () => decodeText('1', format), /dec, hex, base32/);
  }
});

test('what is no 64 bits is not written', () => {
  for (const id of [-1n, 2n ** 64n, 10n ** 30n]) refuses('invalid_argument', () => encode(id));
});

test('an ID goes exactly through JSON', () => { // S35, S37
  const text = JSON.stringify({ id: Id.from(BIG) });
  assert.equal(text, '{"id":"653247040368672768"}');
  assert.equal(Id.from(JSON.parse(text).id).value, BIG);
  const gen = new Generator({ node: 1, space: freshSpace(), clock: freshClock() });
  const id = gen.nextIdString();
  assert.equal(JSON.stringify({ id }), `{"id":"${id}"}`);
  assert.equal(decode(JSON.parse(JSON.stringify({ id })).id).node, 1);
  assert.throws(() => JSON.stringify({ id: gen.nextId() }), TypeError); // the language's own rule
});

test('an Id is made of what it is called for', () => {
  for (const id of [Id.from(BIG), Id.from(String(BIG)), Id.from(Id.from(BIG)),
    Id.fromText(encode(BIG, 'base62'), 'base62'), Id.fromText(String(BIG))]) {
    assert.ok(id instanceof Id && id.equals(BIG) && id.equals(String(BIG)));
    assert.equal(id.value, BIG);
    assert.equal(`${id}`, String(BIG));
    assert.equal(inspect(id), `Id(${BIG})`);
    assert.equal(decode(id, 'twitter').unixMs, 1444581205824n);
    assert.equal(encode(id, 'hex'), BIG.toString(16).padStart(16, '0'));
  }
  assert.equal(Id.fromNumber(Number.MAX_SAFE_INTEGER).value, 2n ** 53n - 1n);
});

test('what is no ID makes no Id', () => {
  for (const value of [0n, -1n, 2n ** 64n, '0']) refuses('invalid_argument', () => Id.from(value));
  for (const value of [0, -1, 7.5, NaN, 2 ** 53, 7n, '7', null]) {
    refuses('invalid_argument', () => Id.fromNumber(value));
  }
  refuses('bad_text', () => Id.fromText('7', 'hex'));
});

test('arithmetic and comparisons that would round or join text are refused', () => {
  const id = Id.from(BIG);
  for (const call of [
    () => +id, () => id + 1, () => id + 'x', () => id * 2, () => id < Id.from(7n), () => id == 7,
    () => Number(id), () => Math.max(id, 1), () => BigInt(id), () => new Date(id),
  ]) {
    refuses('invalid_argument', call, /an Id is not a number; use \.value/);
  }
  assert.throws(() => { id.value = 7n; }, TypeError);
});

test('IDs sort by their number, not by their text', () => {
  const ids = [10n, 9n, 100n].map((id) => Id.from(id)).sort(Id.compare);
  assert.deepEqual(ids.map(String), ['9', '10', '100']);
  assert.equal(Id.compare('7', 7n), 0);
});

test('node 0 and sequence 0 print and parse like any other', () => { // S38
  const id = compose(NOW_MS, 0, 0);
  for (const format of FORMATS) assert.equal(decodeText(encode(id, format), format), id);
  assert.deepEqual([decode(id).node, decode(id).sequence], [0, 0]);
  assert.equal(String(Id.from(id)), id.toString());
});
