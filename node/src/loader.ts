// SPDX-License-Identifier: MIT
// Where the native module lies: in the package and nowhere else, by absolute paths.
// FLAKECORE_NATIVE, the absolute path of another one, is the one way to say otherwise.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

const BUILD_HINT =
  'run "npx flakecore build", which needs a C compiler, make and Python 3';

/** The folder of the package. */
export const packageFolder = join(__dirname, '..');

/** The C library of this process, by what the program of Node names as its loader. */
function library(): string {
  if (process.platform !== 'linux') return '';
  const head = Buffer.alloc(4096);
  const file = openSync(process.execPath, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  return head.includes('/ld-musl-') ? '-musl' : '-glibc';
}

/** "linux-x64-glibc": a prebuild for one platform works on no other. */
export function platform(): string {
  return `${process.platform}-${process.arch}${library()}`;
}

/** Where the native module of this platform lies, or is to lie. */
export function builtModule(): string {
  return join(packageFolder, 'prebuilds', platform(), 'flakecore.node');
}

/** An error of loading, with the code that Node's own have. */
export function notLoaded(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: 'ERR_DLOPEN_FAILED' });
}

/** The file that FLAKECORE_NATIVE names; undefined when it is not set. */
function override(): string | undefined {
  const path = process.env['FLAKECORE_NATIVE'];
  if (path === undefined || (isAbsolute(path) && existsSync(path))) return path;
  const what = isAbsolute(path) ? 'there is no such file' : 'it must be an absolute path';
  throw notLoaded(`FLAKECORE_NATIVE is '${path}'; ${what}`);
}

/** The native module to load, and what to do when that fails. Throws when it is not there. */
export function findModule(): [path: string, whatToDo: string] {
  const given = override();
  if (given !== undefined) return [given, 'FLAKECORE_NATIVE names it'];
  const built = builtModule();
  const whatToDo = process.platform === 'win32' ? 'Windows is not supported' : BUILD_HINT;
  if (existsSync(built)) return [built, whatToDo];
  throw notLoaded(
    `flakecore has no native module for ${platform()}: ${built} is not there; ${whatToDo}`);
}
