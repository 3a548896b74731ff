import { type Sharer, shareOut } from '../share-out.js';

/** A queue with a share that got a part of what others had no room for, of one type. */
export interface PassedShare {
  readonly queue: number;
  readonly percent: number;
  /** The amount that it has to give in all. */
  readonly part: number;
  /** Of the type in the target. */
  readonly place: number;
}

/** A child in the sharing out; amounts are in hundredths, which a percentage of a whole amount always is. */
interface Child {
  readonly sharer: Sharer;
  /** -1 = no share. */
  readonly percent: number;
  readonly weight: bigint;
  readonly room: bigint;
  part: bigint;
  /** The amount on top of `part`, as a fraction of hundredths. */
  more: bigint;
  of: bigint;
}

/**
 * Shares out `amount` units among the children of a queue, of which some have a share: docs/reference/policies/victim-care.md §8. Exact.
 *
 * @param sharers in the order of their names; their parts are set.
 * @param shares percent by queue, -1 = none.
 * @returns the queues that got more than their share (8.3).
 */
export function shareOutByPercent(
  amount: number,
  sharers: readonly Sharer[],
  shares: Int8Array | null,
): Omit<PassedShare, 'place'>[] {
  if (shares === null || sharers.every(({ queue }) => shares[queue]! < 0)) {
    shareOut(amount, sharers);
    return [];
  }
  const children = sharers.map(
    (sharer): Child => ({
      sharer,
      percent: shares[sharer.queue]!,
      weight: BigInt(sharer.releasable),
      room: 100n * BigInt(sharer.room),
      part: 0n,
      more: 0n,
      of: 1n,
    }),
  );
  const withShare = children.filter(({ percent }) => percent >= 0);
  let left = 100n * BigInt(amount);
  for (const child of withShare) {
    const quota = BigInt(amount) * BigInt(child.percent);
    child.part = quota < child.room ? quota : child.room;
    if (quota > child.room) noteCut(child, quota / 100n);
    left -= child.part;
  }
  left = spread(
    left,
    children.filter(({ percent }) => percent < 0),
  );
  const open = withShare.filter(({ part, room }) => part < room);
  const passed = left > 0n ? open : [];
  spread(left, open);
  round(amount, children);
  return passed.map(({ sharer, percent }) => ({ queue: sharer.queue, percent, part: sharer.part }));
}

/** By releasable, cut to the room that is left, as quota-decrease.md §7 step 3. @returns what there is no room for. */
function spread(amount: bigint, children: readonly Child[]): bigint {
  let left = amount;
  let open = children;
  while (open.length > 0 && left > 0n) {
    const whole = open.reduce((sum, { weight }) => sum + weight, 0n);
    const full = open.filter((child) => isFull(child, left, whole));
    if (full.length === 0) {
      for (const child of open) {
        child.more = left * child.weight;
        child.of = whole;
      }
      return 0n;
    }
    let given = 0n;
    for (const child of full) {
      const { weight, room, part } = child;
      if (left * weight > (room - part) * whole)
        noteCut(child, (part * whole + left * weight) / (100n * whole));
      given += room - part;
    }
    for (const child of full) child.part = child.room;
    left -= given;
    const done = new Set(full);
    open = open.filter((child) => !done.has(child));
  }
  return left;
}

/** Whether `left` × weight / `whole` is at or above the room of a child. */
function isFull({ weight, room, part, sharer }: Child, left: bigint, whole: bigint): boolean {
  // Exact products cost many times as much as rounded numbers, so they decide only what is nearly equal.
  const quota = (Number(left) / Number(whole)) * sharer.releasable;
  const space = Number(room - part);
  if (Math.abs(quota - space) > 1e-12 * quota) return quota > space;
  return left * weight >= (room - part) * whole;
}

/** All parts down, the units left over one each to the largest fractions, ties by name. */
function round(amount: number, children: readonly Child[]): void {
  const exact = children.map(({ sharer, part, more, of }, place) => {
    const n = part * of + more;
    const d = 100n * of;
    sharer.part = Number(n / d);
    return { sharer, place, rest: n % d, d };
  });
  const rooms = children.reduce((sum, { sharer }) => sum + sharer.room, 0);
  const units = Math.min(amount, rooms) - children.reduce((sum, { sharer }) => sum + sharer.part, 0);
  if (units === 0) return;
  exact.sort((a, b) => {
    // Usually all are parts of the same whole. The products cost more than everything else here.
    if (a.d === b.d) return a.rest < b.rest ? 1 : a.rest > b.rest ? -1 : a.place - b.place;
    const difference = b.rest * a.d - a.rest * b.d;
    return difference > 0n ? 1 : difference < 0n ? -1 : a.place - b.place;
  });
  for (let i = 0; i < units; i++) exact[i]!.sharer.part++;
}

function noteCut({ sharer }: Child, quota: bigint): void {
  sharer.cutFrom ??= Number(quota);
}
