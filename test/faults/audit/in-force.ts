import type { Logged } from './history.js';
import { isWithin } from './usage.js';

/** The settings of operators and configurations at a place of the log. */
export class InForce {
  constructor(private readonly log: readonly Logged[]) {}

  /** Whether quotas are enforced at all: the switch of the partition. */
  switchedOn(upTo = this.log.length): boolean {
    const last = this.last('ConfigApplied', upTo);
    return last?.data.quotaPreemptionEnabled ?? false;
  }

  mode(upTo = this.log.length): 'observe' | 'enforce' {
    return this.last('ModeChanged', upTo)?.data.mode ?? 'enforce';
  }

  /** Whether a kill switch covers the queue. */
  isStopped(queue: string, upTo = this.log.length): boolean {
    const stops = new Set<string | null>();
    for (let index = 0; index < upTo; index++) {
      const event = this.log[index]!;
      if (event.name === 'KillSwitchSet') stops.add(event.data.queue);
      if (event.name === 'KillSwitchCleared') stops.delete(event.data.queue);
    }
    return [...stops].some((stop) => stop === null || isWithin(queue, stop));
  }

  /** Whether an operator asked for the end of a run, or refused its plan, before this place in the log. */
  wasAsked(name: 'CancelRequested' | 'PlanRejected', enforcement: string, upTo: number): boolean {
    return this.log
      .slice(0, upTo)
      .some((event) => event.name === name && event.data.enforcement === enforcement);
  }

  private last<N extends Logged['name']>(name: N, upTo: number) {
    return this.log.slice(0, upTo).findLast((event) => event.name === name) as
      | Extract<Logged, { name: N }>
      | undefined;
  }
}
