import { within } from '@curtail/waiting';
import type { Invocation } from '../invocation/invocation.js';
import { clientOf } from './client.js';
import { ServerError } from './server-error.js';

/** The answer is there already; its reader does not wait longer for a hint. */
const hintMs = 2000;

/** For an answer without anything of a queue: warns if there is no such queue but one with nearly that name. */
export async function warnOfMisspelt(
  invocation: Invocation,
  partition: string,
  queue: string,
): Promise<void> {
  const meant = await within({ ms: hintMs, signals: [] }, (signal) =>
    clientOf(invocation).get('/v1/queues/{path}', {
      params: { path: { path: queue }, query: { partition } },
      signal,
    }),
  ).then(
    () => undefined,
    (error) => (error instanceof ServerError ? (error.problem as { meant?: string }).meant : undefined),
  );
  if (meant === undefined) return;
  invocation.report(`warning: there is no queue ${queue} in partition ${partition}; did you mean ${meant}?`);
}
