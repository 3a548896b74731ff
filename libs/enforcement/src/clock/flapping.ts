import {
  comparableLimits,
  type DomainEvent,
  type Flapping,
  type Notice,
  type QuotaTurns,
  type QuotaValues,
} from '#contracts';
import { amountOf, sameLimit } from '../amounts.js';
import { addMs, toMs } from '../instants.js';
import { clockNotices, flappingInWords } from './notices.js';
import type { ClockState } from './state.js';

/* Quotas that go up and down: docs/reference/policies/quota-decrease.md §3.11. */

/** The types whose direction is remembered. */
const mostTypes = 64;

/** A change of max that was saved at `at`. */
export interface MaxChange {
  at: string;
  previous: QuotaValues;
  current: QuotaValues;
  flapping?: Flapping | undefined;
}

/**
 * The turns of a queue after a change: its max went up where it last went down in some type, or the other way round. Only those of the
 * window are kept, and no more than are needed to know that there are too many.
 *
 * @returns `before` itself if max did not change; undefined if the setting is off.
 */
export function turnsAfter(
  { at, previous, current, flapping }: MaxChange,
  before: QuotaTurns | undefined,
): QuotaTurns | undefined {
  if (!flapping || sameLimit(previous, current)) return flapping ? before : undefined;
  const changed = directionsOf(previous, current);
  const last = before?.directions ?? {};
  const isTurn = [...changed].some(([type, direction]) => (last[type] ?? direction) !== direction);
  const sinceMs = toMs(at) - flapping.windowSeconds * 1000;
  const inWindow = [...(before?.at ?? []), ...(isTurn ? [at] : [])].filter((turn) => toMs(turn) > sinceMs);
  const isFlapping = inWindow.length > flapping.turns;
  return {
    at: inWindow.slice(-flapping.turns - 1),
    directions: Object.fromEntries([...Object.entries(last), ...changed].slice(-mostTypes)),
    changedAt: at,
    stableMs: (flapping.stableSeconds ?? 0) * 1000,
    ...(isFlapping && { flappingSince: before?.flappingSince ?? at }),
    ...(isFlapping && before?.reported && { reported: true }),
  };
}

/** Of each type that a change raises or lowers. No limit is higher than any amount. */
function directionsOf(previous: QuotaValues, current: QuotaValues): Map<string, 'up' | 'down'> {
  const [before, now] = comparableLimits(previous, current);
  const amount = (max: typeof before, type: string) =>
    max !== null && Object.hasOwn(max, type) ? amountOf(max, type) : Number.POSITIVE_INFINITY;
  const types = new Set([...Object.keys(before ?? {}), ...Object.keys(now ?? {})]);
  return new Map(
    [...types].flatMap((type): [string, 'up' | 'down'][] => {
      const difference = amount(now, type) - amount(before, type);
      if (difference > 0) return [[type, 'up']];
      return difference < 0 ? [[type, 'down']] : [];
    }),
  );
}

/** A due time that is put off while the max of the queue is flapping, and what its event records of that. */
export interface PutOff {
  dueAt: string;
  /** Absent: it is not put off. */
  ownDueAt?: string;
  /** With the mark that the flapping was reported. */
  turns?: QuotaTurns;
  notices: Notice[];
}

/** @param dueAt of a clock that is set, as it would be without flapping. */
export function putOff({ queue, turns, pending }: ClockState, dueAt: string, values: QuotaValues): PutOff {
  if (turns?.flappingSince === undefined) return { dueAt, notices: [] };
  const stableMs = stableMsOf(turns, values);
  const stableAt = addMs(turns.changedAt, stableMs);
  const isPutOff = toMs(stableAt) > toMs(dueAt);
  const due = isPutOff ? stableAt : dueAt;
  return {
    dueAt: due,
    ...(isPutOff && { ownDueAt: pending?.dueAt === dueAt ? (pending.flapping?.dueAt ?? dueAt) : dueAt }),
    ...(!turns.reported && { turns: { ...turns, reported: true } }),
    notices: turns.reported ? [] : [clockNotices.flapping(queue, turns, stableMs, due)],
  };
}

const stableMsOf = (turns: QuotaTurns, { delayMs }: QuotaValues): number => Math.max(delayMs, turns.stableMs);

/** Why a clock is due later than it would be. */
export interface FlappingWait {
  queue: string;
  /** RFC 3339: when it would be due. */
  dueAt: string;
  /** A sentence. */
  because: string;
}

/** Undefined: its max does not put the clock off. */
export function flappingWait({ queue, pending, turns, values }: ClockState): FlappingWait | undefined {
  if (!pending?.flapping || !turns) return undefined;
  return {
    queue,
    dueAt: pending.flapping.dueAt,
    because: flappingInWords(`The max of ${queue}`, turns, stableMsOf(turns, values)),
  };
}

/** The event of a change, with the turns after it. One that reports them has them already. */
export function withTurns(event: DomainEvent, turns: QuotaTurns): DomainEvent {
  const hasValues = 'current' in event.data && event.data.current !== undefined;
  if (!hasValues || 'turns' in event.data) return event;
  return { ...event, data: { ...event.data, turns } } as DomainEvent;
}
