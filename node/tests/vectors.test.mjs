// SPDX-License-Identifier: MIT
// The conformance vectors, through the package's own API. What is missing fails.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { FlakeError, Generator, Layout } from 'flakecore';
import { TestClock } from 'flakecore/testing';
import { COLUMNS, FOLDER, note, rowsOf } from './vectors.mjs';
import { freshSpace, rises } from './shared.mjs';

const FIELDS = {
  time_bits: 'timeBits', time_shift: 'timeShift', node_bits: 'nodeBits', node_shift: 'nodeShift',
  seq_bits: 'seqBits', seq_shift: 'seqShift', tick_ms: 'tickMs', epoch_ms: 'epochMs',
  expires_ms: 'expiresMs',
};

/** [code, result] of a call that may wait in its own way. */
async function outcome(call) {
  try {
    return ['ok', await call()];
  } catch (error) {
    if (error instanceof FlakeError) return [error.code, null];
    throw error;
  }
}

test('no file of vectors is unknown here', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.tsv'));
  assert.deepEqual(files.sort(), Object.keys(COLUMNS).sort());
});

test('layouts hold', async () => {
  for (const row of rowsOf('layouts.tsv')) {
    const [status, layout] = await outcome(() => Layout.parse(row.text('text')));
    assert.equal(status, row.text('status'), String(row));
    if (status !== 'ok') {
      row.expectNo('canonical', 'now_ms', 'check', ...Object.keys(FIELDS));
      continue;
    }
    assert.equal(String(layout), row.text('canonical'), String(row));
    assert.ok(new Layout(String(layout)).equals(layout), String(row));
    for (const [column, field] of Object.entries(FIELDS)) {
      assert.equal(BigInt(layout[field]), row.number(column), `${row}: ${field}`);
    }
    const [checkStatus] = await outcome(() => layout.check(row.number('now_ms')));
    assert.equal(checkStatus, row.text('check'), String(row));
  }
  note('vectors', ['layouts.tsv']);
});

for (const zone of ['UTC', 'Asia/Shanghai', 'America/New_York']) {
  test(`ids hold in the time zone ${zone}`, async () => { // S39
    const before = process.env.TZ;
    process.env.TZ = zone;
    for (const row of rowsOf('ids.tsv')) {
      const layout = new Layout(row.text('layout'));
      assert.ok(row.has('decode_status') || row.has('compose_status'), String(row));
      if (row.has('decode_status')) await decodes(row, layout);
      if (row.has('compose_status')) await composes(row, layout);
    }
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
    note('vectors', ['ids.tsv']);
  });
}

async function decodes(row, layout) {
  const [status, parts] = await outcome(() => layout.decode(row.number('id')));
  assert.equal(status, row.text('decode_status'), String(row));
  if (!parts) return;
  const { unixMs, tick, node, sequence, iso, time } = parts;
  assert.deepEqual(
    [unixMs, tick, BigInt(node), BigInt(sequence)],
    ['unix_ms', 'tick', 'node', 'sequence'].map((column) => row.number(column)), String(row));
  if (row.has('iso')) assert.deepEqual([iso, time?.toISOString()], Array(2).fill(row.text('iso')));
  else assert.match(iso, /^\+[0-9]{5,}-/);
}

async function composes(row, layout) {
  const parts = ['unix_ms', 'node', 'sequence'].map((column) => row.number(column));
  const [status, id] = await outcome(() => layout.compose(...parts));
  assert.equal(status, row.text('compose_status'), String(row));
  if (id !== null) assert.equal(id, row.number('id'), String(row));
}

test('bounds hold', async () => {
  for (const row of rowsOf('bounds.tsv')) {
    const layout = new Layout(row.text('layout'));
    const range = [row.number('from_ms'), row.number('until_ms')];
    const [status, found] = await outcome(() => layout.bounds(...range));
    assert.equal(status, row.text('status'), String(row));
    if (found) assert.deepEqual(found, [row.number('min_id'), row.number('max_id')], String(row));
    else row.expectNo('min_id', 'max_id');
  }
  note('vectors', ['bounds.tsv']);
});

// ---- clock scripts ------------------------------------------------------------------------------

// Every way to an ID waits by itself and must behave the same.
const WAYS = {
  nextId: (gen) => gen.nextId(),
  iterator: (gen) => gen[Symbol.iterator]().next().value,
  nextIdString: (gen) => BigInt(gen.nextIdString()),
  nextIdAsync: (gen) => gen.nextIdAsync(),
  asyncIterator: async (gen) => (await gen[Symbol.asyncIterator]().next()).value,
  nextRange: (gen) => gen.nextRange(1).first,
  nextIds: (gen) => gen.nextIds(1)[0],
  fill: (gen) => {
    const ids = new BigInt64Array(1);
    assert.equal(gen.fill(ids), 1);
    return ids[0];
  },
};

/** Plays one script with a test clock and at most one open generator. */
class Player {
  constructor(space, draw) {
    this.space = space;
    this.draw = draw;
    this.gen = null;
    this.biggest = 0n;
  }

  async play(row) {
    const op = Player.OPS[row.text('op')];
    assert.ok(op, `${row}: an op that this reader does not know`);
    await op.call(this, row);
  }

  async answer(row, call) {
    const [status] = await outcome(call);
    assert.equal(status, row.text('expected'), String(row));
  }

  open(row) {
    assert.equal(this.gen, null, String(row));
    const given = row.has('arg2') ? row.text('arg2').split(',') : [];
    const options = Object.fromEntries(given.map((option) => {
      const [name, value] = option.split('=');
      const camel = name.replace(/_./g, (two) => two[1].toUpperCase());
      return [camel, name === 'mode' ? value : BigInt(value)];
    }));
    const { space, clock } = this;
    return new Generator({ layout: row.text('arg1'), space, clock, ...options });
  }

  static OPS = {
    clock(row) {
      this.clock = new TestClock(row.number('arg1'));
      this.markNs = this.clock.monotonicNs();
    },
    wall(row) {
      return this.answer(row, () => this.clock.setWall(row.number('arg1')));
    },
    rate(row) {
      return this.answer(row, () => this.clock.setRate(row.number('arg1')));
    },
    advance(row) {
      return this.answer(row, () => this.clock.advance(row.number('arg1')));
    },
    script(row) {
      return this.answer(row, () => this.clock.script(row.number('arg1'), row.number('arg2')));
    },
    stop_sleeps(row) {
      return this.answer(row, () => this.clock.stopSleeps(row.number('arg1') === 1n));
    },
    async open(row) {
      const [status, gen] = await outcome(() => this.open(row));
      assert.equal(status, row.text('expected'), String(row));
      this.gen = gen;
      this.biggest = 0n;
    },
    close() {
      this.gen.close();
      this.gen = null;
    },
    elapsed(row) {
      const nowNs = this.clock.monotonicNs();
      assert.equal(nowNs - this.markNs, row.number('expected'), String(row));
      this.markNs = nowNs;
    },
    async next(row) {
      const ids = [];
      for (let i = 0n; i < row.number('arg1'); i++) {
        const [status, id] = await outcome(() => this.draw(this.gen));
        assert.equal(status, row.text('expected'), String(row));
        ids.push(id);
      }
      if (row.text('expected') !== 'ok') return row.expectNo('first_id', 'last_id');
      assert.ok(rises(ids) && ids[0] > this.biggest, String(row));
      assert.equal(ids[0], row.number('first_id'), String(row));
      assert.equal(ids.at(-1), row.number('last_id'), String(row));
      this.biggest = ids.at(-1);
    },
  };
}

for (const [way, draw] of Object.entries(WAYS)) {
  test(`clock scripts hold, drawn by ${way}`, async () => {
    const players = new Map();
    const prefix = freshSpace();
    const ops = new Set();
    for (const row of rowsOf('clock.tsv')) {
      const script = row.text('script');
      if (!players.has(script)) {
        assert.equal(row.text('op'), 'clock', String(row));
        assert.ok([...players.values()].every((player) => player.gen === null), String(row));
        players.set(script, new Player(`${prefix}-${script}`, draw));
      }
      await players.get(script).play(row);
      ops.add(row.text('op'));
    }
    assert.ok([...players.values()].every((player) => player.gen === null));
    note('vectors', ['clock.tsv']);
    note('script', players.keys());
    note('op', ops);
  });
}
