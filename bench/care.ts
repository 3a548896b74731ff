import { plan, readSnapshot } from '#planning';
import { type CarePart, careParts, settingsOf, withCare } from './care-input.js';
import { milliseconds, pairOf } from './measure.js';
import { realisticSnapshot } from './realistic-input.js';
import { count, type Row, report } from './report.js';

const TRIGGER = { policy: 'quota-decrease', queue: 'root.p' };
const PAIRS = 40;
const MOST = 1.15;

const clusters: [name: string, fanOut: number[]][] = [
  ['1,000 leaves', [1000]],
  ['one leaf', []],
  ['20 x 50 leaves', [20, 50]],
];
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const all: CarePart[] = [
  'minimum run time',
  'age from checkpoints',
  'disruption budgets',
  'owner budgets',
  'gangs',
  'shares and limits',
];

/** Plans with victim care beside the plan without, on clusters drawn like real ones: each input alone, and all together. */
export function benchCare(): void {
  const rows = clusters.flatMap(([name, fanOut]) => {
    const plain = realisticSnapshot({ seed: 1, allocations: 100_000, fanOut });
    const snapshot = readSnapshot(plain);
    const sets: [string, CarePart[]][] = [
      ...(Object.keys(careParts) as CarePart[]).map((part): [string, CarePart[]] => [part, [part]]),
      ['all together', all],
    ];
    return sets.map(([what, parts]): Row => {
      const careful = readSnapshot(withCare(plain, parts, 1));
      const settings = settingsOf(parts);
      const { times, ratio, bytes } = pairOf(
        PAIRS,
        () => plan(snapshot, TRIGGER),
        () => plan(careful, TRIGGER, settings),
      );
      const { victims, outcome } = plan(careful, TRIGGER, settings);
      const [without, time] = times.map(milliseconds);
      const [plainBytes, careBytes] = bytes.map(megabytes);
      return {
        what: `plan, ${name}, ${what}: ${count(victims.length)} victims, ${outcome}`,
        measured: `${time}, ${careBytes}`,
        beside: `${without}, ${plainBytes}`,
        ratio: ratio.toFixed(2),
        target: `<= ${MOST} x`,
        met: ratio <= MOST,
      };
    });
  });
  report('Time of a core and memory created: planning with victim care, beside the same plan without', rows);
}
