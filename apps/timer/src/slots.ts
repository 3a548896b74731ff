import type { Ring } from '@curtail/timers';

/** The kind of a ring for all clocks of quotas in a partition that are due within one slot. */
export const slotKind = 'quota-decrease-slot';

/** A doorbell that rings for each clock costs more than the run that the clock starts. */
const slotMs = 500;
/** So long before the slot begins it rings: time to hear it late, and to read what is due in it. */
const leadMs = 2000;

/** The ring that stands for a clock that is due at `dueAt`. */
export function slotRing(partition: string, dueAt: Date): Ring {
  const from = Math.floor(dueAt.getTime() / slotMs) * slotMs;
  return {
    kind: slotKind,
    partition,
    name: new Date(from).toISOString(),
    generation: 0,
    dueAt: new Date(from - leadMs),
  };
}

/** The moment at which the slot of a ring is over, and the next one begins. */
export function endOfSlot({ dueAt }: Ring): Date {
  return new Date(dueAt.getTime() + leadMs + slotMs);
}
