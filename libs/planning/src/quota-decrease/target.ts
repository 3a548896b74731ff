import { type Notice, ofQueue, type QuotaDecreaseTrigger } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';

/** The amounts that a plan has to free, by type in UTF-16 order, without zeros. */
export interface Target {
  readonly count: number;
  readonly names: readonly string[];
  /** Number of the type in the snapshot; -1 where it is not named there. */
  readonly types: Int32Array;
  readonly amounts: Float64Array;
  /** At what it counts as reached: the amount less what the setting `miss` leaves. */
  readonly need: Float64Array;
  /** Place in this target by type of the snapshot, -1 for all other types. */
  readonly placeOfType: Int32Array;
  /** What an allocation gives, by its size and place in this target: `size * count + place`. */
  readonly gives: Float64Array;
}

/** The target of a plan: docs/reference/policies/quota-decrease.md §4 and §6.2. */
export function targetOf(
  snapshot: QueueSnapshot,
  queue: number,
  given: QuotaDecreaseTrigger['target'],
  miss: number,
): Target {
  const wanted = given === undefined ? overMax(snapshot, queue) : Object.entries(given);
  const entries = wanted.filter(([, amount]) => amount > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const placeOfType = new Int32Array(snapshot.types.length).fill(-1);
  const types = Int32Array.from(entries, ([name]) => snapshot.typeNumber.get(name) ?? -1);
  types.forEach((type, place) => {
    if (type >= 0) placeOfType[type] = place;
  });
  return {
    count: entries.length,
    names: entries.map(([name]) => name),
    types,
    amounts: Float64Array.from(entries, ([, amount]) => amount),
    need: Float64Array.from(entries, ([, amount]) => amount - percentOf(amount, miss)),
    placeOfType,
    gives: givesOf(snapshot, placeOfType, entries.length),
  };
}

function givesOf({ allocations }: QueueSnapshot, placeOfType: Int32Array, width: number): Float64Array {
  const { sizeCount, firstEntry, entryType, entryAmount } = allocations;
  const gives = new Float64Array(sizeCount * width);
  for (let size = 0; width > 0 && size < sizeCount; size++) {
    for (let e = firstEntry[size]!; e < firstEntry[size + 1]!; e++) {
      const place = placeOfType[entryType[e]!]!;
      if (place >= 0) gives[size * width + place] = entryAmount[e]!;
    }
  }
  return gives;
}

/** usage - in flight - max, per type of the max in force. */
function overMax(snapshot: QueueSnapshot, queue: number): [string, number][] {
  const { max, usage, inFlight } = snapshot.queues;
  return snapshot.types.map((name, type): [string, number] => {
    const cell = queue * snapshot.types.length + type;
    const limit = max[cell]!;
    return [name, limit < 0 ? 0 : usage[cell]! - inFlight[cell]! - limit];
  });
}

/** floor(amount * percent / 100), without a product that could pass 2^53. */
function percentOf(amount: number, percent: number): number {
  const rest = amount % 100;
  return ((amount - rest) / 100) * percent + Math.floor((rest * percent) / 100);
}

/**
 * Warns of types in `max` or `guaranteed` of the queue, its chain and the queues below it that no allocation, pending request
 * or node has, most likely misspelt: docs/reference/policies/quota-decrease.md §2.4 rule 7. One notice a type.
 */
export function unknownTypeNotices(snapshot: QueueSnapshot, queue: number): Notice[] {
  const { queues, types, typeInUse } = snapshot;
  const checked: number[] = [];
  for (let q = queues.parent[queue]!; q >= 0; q = queues.parent[q]!) checked.unshift(q);
  for (let q = queue; q < queues.end[queue]!; q++) checked.push(q);

  const notices: Notice[] = [];
  types.forEach((name, type) => {
    if (typeInUse[type] === 1) return;
    const named = checked.filter((q) => {
      const cell = q * types.length + type;
      return queues.max[cell]! >= 0 || queues.guaranteed[cell]! >= 0;
    });
    if (named.length === 0) return;
    const others = named.length === 1 ? '' : ` and ${named.length - 1} more`;
    const hint = name === 'cpu' ? '; vcore is meant' : '';
    notices.push({
      code: 'unknown-resource-type',
      message: `The type ${name} that queue ${queues.paths[named[0]!]}${others} ${named.length === 1 ? 'sets' : 'set'} is used by no allocation, pending request or node${hint}.`,
      about: ofQueue(queues.paths[named[0]!]!),
    });
  });
  return notices;
}
