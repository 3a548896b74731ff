import type { QueueInForce } from '#clusters/planning-view';
import {
  type ClusterSnapshot,
  isWithin,
  type Plan,
  settingsOfQueue,
  settingsOfRuns,
  totalOfAllocations,
} from '#contracts';
import type { Wait } from '#contracts/api';
import {
  approvalReason,
  type ClockState,
  coveringStop,
  type ForecastClock,
  type ForecastStart,
  type Frozen,
  flappingWait,
  type Stop,
  stoppedBy,
} from '#enforcement';
import type { ForecastSettings, PresentPartition } from './present.js';

/** The configuration to plan with, and the stops, switches and runs of the partition. */
export interface ForecastScope {
  partition: string;
  queues: QueueInForce[];
  present: PresentPartition;
  settings: ForecastSettings;
}

export interface PendingClock extends ForecastClock {
  state: ClockState;
  /** The stop that holds it. */
  stop: Stop | undefined;
  /** The freeze in which it falls due. */
  frozen: Frozen | undefined;
}

/** Reasons why a clock does not start its run when it is due. */
export function waitsBeforeStart(
  { clock, waitsFor: above }: ForecastStart<PendingClock>,
  { present: { stops, runs } }: ForecastScope,
): Wait[] {
  const waits: Wait[] = [];
  if (clock.stop) {
    const { queue } = clock.stop;
    const covering = coveringStop(clock.queue, stops);
    const because = covering ? stoppedBy(covering) : '';
    waits.push({ for: 'stop', ...(queue === null ? {} : { queue }), because });
  }
  if (clock.frozen) {
    const { queue } = clock.frozen.freeze;
    waits.push({
      for: 'freeze',
      ...(queue === null ? {} : { queue }),
      because: stoppedBy(clock.frozen.freeze),
    });
  }
  const flapping = clock.stop ? undefined : flappingWait(clock.state);
  if (flapping) waits.push({ for: 'flapping', queue: flapping.queue, because: flapping.because });
  if (above !== undefined) {
    const run = runs.find(({ queue }) => queue === above);
    const because = run
      ? `Run ${run.enforcement} of ${above} is in progress and has to end first.`
      : `The run of ${above} starts before it and has to end first.`;
    waits.push({ for: 'ancestor', queue: above, because });
  }
  return waits;
}

/** Reasons why a finished plan is not carried out: under the executor's rule, a missing approval. */
export function waitsAfterPlan(
  { victims }: Plan,
  snapshot: ClusterSnapshot,
  { clock, at, over }: ForecastStart<PendingClock>,
  { settings, present, queues }: ForecastScope,
): { observes: Wait[]; approval: Wait[] } {
  if (present.mode === 'observe') {
    const because = 'The partition is only observed; nothing is evicted.';
    return { observes: [{ for: 'mode', because }], approval: [] };
  }
  const { graceSeconds, approveAboveVictims, approveAbovePercent } = settingsOfQueue(
    settingsOfRuns,
    settings,
    queues,
    clock.queue,
  );
  const graceMs = graceSeconds * 1000;
  const gone = victimIds(
    over
      .filter(({ until: { phase, ms } }) => phase < at.phase || ms + graceMs <= at.ms)
      .flatMap((run) => run.victims.filter(({ spared }) => !spared)),
  );
  const there = snapshot.allocations.filter(({ id, queue }) => isWithin(queue, clock.queue) && !gone.has(id));
  const because = approvalReason(victims, {
    approveAboveVictims,
    approveAbovePercent,
    allocations: there.length,
    usage: totalOfAllocations(there),
  });
  return { observes: [], approval: because === undefined ? [] : [{ for: 'approval', because }] };
}

export const victimIds = (victims: readonly { allocation: string }[]): Set<string> =>
  new Set(victims.map(({ allocation }) => allocation));
