/** Pages of docs/runbooks: what is seen, what it means for evictions, what to do. Monitoring links to them by these names, so they stay. */
export const runbooks = [
  'agent-silent',
  'clock-wrong',
  'dead-letters',
  'disk-full',
  'kafka-down',
  'postgresql-down',
  'queue-stays-above',
  'redis-down',
  'restore',
  'run-waits',
  'wrong-quota-applied',
] as const;
export type Runbook = (typeof runbooks)[number];

/**
 * The page of each code of `curtail status`, of notices about reports, and of problems of the API. null: there is nothing to do but the remedy
 * beside the code. A code that several servers share is followed by the name of the server.
 */
export const runbookByCode = {
  'server-down/database': 'postgresql-down',
  'server-down/kafka': 'kafka-down',
  'server-down/redis': 'redis-down',
  'database-away': 'postgresql-down',
  'database-connections': 'postgresql-down',
  'database-out-of-memory': 'postgresql-down',
  'database-read-only': 'postgresql-down',
  'database-full': 'disk-full',
  // The message of a consumer that cannot read has its reason.
  'server-down': null,

  'clocks-overdue': 'run-waits',
  'waits-for-approval': 'run-waits',
  stopped: 'run-waits',
  'consumer-behind': 'run-waits',
  'quota-not-met': 'queue-stays-above',
  'queues-would-be-removed': 'wrong-quota-applied',
  'dead-letters': 'dead-letters',
  'access-file-refused': null,
  'consumer-waits': null,
  'node-labels': null,
  'webhook-fails': null,
  'configuration-notices': null,

  'bus-unreachable': 'kafka-down',
  'clock-skew': 'clock-wrong',
  'reports-unread': 'agent-silent',
  'reports-lost': 'agent-silent',
  'reports-missing': 'agent-silent',
  'never-reported': 'agent-silent',
  'never-listed': 'agent-silent',
  'listing-held': 'agent-silent',
  'listing-dropped': 'agent-silent',
  'sequence-rejected': 'agent-silent',
  'sequence-stuck': 'agent-silent',
  silent: 'agent-silent',
  'other-configuration': 'agent-silent',
  'other-cluster': 'agent-silent',
} as const satisfies Record<string, Runbook | null>;

type Known = keyof typeof runbookByCode;
/** A code for which it is settled whether it has a page. */
export type RunbookCode = Known extends infer Key
  ? Key extends `${infer Code}/${string}`
    ? Code
    : Key
  : never;

export const pageOfRunbook = (runbook: Runbook): string => `docs/runbooks/${runbook}.md`;

/**
 * The page for a code: `docs/runbooks/kafka-down.md`, for programs and people; undefined if it has none.
 *
 * @param server the name of the server that the code is about, as in `/readyz`.
 */
export function runbookOf(code: string, server = ''): string | undefined {
  const pages: Readonly<Record<string, Runbook | null>> = runbookByCode;
  const found = pages[`${code}/${server}`] ?? (Object.hasOwn(pages, code) ? pages[code] : undefined);
  return found ? pageOfRunbook(found) : undefined;
}

/** For an object that has a member for the page only if there is one. */
export function withRunbook(code: string, server?: string): { runbook?: string } {
  const runbook = runbookOf(code, server);
  return runbook === undefined ? {} : { runbook };
}
