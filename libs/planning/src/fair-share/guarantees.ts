import { sharesOf } from './shares.js';
import type { FairShareSnapshot } from './snapshot/columns.js';
import { SAME_SHARE } from './tolerance.js';

export interface Guarantees {
  /** By element and type. */
  readonly shares: Float64Array;
  /** Pools whose children are guaranteed more than there is, with the factor that all of them were multiplied by. */
  readonly scaled: readonly { readonly pool: number; readonly factor: number }[];
}

/** The amounts guaranteed to each element, as parts of the cluster: docs/reference/policies/fair-share.md §5. */
export function guaranteeShares(
  snapshot: FairShareSnapshot,
  limitsShare: Float64Array,
  mainResource: string,
): Guarantees {
  const { elements, pools, totals } = snapshot;
  const width = totals.length;
  const shares = new Float64Array(elements.count * width);
  shares.set(sharesOf(guaranteedAmounts(snapshot, snapshot.typeNumber.get(mainResource)), totals));
  const scaled: { pool: number; factor: number }[] = [];
  for (let pool = 0; pool < pools.count; pool++) {
    const sums = childSums(snapshot, pool, shares);
    let factor = 1;
    for (let type = 0; type < width; type++) {
      const cell = pool * width + type;
      if (pool === 0) shares[cell] = sums[type]!;
      shares[cell] = Math.min(shares[cell]!, limitsShare[cell]!);
      if (sums[type]! > shares[cell]! + SAME_SHARE) factor = Math.min(factor, shares[cell]! / sums[type]!);
    }
    if (factor === 1) continue;
    scaled.push({ pool, factor });
    for (let i = elements.firstChild[pool]!; i < elements.firstChild[pool + 1]!; i++) {
      const row = elements.children[i]! * width;
      for (let type = 0; type < width; type++) shares[row + type]! *= factor;
    }
  }
  return { shares, scaled };
}

function childSums(
  { elements, totals }: FairShareSnapshot,
  pool: number,
  shares: Float64Array,
): Float64Array {
  const sums = new Float64Array(totals.length);
  for (let i = elements.firstChild[pool]!; i < elements.firstChild[pool + 1]!; i++) {
    const row = elements.children[i]! * totals.length;
    for (let type = 0; type < totals.length; type++) sums[type]! += shares[row + type]!;
  }
  return sums;
}

/** Amounts by pool: those that are given, and where a type is not named what follows from the main resource. */
function guaranteedAmounts(snapshot: FairShareSnapshot, main: number | undefined): Float64Array {
  const { elements, pools, totals } = snapshot;
  const width = totals.length;
  const given = pools.guaranteed;
  const amounts = given.map((amount) => Math.max(0, amount));
  amounts.set(totals);
  for (let pool = 0; pool < pools.count; pool++) {
    const childPools: number[] = [];
    for (let i = elements.firstChild[pool]!; i < elements.firstChild[pool + 1]!; i++) {
      if (elements.children[i]! < pools.count) childPools.push(elements.children[i]!);
    }
    const mainOf = (at: number): number => (main === undefined ? 0 : amounts[at * width + main]!);
    if (mainOf(pool) === 0) continue;
    for (let type = 0; type < width; type++) {
      if (type === main) continue;
      const inferring = childPools.filter((child) => given[child * width + type]! < 0 && mainOf(child) > 0);
      if (inferring.length === 0) continue;
      const ofPool = amounts[pool * width + type]!;
      const mains = inferring.reduce((sum, child) => sum + BigInt(mainOf(child)), 0n);
      const explicit = childPools.reduce(
        (sum, child) => sum + BigInt(Math.max(0, given[child * width + type]!)),
        0n,
      );
      const left = explicit > BigInt(ofPool) ? 0n : BigInt(ofPool) - explicit;
      // At the top more may be promised than there is: that is scaled as shares, with what is given.
      const tooMuch = pool !== 0 && mains * BigInt(ofPool) > left * BigInt(mainOf(pool));
      for (const child of inferring) {
        const ownMain = BigInt(mainOf(child));
        amounts[child * width + type] = Number(
          tooMuch ? (ownMain * left) / mains : (ownMain * BigInt(ofPool)) / BigInt(mainOf(pool)),
        );
      }
    }
  }
  return amounts;
}
