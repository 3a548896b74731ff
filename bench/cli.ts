import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { planGiven } from '#planning';
import { syntheticSnapshot } from './inputs.js';
import { bestMedians, milliseconds } from './measure.js';
import { bestMedianOfRuns } from './processes.js';
import { count, type Row, ratio, report } from './report.js';
import { withFolder } from './temporary-folder.js';

const TRIGGER = { policy: 'quota-decrease', queue: 'root.p' };
const CASES = 10_000;
/** A preview that would evict ends with 1. */
const PLANNED = [0, 1];

/** Measures the offline commands as a caller meets them: from the file to the plan. */
export async function benchCommandLine(): Promise<void> {
  report(
    'Command line',
    await withFolder(async (folder) => [...(await planOfAFile(folder)), await plansOfABatch(folder)]),
  );
}

async function planOfAFile(folder: string): Promise<Row[]> {
  const file = join(folder, 'case.json');
  const snapshot = syntheticSnapshot({ name: '', allocations: 100_000, fanOut: [1000] });
  await writeFile(file, JSON.stringify({ snapshot, trigger: TRIGGER }));
  const text = await readFile(file, 'utf8');

  const [parsing, planning] = bestMedians(
    5,
    () => JSON.parse(text),
    () => planGiven(JSON.parse(text)),
  ) as [number, number];
  const parsingProcess = await bestMedianOfRuns([
    '-e',
    `JSON.parse(require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8'))`,
  ]);
  const planningProcess = await bestMedianOfRuns(
    ['bin/curtail.mjs', 'plan', '--input', file, '-o', 'json'],
    PLANNED,
  );
  const megabytes = Math.round(text.length / 1e6);
  const row = (what: string, ours: number, theirs: number): Row => ({
    what,
    measured: milliseconds(ours),
    beside: milliseconds(theirs),
    ratio: ratio(ours, theirs),
    target: '<= 3 x JSON.parse',
    met: ours <= 3 * theirs,
  });
  return [
    row(`${megabytes} MB of JSON to the plan, in a process`, planning, parsing),
    row('curtail plan --input, whole processes', planningProcess, parsingProcess),
  ];
}

async function plansOfABatch(folder: string): Promise<Row> {
  const file = join(folder, 'cases.jsonl');
  const cases = Array.from({ length: CASES }, (_, i) => {
    const snapshot = syntheticSnapshot({ name: '', allocations: 10 + (i % 21), fanOut: [1 + (i % 4)] });
    return JSON.stringify({ snapshot, trigger: TRIGGER });
  });
  await writeFile(file, `${cases.join('\n')}\n`);
  const time = await bestMedianOfRuns(['bin/curtail.mjs', 'plan', '--batch', file], PLANNED);
  const perSecond = (CASES / time) * 1000;
  return {
    what: `curtail plan --batch, ${count(CASES)} cases of 10 to 30 allocations`,
    measured: `${count(Math.round(perSecond))}/s`,
    target: '>= 2,000/s',
    met: perSecond >= 2000,
  };
}
