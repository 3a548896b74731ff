/**
 * `npm run test:coverage`: runs the tests that concern the folders that decide about evictions, and prints for each what part of its lines of code
 * was run. It fails if that is less than `goal`, or if a test fails. `--lines` also lists the lines that were not.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { codeLines } from './steps/code-lines.mjs';
import { runLane } from './steps/jest-lane.mjs';
import { requireNode } from './steps/node-version.mjs';
import { root } from './steps/run.mjs';

/** Percent of the lines of code of each folder. */
const goal = 95;
const folders = ['libs/planning', 'libs/enforcement', 'libs/runs', 'libs/holds', 'apps/executor'];
/** Besides the suites of the folders: those that run an executor as a whole, in this process. */
const suitesOf = {
  unit: [],
  int: ['test/e2e/evictions.int', 'test/e2e/rounds.int', 'test/e2e/act-again.int'],
};

requireNode();
const listsLines = process.argv.includes('--lines');
const place = await mkdtemp(join(tmpdir(), 'curtail-coverage-'));
try {
  let failed = 0;
  for (const [lane, more] of Object.entries(suitesOf))
    failed += (await runLane(lane, wordsOf(lane, more))).failed;
  const hits = hitsOf(await Promise.all(Object.keys(suitesOf).map(reportOf)));
  const below = [];
  for (const folder of folders) {
    const { lines, run, missed } = await figuresOf(folder, hits);
    const percent = (100 * run) / lines;
    console.log(`${folder}: ${percent.toFixed(1)} % of ${lines} lines`);
    if (listsLines) for (const [file, numbers] of missed) console.log(`  ${file}: ${numbers.join(', ')}`);
    if (percent < goal) below.push(folder);
  }
  if (below.length > 0) console.log(`less than ${goal} %: ${below.join(', ')}`);
  if (failed > 0) console.log(`${failed} failed`);
  if (failed > 0 || below.length > 0) process.exitCode = 1;
} finally {
  await rm(place, { recursive: true, force: true });
}

function wordsOf(lane, more) {
  const sources = folders.map((folder) => `--collectCoverageFrom=${folder}/src/**/*.ts`);
  const options = ['--coverage', '--coverageReporters=json', `--coverageDirectory=${join(place, lane)}`];
  return [...options, ...sources, '--collectCoverageFrom=!**/*.spec.ts', ...folders, ...more];
}

async function reportOf(lane) {
  return JSON.parse(await readFile(join(place, lane, 'coverage-final.json'), 'utf8'));
}

/** By file the numbers of the lines that were run in one of the lanes. With `v8` each line is a statement. */
function hitsOf(reports) {
  const hits = new Map();
  for (const [file, { statementMap, s }] of reports.flatMap(Object.entries)) {
    const lines = hits.get(file) ?? new Set();
    for (const [statement, { start }] of Object.entries(statementMap))
      if (s[statement] > 0) lines.add(start.line);
    hits.set(file, lines);
  }
  return hits;
}

async function figuresOf(folder, hits) {
  const figures = { lines: 0, run: 0, missed: [] };
  for (const [file, run] of hits) {
    if (!file.startsWith(join(root, folder, '/'))) continue;
    const lines = [...(await codeLines(file))];
    const missed = lines.filter((line) => !run.has(line)).sort((one, other) => one - other);
    figures.lines += lines.length;
    figures.run += lines.length - missed.length;
    if (missed.length > 0) figures.missed.push([relative(root, file), missed]);
  }
  return figures;
}
