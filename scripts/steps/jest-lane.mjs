import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root, runNode } from './run.mjs';

/**
 * Runs one lane of the tests and counts single tests, not suites. A suite that could not run, and a lane
 * that broke down or ran nothing, count as one failed: nothing that went wrong may pass for success.
 *
 * @param lane `unit`, `int`, `clusters` or `slow`
 * @param words passed to jest. They may select nothing of this lane, so then nothing to run is no failure.
 * @param output where jest writes; default: our own
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
export async function runLane(lane, words = [], output = process) {
  const { code, report } = await runJest(lane, words, {}, output);
  return count(report, code, words.length > 0);
}

/**
 * Counts the tests of a lane as skipped, without running any, or starting a server for them.
 *
 * @returns {Promise<{ passed: number, failed: number, skipped: number, suites: string[] }>} with the names of its suites
 */
export async function skipLane(lane, words = [], output = process) {
  const environment = { CURTAIL_TEST_SERVERS: 'none' };
  const { code, report } = await runJest(lane, ['--testNamePattern=(?!)', ...words], environment, output);
  const suites =
    JSON.parse(report ?? '{}')
      .testResults?.map(({ name }) => relative(root, name))
      .sort() ?? [];
  return { ...count(report, code, true), suites };
}

async function runJest(lane, words, environment = {}, output = process) {
  const folder = await mkdtemp(join(tmpdir(), 'curtail-lane-'));
  try {
    const report = join(folder, 'report.json');
    const code = await runNode(
      'node_modules/jest/bin/jest.js',
      ['--json', `--outputFile=${report}`, ...(words.length > 0 ? ['--passWithNoTests'] : []), ...words],
      { CURTAIL_TEST_LANE: lane, NODE_OPTIONS: nodeOptions(), ...environment },
      output,
    );
    return { code, report: await readFile(report, 'utf8').catch(() => undefined) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function count(text, code, mayBeEmpty) {
  if (text === undefined) return { passed: 0, failed: mayBeEmpty && code === 0 ? 0 : 1, skipped: 0 };
  const report = JSON.parse(text);
  const sum = {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
  const wentWrong = code !== 0 || !report.success || (sum.passed === 0 && !mayBeEmpty);
  return wentWrong && sum.failed === 0 ? { ...sum, failed: 1 } : sum;
}

/**
 * The suites are ES modules; jest's support for them is an experiment of Node's, which warns each time. Suites create
 * many short-lived objects; a larger young generation means fewer collections.
 */
export function nodeOptions() {
  const own = '--experimental-vm-modules --disable-warning=ExperimentalWarning --max-semi-space-size=64';
  return [process.env.NODE_OPTIONS, own].filter(Boolean).join(' ');
}
