import { clockKind } from '#contracts';
import type { WakeUp } from '#timers';

/** The kind of a wake-up for all clocks of quotas in a partition that are due within one interval of `sharedMs`. */
export const sharedKind = `${clockKind}-shared`;

/** One wake-up for each clock costs more than the run that the clock starts. */
const sharedMs = 500;
/** The lead of a wake-up before its interval: time to receive it late, and to read the timers that are due in it. */
const leadMs = 2000;

/** The shared wake-up of a clock that is due at `dueAt`. */
export function sharedWakeUp(partition: string, dueAt: Date): WakeUp {
  const from = Math.floor(dueAt.getTime() / sharedMs) * sharedMs;
  return {
    kind: sharedKind,
    partition,
    name: new Date(from).toISOString(),
    generation: 0,
    dueAt: new Date(from - leadMs),
  };
}

/** The end of the interval of a shared wake-up, where the next one begins. */
export function endOfShared({ dueAt }: WakeUp): Date {
  return new Date(dueAt.getTime() + leadMs + sharedMs);
}
