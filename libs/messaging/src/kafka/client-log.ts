interface ClientLog {
  message: string;
  error?: unknown;
  [field: string]: unknown;
}

/**
 * A log entry of the client, in one line; undefined for entries that are reported anyway: errors, and crashes of
 * consumers, which are events; for requests that were under way when their client ended; and for a producer without
 * attempts left, which is discarded (Publisher).
 */
export function clientLogText({ message, error, ...rest }: ClientLog): string | undefined {
  if (ofNoConcern.test(message)) return undefined;
  const about = ['groupId', 'broker', 'topic'].flatMap((name) =>
    typeof rest[name] === 'string' ? [`${name} ${rest[name]}`] : [],
  );
  return [message, typeof error === 'string' && error !== message ? error : '', ...about]
    .filter(Boolean)
    .join('; ');
}

/** Sentences of kafkajs, which gives its log entries no codes. */
const ofNoConcern =
  /^(Response |Failed to send messages|The group is rebalancing|Limiting retries for the idempotent producer|Crash: |Connection error: write after end$)/;
