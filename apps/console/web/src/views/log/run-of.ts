const streamsOfRuns = /^(?:plan|operator|execution)-(.+)$/;

/** The run that an event belongs to, if any. */
export function runOf({ stream, data }: { stream: string; data: unknown }): string | undefined {
  const own = streamsOfRuns.exec(stream)?.[1];
  if (own !== undefined) return own;
  const { enforcement } = (data ?? {}) as { enforcement?: unknown };
  return typeof enforcement === 'string' ? enforcement : undefined;
}
