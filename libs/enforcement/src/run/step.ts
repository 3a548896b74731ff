import { chain, type DomainEvent, type Notice, type Resources } from '#contracts';
import { addMs, toMs } from '../instants.js';
import { type RunControl, stopOf } from './control.js';
import { assert, type PlannedVictim, type RunState } from './run-state.js';
import { ownChecks } from './state.js';

/** A kill to be sent. It is recorded before it is sent; the driver adds the grace period of the owner. */
export interface Eviction {
  partition: string;
  rank: number;
  allocation: string;
  uid?: string;
  evictionId: string;
  reason: string;
  /** It may have been sent before; whether it was is not known. */
  resent: boolean;
}

/** The next action of the executor. After each but `done` and `wait` it asks again. */
export type Step =
  /** Not open yet: append `openRun`. */
  | { kind: 'open' }
  /** Nothing to do before `until`, or before an event that is waited for. */
  | {
      kind: 'wait';
      for: 'plan' | 'approval' | 'back-off' | 'grace' | 'extension' | 'rate' | 'cluster';
      until?: string;
    }
  /** Gather the facts about these victims, by rank, and ask again with the facts of each. */
  | {
      kind: 'check';
      victims: PlannedVictim[];
      /** Victims of the same start that have to be checked with the first one. */
      beside: PlannedVictim[];
      queues: string[];
      /** The id of its open order, left by a crash or a lost answer; then it is the only victim. */
      evictionId?: string;
    }
  /** All victims have their outcome: gather the facts about the enforced queue, and ask again with them. */
  | { kind: 'check-queue'; max: Resources }
  /** Of a round: notify the owners of these victims, or ask them to finish, and append `victimNotified` for each. */
  | { kind: 'notify'; victims: PlannedVictim[] }
  /** Append the events, then send the kills at the same time, then append `recordAnswer` for each. */
  | {
      kind: 'order';
      events: DomainEvent[];
      kills: Eviction[];
      /** All of them or none: fewer cannot be ordered now. */
      isUnit?: true;
    }
  /** Send the kill of the open order once more, then append `recordAnswer`. */
  | { kind: 'send'; kill: Eviction }
  | { kind: 'append'; events: DomainEvent[] }
  | { kind: 'done' };

export function check(state: RunState, victims: readonly PlannedVictim[], evictionId?: string): Step {
  const [first] = victims;
  assert(first, 'there is no victim to check');
  const enforced = state.planned?.queue ?? first.queue;
  const beside = ownChecks(state)?.checkedBeside(state, first) ?? [];
  const queues = new Set([...victims, ...beside].flatMap(({ queue }) => chain(queue)));
  return {
    kind: 'check',
    victims: [...victims],
    beside,
    queues: [...queues.add(enforced)],
    ...(evictionId !== undefined && { evictionId }),
  };
}

export function waitForCluster(state: RunState, now: string, { limits }: RunControl): Step {
  const until = addMs(now, Math.max(limits.backOffMs, 1));
  const deadlineAt = state.opened?.deadlineAt ?? until;
  return { kind: 'wait', for: 'cluster', until: earlier(until, deadlineAt) };
}

export function stopAt(
  { planned }: RunState,
  { queue }: PlannedVictim,
  control: RunControl,
): Notice | undefined {
  return stopOf({ partition: planned?.partition ?? '', queue }, control);
}

export function killOf(
  state: RunState,
  victim: PlannedVictim,
  evictionId: string,
  resent: boolean,
): Eviction {
  const { rank, allocation, uid, reason } = victim;
  const partition = state.planned?.partition ?? '';
  return { partition, rank, allocation, ...(uid !== undefined && { uid }), evictionId, reason, resent };
}

export function earlier(a: string, b: string): string {
  return toMs(a) <= toMs(b) ? a : b;
}
