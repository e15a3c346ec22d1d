// SPDX-License-Identifier: MIT
// The package as its user gets it: the tarball, installed into an empty place without scripts,
// where there is no compiler, its example run there. FLAKECORE_TARBALL names it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync,
  realpathSync, renameSync, rmSync, symlinkSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NODE, ROOT, freshSpace } from './shared.mjs';

const tarball = process.env.FLAKECORE_TARBALL;
const SPACE = freshSpace();
const QUICK = "console.log(new (require('flakecore').Generator)" +
  `({ node: 1, space: '${SPACE}' }).nextIdString())`;

const folder = mkdtempSync(join(tmpdir(), 'flakecore package-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A folder for PATH that holds these programs and nothing else. */
function pathOf(name, programs) {
  const place = join(folder, name);
  mkdirSync(place);
  for (const program of programs) {
    const found = execFileSync('bash', ['-c', 'type -P "$0"', program], { encoding: 'utf8' });
    symlinkSync(realpathSync(found.trim()), join(place, program));
  }
  return place;
}

/** Runs a program in a folder with a PATH of its own. */
function run(cwd, path, program, args, environment = {}) {
  const { FLAKECORE_RUN_DIR } = process.env;
  const env = { PATH: path, HOME: folder, FLAKECORE_RUN_DIR, ...environment };
  const done = spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: 300_000 });
  return { status: done.status, out: done.stdout, err: done.stderr };
}

const npm = realpathSync(
  execFileSync('bash', ['-c', 'type -P npm'], { encoding: 'utf8' }).trim());

/** An empty project with the tarball installed by npm, scripts switched off, no network asked. */
function installed(name, path) {
  assert.ok(tarball, 'FLAKECORE_TARBALL is not set: run ci/test node');
  const place = join(folder, name);
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), '{"private": true}\n');
  const options = ['--ignore-scripts', '--offline', '--no-audit', '--no-fund'];
  const { status, err } = run(place, path, process.execPath, [npm, 'install', ...options, tarball]);
  assert.equal(status, 0, err);
  return place;
}

const bare = pathOf('bare', ['sh', 'env']);
const place = installed('place', bare);
const own = join(place, 'node_modules', 'flakecore');
const command = join(own, 'dist', 'command', 'main.js');
const platform = readdirSync(join(own, 'prebuilds'))[0];
const prebuild = join(own, 'prebuilds', platform, 'flakecore.node');

test('the tarball holds the package and nothing else', () => {
  const names = execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  const parts = new Set(names.map((name) => name.split('/').slice(1, 2)[0]));
  assert.deepEqual([...parts].sort(), [
    'LICENSE', 'README.md', 'binding.gyp', 'core', 'dist', 'headers', 'native', 'package.json',
    'prebuilds',
  ]);
  const count = (suffix) => names.filter((name) => name.endsWith(suffix)).length;
  assert.deepEqual([count('.node'), count('.ts') > 0, count('/src/native.ts')], [1, true, 0]);
  const cores = readdirSync(join(ROOT, 'core')).filter((name) => /\.[ch]$/.test(name));
  assert.deepEqual(readdirSync(join(own, 'core')).sort(), cores.sort());
  const manifest = JSON.parse(readFileSync(join(own, 'package.json')));
  assert.deepEqual([manifest.gypfile, manifest.dependencies], [false, undefined]);
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
    assert.ok(!(script in manifest.scripts), script);
  }
});

test('it works with scripts switched off and no compiler', () => { // S41
  copyFileSync(join(NODE, 'examples', 'quickstart.mjs'), join(place, 'quickstart.mjs'));
  const quick = run(place, bare, process.execPath, ['quickstart.mjs']);
  assert.deepEqual([quick.status, quick.err], [0, '']);
  assert.match(quick.out, /^([0-9]+\n){3}[-0-9T:.Z]+, node 7, sequence [0-9]+\n$/);
  const common = run(place, bare, process.execPath, ['--print', QUICK]);
  assert.match(common.out, /^[0-9]+\n/);
});

test('npx flakecore draws and decodes', () => {
  const shim = join(place, 'node_modules', '.bin', 'flakecore');
  const path = pathOf('with-node', ['node', 'env']);
  const next = run(place, path, shim, ['next', '--node', '5', '--space', SPACE]);
  assert.deepEqual([next.status, next.err], [0, '']);
  const decoded = run(place, path, shim, ['decode', next.out.trim()]);
  assert.match(decoded.out, /  node 5  sequence [0-9]+\n$/);
});

test('where there is no prebuild, it says what to do', () => { // S41
  const away = join(own, 'prebuilds', 'away');
  renameSync(join(own, 'prebuilds', platform), away);
  try {
    const quick = run(place, bare, process.execPath, ['--eval', QUICK]);
    assert.equal(quick.status, 1);
    assert.match(quick.err, new RegExp(`no native module for ${platform}: .* is not there; ` +
      'run "npx flakecore build", which needs a C compiler, make and Python 3'));
    const next = run(place, bare, process.execPath, [command, 'next', '--node', '1']);
    assert.equal(next.status, 1);
    assert.match(next.err, /^npx flakecore next: flakecore has no native module .*\n$/);
    const build = run(place, bare, process.execPath, [command, 'build']);
    assert.equal(build.status, 1);
    assert.match(build.err, /not found: a C compiler \(cc\), make \(make\), Python 3 \(python3\)/);
    assert.equal(run(place, bare, process.execPath, [command, '--help']).status, 0);
  } finally {
    renameSync(away, join(own, 'prebuilds', platform));
  }
});

test('a platform is named with its C library, and another one gets no module of this', () => {
  const loader = JSON.stringify(join(own, 'dist', 'loader.js'));
  const as = (changes) => run(place, bare, process.execPath, ['--eval', `
    for (const [name, value] of Object.entries(${JSON.stringify(changes)})) {
      Object.defineProperty(process, name, { value });
    }
    console.log(require(${loader}).platform());
    ${QUICK}`]);
  const musl = join(folder, 'node-of-musl');
  writeFileSync(musl, '\x7fELF ... /lib/ld-musl-x86_64.so.1 ...');
  for (const [changes, name] of [
    [{ execPath: musl, platform: 'linux', arch: 'x64' }, 'linux-x64-musl'],
    [{ platform: 'linux', arch: 'riscv64' }, 'linux-riscv64-glibc'],
    [{ platform: 'darwin', arch: 'arm64' }, 'darwin-arm64'],
    [{ platform: 'win32', arch: 'x64' }, 'win32-x64'],
  ]) {
    const { status, out, err } = as(changes);
    assert.deepEqual([status, out], [1, `${name}\n`]);
    assert.match(err, new RegExp(`flakecore has no native module for ${name}: .*/${name}/`));
    assert.match(err, name === 'win32-x64' ? /Windows is not supported/ : /npx flakecore build/);
  }
});

test('npx flakecore build compiles it from the tarball alone', () => {
  const other = join(folder, 'other');
  cpSync(place, other, { recursive: true, verbatimSymlinks: true });
  const there = join(other, 'node_modules', 'flakecore');
  rmSync(join(there, 'prebuilds'), { recursive: true });
  const build = (environment) => run(
    other, process.env.PATH, process.execPath,
    [npm, 'exec', '--offline', '--', 'flakecore', 'build'], environment);
  const built = build({});
  assert.equal(built.status, 0, built.err);
  assert.ok(built.out.startsWith(`built ${realpathSync(there)}`), built.out);
  assert.ok(!existsSync(join(there, 'build')));
  const quick = run(other, bare, process.execPath, ['--eval', QUICK]);
  assert.match(quick.out, /^[0-9]+\n$/, quick.err);
  const broken = build({ CC: 'false' });
  assert.equal(broken.status, 1);
  assert.match(broken.err, /node-gyp failed in .*; what it says stands above/);
});

test('only the package is searched, but for the one override', () => {
  const override = (FLAKECORE_NATIVE) =>
    run(place, bare, process.execPath, ['--eval', QUICK], { FLAKECORE_NATIVE });
  const elsewhere = join(folder, 'elsewhere.node');
  copyFileSync(prebuild, elsewhere);
  assert.match(override(elsewhere).out, /^[0-9]+\n$/);
  const unnamed = join(folder, 'module-without-suffix');
  copyFileSync(prebuild, unnamed);
  assert.match(override(unnamed).out, /^[0-9]+\n$/);
  for (const path of ['', 'elsewhere.node']) {
    assert.match(override(path).err, /FLAKECORE_NATIVE is '.*'; it must be an absolute path/);
  }
  assert.match(
    override(join(folder, 'nope.node')).err,
    /FLAKECORE_NATIVE is '.*nope\.node'; there is no such file/);
  for (const name of ['damaged.node', 'damaged.js']) {
    const damaged = join(folder, name);
    writeFileSync(damaged, 'no module');
    const { err } = override(damaged);
    assert.match(err, /damaged\..* cannot be loaded: .*; FLAKECORE_NATIVE names it/);
    assert.match(err, /code: 'ERR_DLOPEN_FAILED'/);
    assert.doesNotMatch(err, /npx flakecore build/);
  }
});

test('a prebuild that does not load is to be built, and one that may not be, allowed', () => {
  const away = join(folder, 'away.node');
  renameSync(prebuild, away);
  writeFileSync(prebuild, 'for another C library');
  const damaged = run(place, bare, process.execPath, ['--eval', QUICK]);
  rmSync(prebuild);
  renameSync(away, prebuild);
  assert.match(damaged.err, /cannot be loaded: .*; run "npx flakecore build"/);
  const forbidden = run(place, bare, process.execPath, ['--no-addons', '--eval', QUICK]);
  assert.match(forbidden.err, /cannot be loaded: .*; start Node with --allow-addons/);
  assert.doesNotMatch(forbidden.err, /npx flakecore build/);
});

test('a package folder that cannot be written is named before anything is compiled', () => {
  const others = join(folder, 'others');
  cpSync(own, others, { recursive: true });
  chmodSync(folder, 0o755);
  chmodSync(others, 0o555);
  const nobody = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {}; // root may write all
  const done = spawnSync(
    process.execPath, [join(others, 'dist', 'command', 'main.js'), 'build'],
    { ...nobody, cwd: others, env: { PATH: process.env.PATH }, encoding: 'utf8' });
  chmodSync(others, 0o755);
  assert.equal(done.status, 1);
  assert.match(done.stderr, /build: cannot write to .*others: permission denied; build as a user/);
});

test('a module of another version is refused', () => {
  const manifest = join(own, 'package.json');
  const before = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, before.replace(/"version": "[^"]*"/, '"version": "99.0.0"'));
  const { status, err } = run(place, bare, process.execPath, ['--eval', QUICK]);
  writeFileSync(manifest, before);
  assert.equal(status, 1);
  assert.match(err, /is of flakecore [0-9.]+, the package of 99\.0\.0; run "npx flakecore build"/);
});

test('the native module shows only its entry points', () => {
  const symbols = execFileSync('nm', ['-D', '--defined-only', prebuild], { encoding: 'utf8' });
  const names = symbols.trim().split('\n').map((line) => line.split(' ').at(-1));
  assert.deepEqual(
    names.sort(), ['napi_register_module_v1', 'node_api_module_get_api_version_v1']);
});
