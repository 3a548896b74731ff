import type { Victim } from '@curtail/contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { VictimWriter } from '../snapshot/victim-writer.js';
import type { AmountTexts } from '../writing/amount-text.js';
import type { Reasons } from './reasons.js';
import type { Target } from './target.js';

/** The victims as the plan lists them, in the order of their rank. */
export function victimsOf(
  snapshot: QueueSnapshot,
  target: Target,
  victims: readonly number[],
  reasons: Reasons,
  texts: AmountTexts,
): Victim[] {
  const writer = new VictimWriter(snapshot);
  const { size, sizeCount } = snapshot.allocations;
  const gives = new Array<string | undefined>(sizeCount);
  return victims.map((victim, i) => {
    const of = size[victim]!;
    gives[of] ??= texts.list(target.names, givenBy(snapshot, target, of));
    return writer.victim(victim, i + 1, reasons.of(victim, gives[of]));
  });
}

/** The part of a size that counts towards the target, by place in the target. */
function givenBy({ allocations }: QueueSnapshot, target: Target, size: number): Float64Array {
  const { firstEntry, entryType, entryAmount } = allocations;
  const given = new Float64Array(target.count);
  for (let e = firstEntry[size]!; e < firstEntry[size + 1]!; e++) {
    const place = target.placeOfType[entryType[e]!]!;
    if (place >= 0) given[place] = entryAmount[e]!;
  }
  return given;
}
