import { counted } from '@curtail/contracts';
import type { Applied } from '@curtail/contracts/api';
import type { Invocation } from '../invocation.js';
import { changeLines } from './change-lines.js';
import { policyLines } from './policy-lines.js';
import { propertyLines } from './property-lines.js';
import { runningLines } from './running-lines.js';
import type { Cell } from './table.js';
import { clockText, dueText } from './time.js';

/** The effect on the clock of a queue. */
export interface Clock {
  queue: string;
  /** When the run is due; null if none is. */
  dueAt: string | null;
  enforcement: string | null;
  event: string;
  /** The cause, as the event names it: `quota-lowered`. */
  cause: string | null;
  /** It was set but is suspended, since a kill switch holds it. */
  suspended?: true;
}

/** The applied configuration, with the clocks that it set. */
export type AppliedWithClocks = Applied & { clocks: Clock[] };

/** The configuration applied to one partition, and the clocks that it set. */
export function appliedLines(applied: AppliedWithClocks, invocation: Invocation, now: number): string[] {
  const { partition, queues, changed, quotaPreemptionEnabled: on } = applied;
  const clocks = new Map(applied.clocks.map((clock) => [clock.queue, clock]));
  const head = `partition ${partition}: ${counted(queues, 'queue')} in force, ${changed.length === 0 ? 'no quota changed' : `${counted(changed.length, 'quota')} changed`}`;
  const switched = on !== applied.previousQuotaPreemptionEnabled;
  return [
    head,
    ...(switched || !on ? [`enforcement of its quotas is ${on ? 'on' : 'off: no clock runs'}`] : []),
    ...policyLines(applied.policyChanges, false),
    ...propertyLines(applied.propertiesChanged, false),
    ...changeLines(
      changed.map(({ queue, event, previous, current, clock }) => ({
        queue,
        gone: event === 'QueueRemoved',
        previous,
        current,
        clock: on ? clockCell(clocks.get(queue), clock, now) : 'off',
      })),
      invocation,
    ),
    ...runningLines(applied, invocation),
  ];
}

/** The recorded effect on the clock, or the expected one where it is not known yet. */
function clockCell(
  clock: Clock | undefined,
  { effect, because }: { effect: string; because: string },
  now: number,
): Cell {
  if (effect === 'none') return `no effect: ${because}`;
  if (clock === undefined) return `${effect}: ${because}`;
  const cause = clock.cause?.replaceAll('-', ' ') ?? because;
  if (clock.suspended) return { text: 'suspended: evictions are stopped here', tone: 'doubtful' };
  if (clock.dueAt !== null) {
    return {
      text: `due ${dueText(clock.dueAt, now)}, at ${clockText(clock.dueAt).slice(11)}`,
      tone: 'doubtful',
    };
  }
  if (clock.event === 'EnforcementCancelled') return `called off: ${cause}`;
  return clock.event === 'EnforcementSkipped' ? `no run now: ${cause}` : `no clock was running: ${because}`;
}
