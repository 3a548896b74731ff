import { fileURLToPath } from 'node:url';
import type { ClusterSnapshot } from '@curtail/contracts';
import { plan, readSnapshot, type Snapshot } from '@curtail/planning';
import { bareColumns, floor } from './floor.js';
import { type Shape, syntheticSnapshot } from './inputs.js';
import { bestMedians, loadAverage, milliseconds, table } from './measure.js';

const HUNDRED_THOUSAND: Shape[] = [
  { name: '100,000 in 1,000 leaves', allocations: 100_000, fanOut: [1000] },
  { name: '100,000 in one leaf', allocations: 100_000, fanOut: [] },
  { name: '100,000 in 20 x 50 leaves', allocations: 100_000, fanOut: [20, 50] },
];
const MILLION: Shape = { name: '1,000,000 in 10,000 leaves', allocations: 1_000_000, fanOut: [10_000] };
const TRIGGER = { policy: 'quota-decrease', queue: 'root.p' };
const RUNS = 9;
const RUNS_OF_A_MILLION = 3;

/** Measures `readSnapshot` and `plan` beside the floor, the bare columns of the same allocations, and prints a table. */
export function benchPlanning(print: (text: string) => void = console.log): void {
  const [first] = HUNDRED_THOUSAND;
  const rows: string[][] = [benchReading(first!)];
  rows.push(...HUNDRED_THOUSAND.map(benchPlan), benchMillion(first!));
  print(`Planning: best median of three rounds, Node ${process.version}, load average ${loadAverage()}`);
  print(table(['what', 'victims', 'floor', 'ours', 'ratio', 'at most'], rows));
}

function benchReading(shape: Shape): string[] {
  const input = syntheticSnapshot(shape);
  const [floorTime, readTime] = bestMedians(RUNS, floorOf(input), () => readSnapshot(input));
  return [`readSnapshot, ${shape.name}`, '', ...againstFloor(floorTime!, readTime!), '10 x'];
}

function benchPlan(shape: Shape): string[] {
  const input = syntheticSnapshot(shape);
  const snapshot = readSnapshot(input);
  const [floorTime, planTime] = bestMedians(RUNS, floorOf(input), () => plan(snapshot, TRIGGER));
  return [`plan, ${shape.name}`, victimsIn(snapshot), ...againstFloor(floorTime!, planTime!), '6 x'];
}

function benchMillion(tenth: Shape): string[] {
  const small = readSnapshot(syntheticSnapshot(tenth));
  const large = readSnapshot(syntheticSnapshot(MILLION));
  const [smallTime, largeTime] = bestMedians(
    RUNS_OF_A_MILLION,
    () => plan(small, TRIGGER),
    () => plan(large, TRIGGER),
  );
  const ratio = `${(largeTime! / smallTime!).toFixed(1)} x 100,000`;
  return [`plan, ${MILLION.name}`, victimsIn(large), '', milliseconds(largeTime!), ratio, '25 x'];
}

function floorOf(input: ClusterSnapshot): () => number {
  const columns = bareColumns(input);
  const target = columns.memory.reduce((sum, amount) => sum + amount, 0) * 0.3;
  return () => floor(columns, target);
}

function againstFloor(floorTime: number, time: number): string[] {
  return [milliseconds(floorTime), milliseconds(time), `${(time / floorTime).toFixed(1)} x floor`];
}

function victimsIn(snapshot: Snapshot): string {
  return String(plan(snapshot, TRIGGER).victims.length);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) benchPlanning();
