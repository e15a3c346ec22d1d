// SPDX-License-Identifier: MIT
// build: compiles the native module in the package, by node-gyp, where there is no prebuild.
import { spawnSync } from 'node:child_process';
import {
  accessSync, constants, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { builtModule, packageFolder, platform } from '../loader.js';
import { DONE, FAILED, Options, Output, PROGRAM, USAGE, quoted, reasonOf } from './terminal.js';

const HELP = `Usage: ${PROGRAM} build [OPTION...]

Compiles the native module for this platform, and puts it where the package looks
for it. It needs a C compiler, make and Python 3 (on Debian and Ubuntu: apt-get
install build-essential python3), and node-gyp: its own npm brings one, or npm
install node-gyp. Nothing is downloaded. CC, MAKE and PYTHON name other programs
than cc, make and python3.

  -h, --help    print this

Exit status: 0 done; 1 failed; 2 wrong usage.
`;

const COMPILER = process.env['CC'] ?? 'cc';

/** Programs that are needed, and what names another one. */
const NEEDED = [
  ['a C compiler', COMPILER],
  ['make', process.env['MAKE'] ?? 'make'],
  ['Python 3', process.env['PYTHON'] ?? 'python3'],
] as const;

/** The script of node-gyp: one that is installed beside the package, else that of npm itself. */
function nodeGyp(): string | undefined {
  const npm = [process.env['npm_execpath'], join(dirname(process.execPath), 'npm')];
  for (const from of [join(packageFolder, 'x'), join(process.cwd(), 'x'), ...npm]) {
    try {
      return createRequire(realpathOf(from as string)).resolve('node-gyp/bin/node-gyp.js');
    } catch {
      continue; // not to be found from there
    }
  }
  return undefined;
}

function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function missing(): string[] {
  const programs = NEEDED.filter(([, name]) => spawnSync(name, ['--version']).error)
    .map(([what, name]) => `${what} (${name})`);
  return nodeGyp() ? programs : [...programs, 'node-gyp'];
}

/** Before anything is compiled: node-gyp would not say it so plainly. */
function checkWritable(out: Output): void {
  try {
    accessSync(packageFolder, constants.W_OK);
  } catch (error) {
    out.fail(
      FAILED, `cannot write to ${packageFolder}: ${reasonOf(error)}; build as a user who can, or ` +
      'in a copy, and name its flakecore.node by FLAKECORE_NATIVE');
  }
}

function compile(out: Output): void {
  // node-gyp does not quote the path of the headers, so it is given one without blanks.
  const folder = mkdtempSync(join(tmpdir(), 'flakecore-'));
  const headers = join(folder, 'headers');
  symlinkSync(join(packageFolder, 'headers'), headers);
  const done = spawnSync(
    process.execPath,
    [nodeGyp() as string, 'rebuild', '--release', '--loglevel=warn', `--nodedir=${headers}`],
    {
      cwd: packageFolder,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, LINK: COMPILER }, // node-gyp would link by a C++ compiler
    });
  rmSync(folder, { recursive: true });
  if (done.status === 0) return;
  out.fail(FAILED, `node-gyp failed in ${packageFolder}; what it says stands above`);
}

function install(out: Output): void {
  const target = builtModule();
  try {
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(packageFolder, 'build', 'Release', 'flakecore.node'), target);
    rmSync(join(packageFolder, 'build'), { recursive: true });
  } catch (error) {
    out.fail(FAILED, `cannot install ${target}: ${reasonOf(error)}`);
  }
  out.write(`built ${target}\n`);
}

export function runBuild(out: Output, args: readonly string[]): number {
  const [found, others] = new Options(out, ['help'], { h: 'help' }).read(args);
  if (found.length > 0) {
    out.write(HELP);
    return DONE;
  }
  const [other] = others;
  if (other !== undefined) out.fail(USAGE, `${quoted(other)} is not an option`, true);
  checkWritable(out);
  const lacking = missing();
  if (lacking.length > 0) {
    out.fail(
      FAILED, `to compile for ${platform()} it needs a C compiler, make, Python 3 and node-gyp; ` +
      `not found: ${lacking.join(', ')}`, true);
  }
  compile(out);
  install(out);
  return DONE;
}
