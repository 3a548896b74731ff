import type { ClusterSnapshot } from '@curtail/contracts';
import { plan, readSnapshot, type Snapshot } from '@curtail/planning';
import { bareColumns, floor } from './floor.js';
import { type Shape, syntheticSnapshot } from './inputs.js';
import { bestMedians, milliseconds } from './measure.js';
import { count, type Row, ratio, report } from './report.js';

const HUNDRED_THOUSAND: [Shape, ...Shape[]] = [
  { name: '100,000 in 1,000 leaves', allocations: 100_000, fanOut: [1000] },
  { name: '100,000 in one leaf', allocations: 100_000, fanOut: [] },
  { name: '100,000 in 20 x 50 leaves', allocations: 100_000, fanOut: [20, 50] },
];
const MILLION: Shape = { name: '1,000,000 in 10,000 leaves', allocations: 1_000_000, fanOut: [10_000] };
const TRIGGER = { policy: 'quota-decrease', queue: 'root.p' };
const RUNS = 9;
const RUNS_OF_A_MILLION = 3;

/** Measures `readSnapshot` and `plan` beside the floor, the bare columns of the same allocations; the two take turns. */
export function benchPlanning(): void {
  const [first] = HUNDRED_THOUSAND;
  const rows = [benchReading(first), ...HUNDRED_THOUSAND.map(benchPlan), benchMillion(first)];
  report('Planning, beside the floor; the million beside the hundred thousand', rows);
}

function benchReading(shape: Shape): Row {
  const input = syntheticSnapshot(shape);
  const [floorTime, readTime] = bestMedians(RUNS, floorOf(input), () => readSnapshot(input));
  return beside(`readSnapshot, ${shape.name}`, readTime!, floorTime!, 10);
}

function benchPlan(shape: Shape): Row {
  const input = syntheticSnapshot(shape);
  const snapshot = readSnapshot(input);
  const [floorTime, planTime] = bestMedians(RUNS, floorOf(input), () => plan(snapshot, TRIGGER));
  return beside(`plan, ${shape.name}: ${victimsIn(snapshot)} victims`, planTime!, floorTime!, 6);
}

function benchMillion(tenth: Shape): Row {
  const small = readSnapshot(syntheticSnapshot(tenth));
  const large = readSnapshot(syntheticSnapshot(MILLION));
  const [smallTime, largeTime] = bestMedians(
    RUNS_OF_A_MILLION,
    () => plan(small, TRIGGER),
    () => plan(large, TRIGGER),
  );
  return beside(`plan, ${MILLION.name}: ${victimsIn(large)} victims`, largeTime!, smallTime!, 25);
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

function floorOf(input: ClusterSnapshot): () => number {
  const columns = bareColumns(input);
  const target = columns.memory.reduce((sum, amount) => sum + amount, 0) * 0.3;
  return () => floor(columns, target);
}

function victimsIn(snapshot: Snapshot): string {
  return count(plan(snapshot, TRIGGER).victims.length);
}
