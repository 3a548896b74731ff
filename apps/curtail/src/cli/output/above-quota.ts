import type { Queue } from '#api-client';
import type { Resources } from '#contracts';

/** The usage of a queue above its quota, work that is leaving included. */
export const usageAbove = ({ usage, max }: Pick<Queue, 'usage' | 'max'>): Resources =>
  aboveQuota({ usage, max, inFlight: {} });

/** The usage of a queue above its quota, without work that is leaving. */
export function aboveQuota({ usage, inFlight, max }: Pick<Queue, 'usage' | 'inFlight' | 'max'>): Resources {
  const over = Object.entries(max ?? {}).map(
    ([type, most]) => [type, (usage[type] ?? 0) - (inFlight[type] ?? 0) - most] as const,
  );
  return Object.fromEntries(over.filter(([, amount]) => amount > 0));
}
