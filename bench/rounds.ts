import { plan, readSnapshot } from '#planning';
import { inQueueSnapshot } from './inputs.js';
import { bestCpuMedians, milliseconds } from './measure.js';
import { realisticSnapshot } from './realistic-input.js';
import { count, type Row, ratio, report } from './report.js';

const TRIGGER = { policy: 'intra-queue' };
/** Every order with every arithmetic, and no ceiling below what is right, so that a round has most to do. */
const SETTINGS = ['userlimit-first', 'priority-first'].flatMap((preemptionOrderPolicy) =>
  ['default', 'dominant'].map((resourceCalculator) => ({
    preemptionOrderPolicy,
    resourceCalculator,
    maxAllowableLimit: 1,
    totalPreemptionPerRound: 1,
  })),
);
const RUNS = 9;
const RUNS_OF_TENFOLD = 3;
/** Targets: a round, reading and a round, how many times as long ten times as much takes. */
const ROUND_MS = 50;
const READ_AND_ROUND_MS = 125;
const TENFOLD = 15;

/** Measures one round of in-queue preemption from a snapshot that was read, and reading it. */
export function benchRounds(): void {
  const input = inQueueSnapshot(10);
  const snapshot = readSnapshot(input);
  const rounds = SETTINGS.map((settings) => () => plan(snapshot, TRIGGER, settings));
  const [readTime, ...times] = bestCpuMedians(RUNS, () => readSnapshot(input), ...rounds);
  const large = readSnapshot(inQueueSnapshot(100));
  const tenfold = bestCpuMedians(
    RUNS_OF_TENFOLD,
    ...SETTINGS.map((settings) => () => plan(large, TRIGGER, settings)),
  );
  const together = readTime! + Math.max(...times);
  const names = SETTINGS.map(
    ({ preemptionOrderPolicy, resourceCalculator }) => `${preemptionOrderPolicy}, ${resourceCalculator}`,
  );
  report('Time of a core: one round over 100,000 allocations, 2,000 applications, 200 users, 100 queues', [
    ...names.map(
      (name, i): Row => ({
        what: `${name}: ${count(rounds[i]!().victims.length)} victims`,
        measured: milliseconds(times[i]!),
        target: `<= ${ROUND_MS} ms`,
        met: times[i]! <= ROUND_MS,
      }),
    ),
    {
      what: 'readSnapshot and the slowest of them',
      measured: milliseconds(together),
      target: `<= ${READ_AND_ROUND_MS} ms`,
      met: together <= READ_AND_ROUND_MS,
    },
    ...names.map(
      (name, i): Row => ({
        what: `${name}, ten times as much`,
        measured: milliseconds(tenfold[i]!),
        beside: milliseconds(times[i]!),
        ratio: ratio(tenfold[i]!, times[i]!),
        target: `<= ${TENFOLD} x`,
        met: tenfold[i]! <= TENFOLD * times[i]!,
      }),
    ),
  ]);
}

/** One round on a contended cluster that is drawn like a real one, by seed. */
export function benchRealisticRounds(): void {
  const rows = [1, 2, 3].map((seed): Row => {
    const input = realisticSnapshot({ seed, allocations: 100_000, fanOut: [100], contended: true });
    const snapshot = readSnapshot(input);
    const times = bestCpuMedians(
      RUNS,
      ...SETTINGS.map((settings) => () => plan(snapshot, TRIGGER, settings)),
    );
    const slowest = Math.max(...times);
    const most = Math.max(...SETTINGS.map((settings) => plan(snapshot, TRIGGER, settings).victims.length));
    return {
      what: `100,000 in 100 queues, seed ${seed}: the slowest of four settings, up to ${count(most)} victims`,
      measured: milliseconds(slowest),
      target: '<= 45 ms',
      met: slowest <= 45,
    };
  });
  report('Time of a core: rounds of in-queue preemption on clusters drawn like real ones', rows);
}
