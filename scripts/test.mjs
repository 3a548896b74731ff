/**
 * `npm test`: everything that must hold before a change goes in, in some 15 minutes. `npm run test:slow` (or `--slow`): what takes too long for
 * that; `npm run test:all` (or `--all`): both, with the coverage of the folders that decide about evictions. `npm run test:unit` (or `--unit`): the tests that need no server; `npm run test:clusters`
 * (or `--clusters`): those on a real Kubernetes. The last line is the sum over the lanes; the exit code is not 0 if anything at all went
 * wrong. Arguments after `--` go to jest.
 */
import { build } from './steps/build.mjs';
import { Coverage, coveredLanes } from './steps/coverage.mjs';
import { HeldOutput } from './steps/held-output.mjs';
import { install } from './steps/install.mjs';
import { runLane, skipLane } from './steps/jest-lane.mjs';
import { requireNode } from './steps/node-version.mjs';
import { runNode } from './steps/run.mjs';

const progress = (line, output = process) => output.stdout.write(`== ${line}\n`);
const sum = { passed: 0, failed: 0, skipped: 0 };
const wrong = [];

requireNode();
const words = process.argv.slice(2);
const scopes = {
  '--unit': ['unit'],
  '--clusters': ['clusters'],
  '--slow': ['slow'],
  '--all': ['unit', 'int', 'clusters', 'slow'],
};
const forJest = words.filter((word) => !(word in scopes));
const scope = words.find((word) => word in scopes);
const lanes = scopes[scope] ?? ['unit', 'int', 'clusters'];
const isAsked = (lane) => lanes.includes(lane);
const checksToo = isAsked('int');
const notToBeHad = 3;
// Its suites are a part of the lanes, so that they run once.
const coverage = scope === '--all' && forJest.length === 0 ? new Coverage() : undefined;

// The build runs beside the checks, since each of them keeps only one core busy.
const tsc = 'typescript-7/bin/tsc';
const types = ['types', () => tool(tsc, ['--noEmit'])];
const pageTypes = ['types of the page', () => tool(tsc, ['--noEmit', '-p', 'apps/console/web'])];
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
  if (checksToo) await Promise.all([inTurn([lint, imports, types, pageTypes]), step(...built)]);
  else if (scope !== '--unit') await step(...built);
  // Apart from the tests, so that a network that fails is not taken for a test that does.
  const served = scope !== '--unit' && (await step('servers', servers));
  // Beside the others, since its suites run one at a time and mostly wait. Its output follows, so that the two do not mix.
  const after = new HeldOutput();
  const others = inTurn(
    ['unit', 'int', 'slow']
      .filter((name) => isAsked(name) && (served || name === 'unit'))
      .map((name) => [`tests: ${name}`, () => lane(name)]),
  );
  const covered = async () => {
    await others;
    if (coverage && served) await step('coverage', async () => (await coverage.report()).length === 0);
  };
  const beside = served && isAsked('clusters') ? clusters(after) : Promise.resolve();
  await Promise.all([beside, covered().then(() => after.release())]);
}
if (sum.passed + sum.failed === 0 && scope !== '--clusters') wrong.push('no test was run');
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
  // Without promtool the tests of the alerting rules are skipped by name.
  if (isAsked('int') || isAsked('slow')) await infra('promtool');
  return (await runNode('scripts/infra.mjs', ['setup'])) === 0;
}

/** Gets a program that some tests need. Resolves to true also where it is not to be had: they are then skipped by name. */
async function infra(program, output = process) {
  const code = await runNode('scripts/infra.mjs', [program], {}, output);
  return code === 0 || code === notToBeHad;
}

/** On a real Kubernetes, where it is built or Go can build it; else its tests are skipped, by name. */
async function clusters(output) {
  let code;
  const build = async () => {
    code = await runNode('scripts/infra.mjs', ['control-plane'], {}, output);
    return code === 0 || code === notToBeHad;
  };
  await step('control plane', build, output);
  if (code === 0) await step('Helm', () => infra('helm', output), output);
  if (code === 0) await step('YARN', () => infra('yarn', output), output);
  if (code === 0) await step('tests: clusters', () => lane('clusters', output), output);
  if (code !== notToBeHad) return;
  const { suites, ...counted } = await skipLane('clusters', forJest, output);
  add(counted);
  progress(
    `tests: clusters: ${counted.skipped} SKIPPED, because they need Go (see above) to build a Kubernetes:`,
    output,
  );
  for (const suite of suites) progress(`  ${suite}`, output);
}

async function lane(name, output = process) {
  if (coverage && coveredLanes.includes(name)) {
    const parts = [await coverage.runCovered(name, output), await coverage.runOthers(name, output)];
    parts.forEach(add);
    return parts.every(({ failed }) => failed === 0);
  }
  const counted = await runLane(name, forJest, output);
  add(counted);
  return counted.failed === 0;
}

function add(counted) {
  for (const kind of Object.keys(sum)) sum[kind] += counted[kind];
}

/** Runs one step to its end, whatever happens in it, and states how long it took. */
async function step(name, work, output = process) {
  const begun = performance.now();
  const fine = await work().catch((error) => {
    output.stderr.write(`${error?.stack ?? error}\n`);
    return false;
  });
  if (!fine) wrong.push(name);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  progress(`${name}: ${fine ? 'ok' : 'FAILED'} (${seconds} s)`, output);
  return fine;
}
