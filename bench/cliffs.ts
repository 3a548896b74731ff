import { plan, readSnapshot } from '#planning';
import { bestCpuMedians, milliseconds } from './measure.js';
import { realisticSnapshot } from './realistic-input.js';
import { type Row, ratio, report } from './report.js';

const RUNS = 5;
const MOST = 1.5;
const varieties = [1, 2, 4, 8, 16];

const works: [name: string, isContended: boolean, trigger: object, settings: object][] = [
  ['quota decrease', false, { policy: 'quota-decrease', queue: 'root.p' }, {}],
  ...['userlimit-first', 'priority-first'].map((preemptionOrderPolicy): (typeof works)[number] => [
    `round, ${preemptionOrderPolicy}, dominant`,
    true,
    { policy: 'intra-queue' },
    {
      preemptionOrderPolicy,
      resourceCalculator: 'dominant',
      maxAllowableLimit: 1,
      totalPreemptionPerRound: 1,
    },
  ]),
];

/** Plans for clusters with twice as many users, sizes and priorities each time, from a read snapshot and with reading. */
export function benchCliffs(): void {
  const rows = works.flatMap(([name, contended, trigger, settings]) => {
    const inputs = varieties.map((variety) =>
      realisticSnapshot({ seed: 1, allocations: 100_000, fanOut: [100], contended, variety }),
    );
    const snapshots = inputs.map((input) => readSnapshot(input));
    const times = bestCpuMedians(
      RUNS,
      ...snapshots.map((snapshot) => () => plan(snapshot, trigger, settings)),
    );
    const wholes = bestCpuMedians(
      RUNS,
      ...inputs.map((input) => () => plan(readSnapshot(input), trigger, settings)),
    );
    return [...rowsOf(name, times), ...rowsOf(`readSnapshot and ${name}`, wholes)];
  });
  report('Time of a core: twice as many users, sizes and priorities', rows);
}

function rowsOf(name: string, times: number[]): Row[] {
  return times.slice(1).map((time, i): Row => {
    const before = times[i]!;
    return {
      what: `${name}: ${varieties[i + 1]} times as many as usual`,
      measured: milliseconds(time),
      beside: milliseconds(before),
      ratio: ratio(time, before),
      target: `<= ${MOST} x`,
      met: time <= MOST * before,
    };
  });
}
