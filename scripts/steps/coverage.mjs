import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runLane } from './jest-lane.mjs';
import { root } from './run.mjs';

/** Percent of the lines of code of each folder. */
const goal = 95;
/** Those that decide about evictions. */
const folders = ['libs/planning', 'libs/enforcement', 'libs/runs', 'libs/holds', 'apps/executor'];
/** Besides the suites of the folders: those that run an executor as a whole, in the process of the tests. */
const suitesOf = {
  unit: [],
  int: ['test/e2e/evictions.int', 'test/e2e/rounds.int', 'test/e2e/act-again.int'],
};
/** The lanes with suites that count. */
export const coveredLanes = Object.keys(suitesOf);

/** Which part of the lines of the folders is run by the suites that concern them. */
export class Coverage {
  #place;

  /** Runs those suites of a lane, as `runLane` does. Counting the lines doubles or trebles their time. */
  async runCovered(lane, output = process) {
    this.#place ??= await mkdtemp(join(tmpdir(), 'curtail-coverage-'));
    const sources = folders.map((folder) => `--collectCoverageFrom=${folder}/src/**/*.ts`);
    const report = ['--coverageReporters=json', `--coverageDirectory=${join(this.#place, lane)}`];
    const words = ['--coverage', ...report, ...sources, '--collectCoverageFrom=!**/*.spec.ts'];
    return runLane(lane, [...words, ...patternsOf(lane)], output);
  }

  /** Runs all other suites of a lane. */
  runOthers(lane, output = process) {
    const ignored = patternsOf(lane).map((pattern) => `--testPathIgnorePatterns=${pattern}`);
    return runLane(lane, ignored, output);
  }

  /** Prints the figures. @returns the folders below the goal. */
  async report({ listsLines = false } = {}) {
    try {
      const hits = hitsOf(await Promise.all(coveredLanes.map((lane) => this.#reportOf(lane))));
      const below = [];
      for (const folder of folders) {
        const { lines, run, missed } = await figuresOf(folder, hits);
        const percent = (100 * run) / lines;
        console.log(`${folder}: ${percent.toFixed(1)} % of ${lines} lines`);
        if (listsLines) for (const [file, numbers] of missed) console.log(`  ${file}: ${numbers.join(', ')}`);
        if (!(percent >= goal)) below.push(folder);
      }
      if (below.length > 0)
        console.log(
          `less than ${goal} %: ${below.join(', ')}; \`npm run test:coverage -- --lines\` lists the lines`,
        );
      return below;
    } finally {
      await rm(this.#place, { recursive: true, force: true });
    }
  }

  async #reportOf(lane) {
    return JSON.parse(await readFile(join(this.#place, lane, 'coverage-final.json'), 'utf8'));
  }
}

const patternsOf = (lane) => [...folders.map((folder) => `${folder}/`), ...suitesOf[lane]];

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
  // Here, since it needs a package, which the run that is under way has installed.
  const { codeLines } = await import('./code-lines.mjs');
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
