/**
 * `node scripts/browser.mjs`: prints the path of a browser for the tests of the page. Without one on the machine it gets one: from Debian's packages
 * where it may, else from the npm registry into ~/.cache/curtail. Ends with status 1, and the reason, if it cannot.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
/** A Chromium for Linux on x64, packed for functions in a cloud. */
const packed = { name: '@sparticuz/chromium', version: '147.0.0' };

const given = process.env.CURTAIL_BROWSER;
const found = () => (given ? [given] : names).map(pathOf).find((path) => path !== undefined);

try {
  console.log(found() ?? fromDebian() ?? fromNpm());
} catch (error) {
  console.error(`No browser: ${error.message.trim()}`);
  process.exit(1);
}

function pathOf(name) {
  try {
    return execFileSync('sh', ['-c', 'command -v -- "$1"', 'sh', name], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

function fromDebian() {
  if (given || pathOf('apt-get') === undefined || process.getuid?.() !== 0) return undefined;
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  try {
    execFileSync('apt-get', ['update', '-qq'], options);
    execFileSync('apt-get', ['install', '-qq', '-y', '--no-install-recommends', 'chromium'], options);
  } catch {
    return undefined;
  }
  return found();
}

function fromNpm() {
  if (given) throw new Error(`CURTAIL_BROWSER names ${given}, which is no program`);
  if (platform() !== 'linux' || process.arch !== 'x64')
    throw new Error('install Chromium or Chrome, or name one in CURTAIL_BROWSER');
  const folder = join(homedir(), '.cache/curtail', `browser-${packed.version}`);
  const program = join(folder, 'browser');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const words = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
  execFileSync('npm', [...words, `${packed.name}@${packed.version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const bin = (file) =>
    brotliDecompressSync(readFileSync(join(folder, 'node_modules', packed.name, 'bin', file)));
  for (const archive of ['al2023.tar.br', 'swiftshader.tar.br'])
    execFileSync('tar', ['-x', '-C', folder], { input: bin(archive) });
  writeFileSync(join(folder, 'chromium'), bin('chromium.br'), { mode: 0o755 });
  // Its libraries come last: those of the machine fit the machine.
  const script = `#!/bin/sh\nexport LD_LIBRARY_PATH="\${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}${folder}/lib"\nexec "${folder}/chromium" "$@"\n`;
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  return program;
}
