// SPDX-License-Identifier: MIT
// Where the native module lies: in the package and nowhere else, by absolute paths.
// FLAKECORE_NATIVE, the absolute path of a flakecore.node, is the one way to say otherwise.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

export const BUILD_HINT =
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

/** The native module to load. Throws an Error that says what to do when it is not there. */
export function modulePath(): string {
  const given = process.env['FLAKECORE_NATIVE'];
  if (given !== undefined) {
    if (isAbsolute(given) && existsSync(given)) return given;
    throw new Error(`FLAKECORE_NATIVE is '${given}'; it must be the absolute path of a file`);
  }
  const built = builtModule();
  if (existsSync(built)) return built;
  throw new Error(
    `flakecore has no native module for ${platform()}: ${built} is not there; ${BUILD_HINT}`);
}
