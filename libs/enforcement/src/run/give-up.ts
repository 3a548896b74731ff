import { type DomainEvent, ofEnforcement, type Resources } from '#contracts';
import { endedWith, type PlanInBrief, tooLarge } from './end.js';
import { ofVictim } from './run-state.js';
import type { Settled, Tally } from './tally.js';
import { victimOfRun, type WhichVictim } from './victim-events.js';

/*
 * The end of a run that no process can carry out, because each process that loads it crashes
 * (docs/how-to/large-runs.md). Nothing here needs the state of the run: the process that ends it reads its victims in
 * pages.
 */

/** Why the run ends, as one sentence without its full stop. */
export function whyUncarried({ queue }: PlanInBrief, processes: number): string {
  return `${processes} executors tried to carry out the run, and each of them crashed; lower the quota of ${queue} in steps, split the queue, or give the executors more memory`;
}

/**
 * Gives a victim without an outcome its outcome: it is spared. If its eviction was ordered, whether it was carried out
 * is not known.
 *
 * @returns the event to record, and the entry to add to the tally.
 */
export function settleUncarried(
  run: PlanInBrief,
  victim: WhichVictim & { resources: Resources },
  { isOrdered, processes }: { isOrdered: boolean; processes: number },
): { event: DomainEvent; settled: Settled } {
  const { resources } = victim;
  const which = victimOfRun(run, victim);
  if (isOrdered) {
    const code = 'outcome-unknown';
    const message = 'Curtail had ordered its eviction; whether it was carried out is not known.';
    return {
      event: { name: 'VictimFailed', data: { ...which, code, message, about: ofVictim(victim) } },
      settled: { outcome: 'failed', code, resources },
    };
  }
  const message = `It stays: ${whyUncarried(run, processes)}.`;
  return {
    event: {
      name: 'VictimSpared',
      data: { ...which, code: tooLarge, message, about: ofEnforcement(run.enforcement) },
    },
    settled: { outcome: 'spared', code: tooLarge, resources },
  };
}

/** The end, once each victim has an outcome. No other run follows by itself: its result would be the same. */
export function endUncarried(run: PlanInBrief, tally: Tally, processes: number): DomainEvent {
  const why = whyUncarried(run, processes);
  const message = `Enforcement ${run.enforcement} evicts nothing more: ${why}.`;
  return endedWith(run, tally, {
    outcome: 'failed',
    because: ` It could not be carried out: ${why}.`,
    notices: [{ code: tooLarge, message, about: ofEnforcement(run.enforcement) }],
  });
}
