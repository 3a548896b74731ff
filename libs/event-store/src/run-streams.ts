import { createHash } from 'node:crypto';

/*
 * The names of streams that others than their one writer read.
 */

/** The configurations of a partition; written by config-ingest. */
export const configStream = (partition: string) => `config-${partition}`;

/**
 * What operators say of a partition: kill switch and mode; written by the console. Its writers hold the advisory lock of this name,
 * which the gate of evictions shares.
 */
export const controlStream = (partition: string) => `control-${partition}`;

/** What the planner made of it. */
export const planStream = (enforcement: string) => `plan-${enforcement}`;
/** What operators said of it; written by the console. */
export const operatorStream = (enforcement: string) => `operator-${enforcement}`;
/** What the executor did. */
export const executionStream = (enforcement: string) => `execution-${enforcement}`;

/** sha256 of a plan's JSON text, hex: the same input gives the same one, years later too. */
export function digestOfPlan(plan: object): string {
  return createHash('sha256').update(JSON.stringify(plan)).digest('hex');
}
