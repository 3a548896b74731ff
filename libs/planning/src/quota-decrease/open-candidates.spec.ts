import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readDecreaseSettings } from '#contracts';
import { crowdedCase, planCase } from '../../test/generated-clusters.js';
import { propertyRuns } from '../../testing/property-runs.js';
import { queueSnapshotOf } from '../snapshot/by-queue.js';
import { readSnapshot } from '../snapshot/read.js';
import { type Candidates, findCandidates } from './candidates.js';
import { Draft } from './draft.js';
import { OpenCandidates } from './open-candidates.js';
import { queuesTakingPart } from './plan.js';
import { targetOf } from './target.js';

/** The sums counted from scratch: of the candidates of each queue that are neither taken nor refused by a floor. */
function sumsOf(draft: Draft, { list }: Candidates): Float64Array {
  const { snapshot, target } = draft;
  const { queue, size, firstEntry, entryType, entryAmount } = snapshot.allocations;
  const sums = new Float64Array(snapshot.queues.count * target.count);
  for (const candidate of list) {
    if (draft.isTaken(candidate) || draft.floors.refusingCell(candidate) >= 0) continue;
    for (let e = firstEntry[size[candidate]!]!; e < firstEntry[size[candidate]! + 1]!; e++) {
      const place = target.placeOfType[entryType[e]!]!;
      if (place >= 0) sums[queue[candidate]! * target.count + place]! += entryAmount[e]!;
    }
  }
  return sums;
}

/** Each step takes a candidate, gives one back, or compares the sums, as passes do. */
const steps = fc.array(fc.tuple(fc.constantFrom('take', 'take', 'give back', 'sum'), fc.nat()), {
  minLength: 4,
  maxLength: 40,
});

it.each([
  ['any cluster', planCase],
  ['crowded clusters', crowdedCase],
])('sums that are kept from pass to pass equal sums counted from scratch: %s', (_, cases) => {
  fc.assert(
    fc.property(cases, steps, ({ snapshot: given, trigger }, todo) => {
      const snapshot = queueSnapshotOf(readSnapshot(given));
      const queue = snapshot.queues.number.get(trigger.queue)!;
      const target = targetOf(snapshot, queue, { memory: 1e9, vcore: 1e9 }, 0);
      const takesPart = queuesTakingPart(snapshot, queue);
      const { protect } = readDecreaseSettings({});
      const candidates = findCandidates(snapshot, queue, takesPart, target, protect, null);
      const draft = new Draft(snapshot, target);
      const { floors } = draft;
      const open = new OpenCandidates(draft, candidates, {
        mayRefuse: (leaf) => floors.mayRefuse(leaf),
        refuses: (candidate) => floors.refusingCell(candidate) >= 0,
      });
      const end = snapshot.queues.end[queue]!;
      for (const [what, number] of [...todo, ['sum', 0] as const]) {
        if (what === 'sum') expect(open.sums(queue, end, takesPart)).toEqual(sumsOf(draft, candidates));
        const taken = draft.victims;
        if (what === 'give back' && taken.length > 0) draft.giveBack(taken[number % taken.length]!);
        const free = candidates.list.filter((c) => !draft.isTaken(c) && floors.refusingCell(c) < 0);
        if (what === 'take' && free.length > 0) draft.take(free[number % free.length]!);
      }
    }),
    propertyRuns(200),
  );
});
