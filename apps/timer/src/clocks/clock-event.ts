import { randomBytes } from 'node:crypto';
import type { KnownEvent } from '#event-store';

/** The name of the consumer that applies events to the clocks of queues. */
export const clockConsumer = 'timer';

export const clockEvents = [
  'ConfigApplied',
  'QuotaChanged',
  'QueueRemoved',
  'EnforcementEnded',
  'CancelRequested',
  'EnforcementRequested',
  'KillSwitchSet',
  'KillSwitchCleared',
  'FreezeCleared',
] as const;
export type ClockEvent = KnownEvent<(typeof clockEvents)[number]>;

export const isClockEvent = (event: KnownEvent): event is ClockEvent =>
  (clockEvents as readonly string[]).includes(event.name) &&
  // The rounds of other policies have no queue clock.
  !(event.name === 'EnforcementEnded' && event.data.policy !== undefined);

/** Most configurations leave the switch of their partition as it is: they concern no clock, only the events of their queues do. */
export const concernsClocks = (event: ClockEvent): boolean =>
  event.name !== 'ConfigApplied' || turnsSwitch(event);

/** Whether a configuration turns the switch of a partition that had one before. */
export function turnsSwitch({ data }: KnownEvent<'ConfigApplied'>): boolean {
  const { quotaPreemptionEnabled: on, previousQuotaPreemptionEnabled: before } = data;
  return before !== null && before !== on;
}

/** Thirty-two: each is as likely as any other. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz';

/** The id of a run, `r-…` of a round: short enough to type, with 60 random bits. */
export function newEnforcement(kind: 'e' | 'r' = 'e'): string {
  let id = `${kind}-`;
  for (const byte of randomBytes(12)) id += letters[byte % letters.length];
  return id;
}
