import { createHash } from 'node:crypto';

/*
 * The streams of one run. Each has one writer; others read it by the same name.
 */

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
