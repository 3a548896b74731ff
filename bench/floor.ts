import type { ClusterSnapshot } from '#contracts';

/** The allocations of a snapshot as bare columns: what any planner has to check, and nothing else. */
export interface BareColumns {
  running: Uint8Array;
  memory: Float64Array;
  /** Sorts by age. */
  key: Float64Array;
}

export function bareColumns(snapshot: ClusterSnapshot): BareColumns {
  const { allocations } = snapshot;
  return {
    running: Uint8Array.from(allocations, ({ state, role }) =>
      state === undefined && role !== 'daemon' ? 1 : 0,
    ),
    memory: Float64Array.from(allocations, ({ resources }) => resources.memory ?? 0),
    // Time and place in one exact number: the order of the young, distinguished.
    key: Float64Array.from(
      allocations,
      ({ startedAt }, i) => (Date.UTC(2027, 0) - Date.parse(startedAt)) * 2 ** 20 + (i & 0xfffff),
    ),
  };
}

/**
 * The least that a plan can cost: filter the candidates, select their keys, sort, add up until the target is reached.
 *
 * @returns how many were taken.
 */
export function floor(columns: BareColumns, target: number): number {
  const { running, memory, key } = columns;
  const selected = new Float64Array(running.length);
  let count = 0;
  for (let i = 0; i < running.length; i++) {
    if (running[i] === 1 && memory[i]! > 0) selected[count++] = key[i]!;
  }
  const sorted = selected.subarray(0, count).sort();
  let freed = 0;
  let taken = 0;
  while (freed < target && taken < count) freed += memory[sorted[taken++]! % 2 ** 20]!;
  return taken;
}
