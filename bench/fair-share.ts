import { plan, readSnapshot } from '#planning';
import { syntheticTree, type TreeShape } from './fair-share-input.js';
import { bestMedians, milliseconds, quantile } from './measure.js';
import { count, type Row, report } from './report.js';

const WHOLE: TreeShape = { nodes: 2000, pools: 500, operations: 10_000, allocations: 200_000 };
const TENTH: TreeShape = { nodes: 200, pools: 50, operations: 1000, allocations: 20_000 };
const TRIGGER = { policy: 'fair-share' };
const RUNS = 9;

/** Measures a whole plan from a snapshot that was read: fair shares, statuses, groups and all steps. */
export function benchFairShare(): void {
  report('Fair share, from a read snapshot, on one core', [
    benchTree(TENTH, 30),
    benchTree(WHOLE, 250),
    benchTree({ ...WHOLE, distinctSizes: true }, 400),
  ]);
}

function benchTree(shape: TreeShape, targetMs: number): Row {
  const snapshot = readSnapshot(syntheticTree(shape));
  const cpuTimes: number[] = [];
  const [time] = bestMedians(RUNS, () => {
    const before = process.cpuUsage();
    plan(snapshot, TRIGGER);
    const { user, system } = process.cpuUsage(before);
    cpuTimes.push((user + system) / 1000);
  });
  const { victims, starts } = plan(snapshot, TRIGGER);
  const { nodes, operations, pools, allocations, distinctSizes } = shape;
  return {
    what: `${count(nodes)} nodes, ${count(operations)} operations in ${count(pools)} pools, ${count(allocations)} allocations${distinctSizes ? ', a size for each ask' : ''}: ${count(starts!.length)} starts, ${count(victims.length)} victims`,
    measured: milliseconds(time!),
    // Work of other processes on the machine is in the measured time, and hardly in this one.
    beside: `${milliseconds(quantile(cpuTimes, 0.5))} of CPU`,
    target: `<= ${targetMs} ms`,
    met: time! <= targetMs,
  };
}
