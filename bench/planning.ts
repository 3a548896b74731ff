import type { ClusterSnapshot } from '@curtail/contracts';
import { plan, readSnapshot } from '@curtail/planning';
import { bareColumns, floor } from './floor.js';
import { type Shape, syntheticSnapshot } from './inputs.js';
import { bestMedian, milliseconds } from './measure.js';
import { count, type Row, ratio, report } from './report.js';

const SHAPES: Shape[] = [
  { name: '100,000 in 1,000 leaves', allocations: 100_000, fanOut: [1000] },
  { name: '100,000 in one leaf', allocations: 100_000, fanOut: [] },
  { name: '100,000 in 20 x 50 leaves', allocations: 100_000, fanOut: [20, 50] },
];
const MILLION: Shape = { name: '1,000,000 in 10,000 leaves', allocations: 1_000_000, fanOut: [10_000] };
const TRIGGER = { policy: 'quota-decrease', queue: 'root.p' };
const RUNS = 9;
const RUNS_OF_A_MILLION = 3;

/** Measures `readSnapshot` and `plan` beside the floor: the bare columns of the same allocations. */
export function benchPlanning(): void {
  const rows: Row[] = [];
  let hundredThousand = 0;
  for (const shape of SHAPES) {
    const input = syntheticSnapshot(shape);
    const floorTime = floorOf(input);
    const snapshot = readSnapshot(input);
    const planTime = bestMedian(RUNS, () => plan(snapshot, TRIGGER));
    const victims = plan(snapshot, TRIGGER).victims.length;
    rows.push(beside(`plan, ${shape.name}: ${count(victims)} victims`, planTime, floorTime, 6));
    if (shape !== SHAPES[0]) continue;
    hundredThousand = planTime;
    const readTime = bestMedian(RUNS, () => readSnapshot(input));
    rows.push(beside(`readSnapshot, ${shape.name}`, readTime, floorTime, 10));
  }
  const million = readSnapshot(syntheticSnapshot(MILLION));
  const planTime = bestMedian(RUNS_OF_A_MILLION, () => plan(million, TRIGGER));
  rows.push(beside(`plan, ${MILLION.name}`, planTime, hundredThousand, 25));
  report('Planning, beside the floor; the million beside the first row', rows);
}

function beside(what: string, time: number, other: number, atMost: number): Row {
  return {
    what,
    measured: milliseconds(time),
    beside: milliseconds(other),
    ratio: ratio(time, other),
    target: `<= ${atMost} x`,
    met: time <= atMost * other,
  };
}

function floorOf(input: ClusterSnapshot): number {
  const columns = bareColumns(input);
  const total = columns.memory.reduce((sum, amount) => sum + amount, 0);
  return bestMedian(RUNS, () => floor(columns, total * 0.3));
}
