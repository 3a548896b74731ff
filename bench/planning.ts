import type { ClusterSnapshot } from '#contracts';
import { plan, readSnapshot, type Snapshot } from '#planning';
import { bareColumns, floor } from './floor.js';
import { type Shape, syntheticSnapshot } from './inputs.js';
import { bestCpuMedians, milliseconds } from './measure.js';
import { type RealisticShape, realisticSnapshot } from './realistic-input.js';
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
  report('Planning in time of a core, beside the floor; the million beside the hundred thousand', rows);
}

const seeds = [1, 2, 3];
const realistic: [name: string, fanOut: number[]][] = [
  ['1,000 leaves', [1000]],
  ['one leaf', []],
  ['20 x 50 leaves', [20, 50]],
];

/** The same on clusters that are drawn like real ones: whole plans, from a read snapshot and from parsed JSON. */
export function benchRealistic(): void {
  const rows = realistic.flatMap(([name, fanOut]) =>
    seeds.flatMap((seed) => benchRealisticPlan(name, { seed, allocations: 100_000, fanOut })),
  );
  const [small, large] = [100_000, 1_000_000].map((allocations) =>
    readSnapshot(realisticSnapshot({ seed: 1, allocations, fanOut: [allocations / 100] })),
  );
  const [smallTime, largeTime] = bestCpuMedians(
    RUNS_OF_A_MILLION,
    () => plan(small!, TRIGGER),
    () => plan(large!, TRIGGER),
  );
  rows.push(
    beside(`plan, 1,000,000 in 10,000 leaves: ${victimsIn(large!)} victims`, largeTime!, smallTime!, 12),
  );
  report(
    'Planning in time of a core, on clusters drawn like real ones, by seed; the million beside the hundred thousand',
    rows,
  );
}

function benchRealisticPlan(name: string, shape: RealisticShape): Row[] {
  const input = asParsed(realisticSnapshot(shape));
  const snapshot = readSnapshot(input);
  const [floorTime, planTime, wholeTime] = bestCpuMedians(
    RUNS,
    floorOf(input),
    () => plan(snapshot, TRIGGER),
    () => plan(readSnapshot(input), TRIGGER),
  );
  const what = `100,000 in ${name}, seed ${shape.seed}`;
  return [
    beside(`plan, ${what}: ${victimsIn(snapshot)} victims`, planTime!, floorTime!, 6),
    beside(`readSnapshot and plan, ${what}`, wholeTime!, floorTime!, 12),
  ];
}

function benchReading(shape: Shape): Row {
  const input = asParsed(syntheticSnapshot(shape));
  const [floorTime, readTime] = bestCpuMedians(RUNS, floorOf(input), () => readSnapshot(input));
  return beside(`readSnapshot, ${shape.name}`, readTime!, floorTime!, 10);
}

function benchPlan(shape: Shape): Row {
  const input = syntheticSnapshot(shape);
  const snapshot = readSnapshot(input);
  const [floorTime, planTime] = bestCpuMedians(RUNS, floorOf(input), () => plan(snapshot, TRIGGER));
  return beside(`plan, ${shape.name}: ${victimsIn(snapshot)} victims`, planTime!, floorTime!, 6);
}

function benchMillion(tenth: Shape): Row {
  const small = readSnapshot(syntheticSnapshot(tenth));
  const large = readSnapshot(syntheticSnapshot(MILLION));
  const [smallTime, largeTime] = bestCpuMedians(
    RUNS_OF_A_MILLION,
    () => plan(small, TRIGGER),
    () => plan(large, TRIGGER),
  );
  return beside(`plan, ${MILLION.name}: ${victimsIn(large)} victims`, largeTime!, smallTime!, 25);
}

/** As it comes out of a file: no two places share a text or an object. */
function asParsed(snapshot: ClusterSnapshot): ClusterSnapshot {
  return JSON.parse(JSON.stringify(snapshot)) as ClusterSnapshot;
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
