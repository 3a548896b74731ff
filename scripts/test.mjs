/**
 * `npm test`: everything that must hold before a change goes in. `npm run test:unit` (or `--unit`): the
 * tests that need no server; `npm run test:clusters` (or `--clusters`): those on a real Kubernetes. The last line is the sum over the lanes; the exit code is not 0 if
 * anything at all went wrong. Arguments after `--` go to jest.
 */
import { build } from './steps/build.mjs';
import { install } from './steps/install.mjs';
import { runLane, skipLane } from './steps/jest-lane.mjs';
import { requireNode } from './steps/node-version.mjs';
import { runNode } from './steps/run.mjs';

const progress = (line) => console.log(`== ${line}`);
const sum = { passed: 0, failed: 0, skipped: 0 };
const wrong = [];

requireNode();
const words = process.argv.slice(2);
const forJest = words.filter((word) => !['--unit', '--clusters'].includes(word));
const only = ['unit', 'clusters'].find((lane) => words.includes(`--${lane}`));
const isAsked = (lane) => only === undefined || only === lane;
const exitWithoutGo = 3;

// Each keeps one core busy: types go beside all others, which together take as long.
const types = ['types', () => tool('typescript/bin/tsc', ['--noEmit'])];
const pageTypes = [
  'types of the page',
  () => tool('typescript/bin/tsc', ['--noEmit', '-p', 'apps/console/web']),
];
const lint = ['lint', () => tool('@biomejs/biome/bin/biome', ['check', '.'])];
const importRoots = ['apps', 'libs', 'migrations', 'scripts/distributed', 'scripts/infra', 'test'];
const imports = [
  'imports',
  () =>
    tool('dependency-cruiser/bin/dependency-cruise.mjs', [
      '--config',
      '.dependency-cruiser.mjs',
      ...importRoots,
    ]),
];
const built = ['build', () => build(progress)];

if (await step('install', () => install(progress))) {
  if (only === undefined) await Promise.all([step(...types), inTurn([lint, imports, pageTypes, built])]);
  if (only === 'clusters') await step(...built);
  if (isAsked('unit')) await step('tests: unit', () => lane('unit'));
  // Apart from the tests, so that a network that fails is not taken for a test that does.
  if (only !== 'unit' && (await step('servers', servers))) {
    if (isAsked('int')) await step('tests: int', () => lane('int'));
    await clusters();
  }
}
if (sum.passed + sum.failed === 0 && only !== 'clusters') wrong.push('no test was run');
if (wrong.length > 0) progress(`went wrong: ${wrong.join(', ')}`);
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exitCode = wrong.length === 0 ? 0 : 1;

async function inTurn(steps) {
  for (const [name, work] of steps) await step(name, work);
}

async function tool(script, options) {
  return (await runNode(`node_modules/${script}`, options)) === 0;
}

/** Sees to it that the servers of the int lane can be started; otherwise states the remedy. */
async function servers() {
  return (await runNode('scripts/infra.mjs', ['setup'])) === 0;
}

/** On a real Kubernetes, where it is built or Go can build it; else its tests are skipped, by name. */
async function clusters() {
  let code;
  await step('control plane', async () => {
    code = await runNode('scripts/infra.mjs', ['control-plane']);
    return code === 0 || code === exitWithoutGo;
  });
  if (code === 0) await step('tests: clusters', () => lane('clusters'));
  if (code !== exitWithoutGo) return;
  const { suites, ...counted } = await skipLane('clusters', forJest);
  add(counted);
  progress(
    `tests: clusters: ${counted.skipped} SKIPPED, because they need Go (see above) to build a Kubernetes:`,
  );
  for (const suite of suites) progress(`  ${suite}`);
}

async function lane(name) {
  const counted = await runLane(name, forJest);
  add(counted);
  return counted.failed === 0;
}

function add(counted) {
  for (const kind of Object.keys(sum)) sum[kind] += counted[kind];
}

/** Runs one step to its end, whatever happens in it, and states how long it took. */
async function step(name, work) {
  const begun = performance.now();
  const fine = await work().catch((error) => {
    console.error(error);
    return false;
  });
  if (!fine) wrong.push(name);
  progress(`${name}: ${fine ? 'ok' : 'FAILED'} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  return fine;
}
