// SPDX-License-Identifier: MIT
// What the tests share: a folder for lock files, a space for each test, a clock, errors by code.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { FlakeError } from 'flakecore';
import { TestClock } from 'flakecore/testing';

export const NODE = dirname(dirname(fileURLToPath(import.meta.url)));
export const ROOT = dirname(NODE);
export const NOW_MS = 1_750_000_000_000n; // 2025-06-15T15:06:40Z, the start of a second
export const NS_PER_MS = 1_000_000n;
export const NS_PER_S = 1_000_000_000n;

// For this process and those that it starts, which find it there.
if (isMainThread && process.env.FLAKECORE_TESTS_OF === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'flakecore-run-'));
  process.env.FLAKECORE_RUN_DIR = folder;
  process.env.FLAKECORE_TESTS_OF = String(process.pid);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

let spaces = 0;

/** A name that no other space of this process and its children has. */
export function freshSpace() {
  return `node-${process.pid}-${spaces++}`;
}

/** At NOW_MS, which is the start of a tick in every layout of these tests. */
export function freshClock() {
  return new TestClock(NOW_MS * NS_PER_MS);
}

/** Checks that call() throws a FlakeError of the code, whose message matches; returns it. */
export function refuses(code, call, message = /./) {
  try {
    const result = call();
    assert.fail(`no error, but ${String(result)}`);
  } catch (error) {
    return isRefusal(error, code, message);
  }
}

/** The same of a promise. */
export async function rejects(code, promise, message = /./) {
  try {
    await promise;
  } catch (error) {
    return isRefusal(error, code, message);
  }
  return assert.fail('no error');
}

function isRefusal(error, code, message) {
  if (!(error instanceof FlakeError)) throw error;
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return error;
}

/** Whether the IDs are all different and in order. */
export function rises(ids) {
  return ids.every((id, i) => i === 0 || ids[i - 1] < id);
}

/** Runs a program of Node; { status, stdout, stderr }. It is written as an ES module. */
export function node(program, ...options) {
  const done = spawnSync(
    process.execPath, ['--input-type=module', ...options, '--eval', program],
    { cwd: NODE, encoding: 'utf8', timeout: 120_000 });
  return { status: done.status, stdout: done.stdout, stderr: done.stderr };
}
