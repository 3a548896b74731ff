/**
 * `npm run test:one -- PATH… [options of jest]`: the suites whose path contains one of them, each in its lane. `--inspect-brk` before the path waits
 * for a debugger first.
 */
import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { nodeOptions } from './steps/jest-lane.mjs';
import { requireNode } from './steps/node-version.mjs';
import { root, run } from './steps/run.mjs';

requireNode();
const words = process.argv.slice(2);
const forNode = words.filter((word) => word.startsWith('--inspect'));
const others = words.filter((word) => !word.startsWith('--inspect'));
const options = others.findIndex((word) => word.startsWith('-'));
const paths = options < 0 ? others : others.slice(0, options);
const rest = others.slice(paths.length);
// Stepping through a test takes longer than its limit.
const forJest = forNode.length > 0 ? ['--testTimeout=86400000', ...rest] : rest;
if (paths.length === 0) {
  console.error("usage: npm run test:one -- PATH... [-t 'part of a name']");
  process.exit(2);
}

const all = await suites();
const found = [...new Set(paths.flatMap(suitesOf))];
for (const lane of new Set(found.map(laneOf))) {
  const files = found.filter((file) => laneOf(file) === lane);
  const jest = ['node_modules/jest/bin/jest.js', '--runInBand', '--runTestsByPath', ...files, ...forJest];
  const environment = { CURTAIL_TEST_LANE: lane, NODE_OPTIONS: nodeOptions() };
  const code = await run(process.execPath, [...forNode, ...jest], environment);
  if (code !== 0) process.exitCode = code;
}

/** A path as the shell completes it, also from a folder below; else a part of one. */
function suitesOf(path) {
  const given = relative(root, resolve(process.env.INIT_CWD ?? root, path));
  const found = [given, path]
    .map((part) => all.filter((file) => file.includes(part)))
    .find(({ length }) => length > 0);
  if (found !== undefined) return found;
  console.error(`error: no suite has ${path} in its path: name a folder or a file that ends in .spec.ts`);
  process.exit(2);
}

async function suites() {
  const folders = ['apps', 'libs', 'migrations', 'scripts', 'test'];
  const names = folders.map(async (folder) => {
    const inside = await readdir(join(root, folder), { recursive: true });
    return inside.filter((name) => name.endsWith('.spec.ts')).map((name) => join(folder, name));
  });
  return (await Promise.all(names)).flat().sort();
}

/** By the name of its file (docs/development.md, "Tests"). */
function laneOf(file) {
  return /\.(int|slow|clusters)\.spec\.ts$/.exec(file)?.[1] ?? 'unit';
}
