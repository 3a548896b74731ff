import type { RunState } from '#enforcement';

export const manyVictims = 2000;

/**
 * Whether the last outcomes of a run are recorded before the transaction that ends it. For many victims that transaction takes long, since
 * it keeps each evicted one, and no reader of the log sees its events before it commits.
 */
export const isRecordedBeforeEnd = ({ planned }: RunState): boolean =>
  planned !== undefined && planned.plan.victims.length > manyVictims;
