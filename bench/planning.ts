import type { ClusterSnapshot } from '@curtail/contracts';
import { plan, readSnapshot, type Snapshot } from '@curtail/planning';
import { bareColumns, floor } from './floor.js';
import { type Shape, syntheticSnapshot } from './inputs.js';
import { bestMedian, loadAverage, milliseconds, table } from './measure.js';

const SHAPES: Shape[] = [
  { name: '100,000 in 1,000 leaves', allocations: 100_000, fanOut: [1000] },
  { name: '100,000 in one leaf', allocations: 100_000, fanOut: [] },
  { name: '100,000 in 20 x 50 leaves', allocations: 100_000, fanOut: [20, 50] },
  { name: '1,000,000 in 10,000 leaves', allocations: 1_000_000, fanOut: [10_000] },
];
const TRIGGER = { policy: 'quota-decrease', queue: 'root.p' };
const RUNS = 9;
const RUNS_OF_A_MILLION = 3;

/** Measures `readSnapshot` and `plan` beside the floor, the bare columns of the same allocations, and prints a table. */
export function benchPlanning(print: (text: string) => void = console.log): void {
  const rows: string[][] = [];
  let hundredThousand = 0;
  for (const shape of SHAPES) {
    const input = syntheticSnapshot(shape);
    const large = shape.allocations > 100_000;
    const runs = large ? RUNS_OF_A_MILLION : RUNS;
    const floorTime = large ? 0 : floorOf(input, runs);
    const snapshot = readSnapshot(input);
    const planTime = bestMedian(runs, () => plan(snapshot, TRIGGER));
    if (!large && hundredThousand === 0) hundredThousand = planTime;
    rows.push([
      `plan, ${shape.name}`,
      victimsOf(snapshot),
      large ? '' : milliseconds(floorTime),
      milliseconds(planTime),
      large
        ? `${(planTime / hundredThousand).toFixed(1)} x 100,000`
        : `${(planTime / floorTime).toFixed(1)} x floor`,
      large ? '25 x' : '6 x',
    ]);
    if (shape !== SHAPES[0]) continue;
    const readTime = bestMedian(runs, () => readSnapshot(input));
    rows.push([
      `readSnapshot, ${shape.name}`,
      '',
      milliseconds(floorTime),
      milliseconds(readTime),
      `${(readTime / floorTime).toFixed(1)} x floor`,
      '10 x',
    ]);
  }
  print(`Planning: best median of three rounds, Node ${process.version}, load average ${loadAverage()}`);
  print(table(['what', 'victims', 'floor', 'ours', 'ratio', 'at most'], rows));
}

function floorOf(input: ClusterSnapshot, runs: number): number {
  const columns = bareColumns(input);
  const total = columns.memory.reduce((sum, amount) => sum + amount, 0);
  return bestMedian(runs, () => floor(columns, total * 0.3));
}

function victimsOf(snapshot: Snapshot): string {
  return String(plan(snapshot, TRIGGER).victims.length);
}

if (process.argv[1] !== undefined && import.meta.url.endsWith(process.argv[1])) benchPlanning();
