import type { Candidates } from './candidates.js';
import type { Draft } from './draft.js';
import { isWanted } from './leaf.js';

/**
 * Where the target is not reached, a floor may have kept candidates out before they were tried: their leaf had no room to
 * give. They count as refused like those that were tried (docs/policies/quota-decrease.md §6.1, §10).
 */
export function refuseWhatIsLeft(draft: Draft, candidates: Candidates): void {
  const nothingGiven = new Float64Array(draft.target.count);
  for (const allocation of candidates.list) {
    if (draft.isTaken(allocation) || !isWanted(draft, allocation, null, nothingGiven)) continue;
    const cell = draft.floors.refusingCell(allocation);
    if (cell >= 0) draft.passOverForFloor(allocation, cell);
  }
}
