import type { Applied, Timer } from '#api-client';
import { counted, isOnByDefault, nodeLabelsText } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { printable } from '../terminal/printable.js';
import { changeLines, changesSentence, withGuaranteed } from './change-lines.js';
import { policyLines, propertyLines, runningLines } from './configuration-lines.js';
import { placeOf } from './inventory-lines.js';
import type { Cell } from './table.js';
import { clockText, dueText } from './time.js';

/** The effect on the clock of a queue. */
export interface AppliedClock {
  queue: string;
  /** When the run is due; null if none is. */
  dueAt: string | null;
  enforcement: string | null;
  event: string;
  /** The cause, as the event names it: `quota-lowered`. */
  cause: string | null;
  /** The end of the freeze in which it falls due. */
  frozenUntil?: string;
  /** It was set but is suspended, since a kill switch holds it. */
  suspended?: true;
}

/** The applied configuration, with the clocks that it set, and the first of those that were pending already and stay as they are. */
export type AppliedWithClocks = Applied & {
  clocks: AppliedClock[];
  pending: Timer[];
  /** The version in force, if another configuration has already replaced this one: `clocks` has those that still follow from this one. */
  replacedBy?: number;
};

/** Pending clocks that are shown. */
export const pendingShown = 5;

/** The configuration applied to one partition, and the clocks that it set. */
export function appliedLines(applied: AppliedWithClocks, invocation: Invocation, now: number): string[] {
  const { partition, queues, changed, quotaPreemptionEnabled: on, nodeLabels } = applied;
  const clocks = new Map(applied.clocks.map((clock) => [clock.queue, clock]));
  const changes = withGuaranteed(
    changed.map(({ queue, event, previous, current, clock }) => ({
      queue,
      gone: event === 'QueueRemoved',
      previous,
      current,
      clock: on ? clockCell(clocks.get(queue), clock, now) : 'off',
    })),
    applied.guaranteedChanged,
  );
  const head = `partition ${partition}: ${counted(queues, 'queue')} in force, ${changesSentence(changes, false)}`;
  const switched = on !== applied.previousQuotaPreemptionEnabled;
  return [
    ...onByDefaultLines(applied.warnings),
    head,
    ...labelLines(nodeLabels),
    ...(switched || (!on && !nodeLabels)
      ? [`enforcement of its quotas is ${on ? 'on' : 'off: no clock runs'}`]
      : []),
    ...policyLines(applied.policyChanges, false),
    ...propertyLines(applied.propertiesChanged, false),
    ...changeLines(changes, invocation),
    ...runningLines(applied, invocation),
    // Beside changes, clocks that have nothing to do with them would only distract.
    ...(changes.length === 0 ? pendingLines(applied, invocation, now) : []),
  ];
}

/** What acts by a default of Curtail's, although the configuration does not ask for it: before everything else. */
export function onByDefaultLines(warnings: Applied['warnings']): string[] {
  return warnings
    .filter(isOnByDefault)
    .map(({ code, path, message }) => printable(`on by default: ${path} ${message} (${code})`));
}

/** Where node labels keep everything from being enforced. */
export function labelLines(labels: readonly string[] | undefined): string[] {
  return labels
    ? [
        `nothing is enforced: the configuration has ${printable(nodeLabelsText(labels))}, which Curtail does not count`,
      ]
    : [];
}

/** What an unchanged configuration still leads to. */
function pendingLines(
  { partition, pending }: AppliedWithClocks,
  invocation: Invocation,
  now: number,
): string[] {
  const all = invocation.hint(`curtail get timers${placeOf({ partition })}`);
  return [
    ...pending
      .slice(0, pendingShown)
      .map(
        ({ enforcement, ...timer }) =>
          `pending already: ${printable(timer.queue)}, ${pendingDue(timer, now)}${enforcement === null ? '' : ` (${enforcement})`}`,
      ),
    ...(pending.length > pendingShown ? [`… and more pending clocks: ${all}`] : []),
  ];
}

function pendingDue(
  { dueAt, state, frozenUntil }: Pick<Timer, 'dueAt' | 'state' | 'frozenUntil'>,
  now: number,
): string {
  if (state === 'suspended') return 'suspended';
  if (!frozenUntil) return `due ${dueText(dueAt, now)}, at ${clockText(dueAt).slice(11)}`;
  return `held by a freeze until ${clockText(frozenUntil)}`;
}

/** The recorded effect on the clock, or the expected one where it is not known yet. */
function clockCell(
  clock: AppliedClock | undefined,
  { effect, because }: { effect: string; because: string },
  now: number,
): Cell {
  if (effect === 'none') return `no effect: ${because}`;
  if (clock === undefined) return `${effect}: ${because}`;
  const cause = clock.cause?.replaceAll('-', ' ') ?? because;
  // Where enforcement is off, no clock is shown.
  const suspended: Cell = { text: 'suspended: evictions are stopped here', tone: 'doubtful' };
  if (clock.suspended) return suspended;
  if (clock.dueAt !== null) {
    return {
      text: clock.frozenUntil
        ? `due ${dueText(clock.dueAt, now)}, then waits for the end of a freeze at ${clockText(clock.frozenUntil)}`
        : `due ${dueText(clock.dueAt, now)}, at ${clockText(clock.dueAt).slice(11)}`,
      tone: 'doubtful',
    };
  }
  if (clock.event === 'EnforcementCancelled') return `clock ends: ${cause}`;
  if (clock.event !== 'EnforcementSkipped') return `no clock was running: ${because}`;
  switch (clock.cause) {
    case 'running':
      return `a run is in progress${clock.enforcement === null ? '' : ` (${clock.enforcement})`} and continues; this change is judged when it ends`;
    case 'suspended':
      return suspended;
    default:
      return `no run follows: ${cause}`;
  }
}
