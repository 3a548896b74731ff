import type { DomainEvent } from '#contracts';
import { type PackedSnapshot, packAhead, packSnapshot } from '#event-store';
import { type MadePlan, planComputed } from './plan-computed.js';

interface Parts {
  event: DomainEvent<'PlanComputed' | 'PlanFailed'>;
  snapshot?: PackedSnapshot;
}

/**
 * What is recorded of a plan: its event, and the snapshot that it was made from, packed. For a large snapshot that takes as long as planning,
 * and it is made when it is asked for: while the database stores the victims.
 */
export class PlanRecord {
  private making: Promise<Parts> | undefined;

  private constructor(private make: (() => Promise<Parts>) | undefined) {}

  /** @param options.later it is made when it is asked for, not at once. */
  static of(
    run: Parameters<typeof planComputed>[0],
    made: Omit<MadePlan, 'snapshotDigest'>,
    { later }: { later: boolean },
  ): PlanRecord {
    const record = new PlanRecord(async () => {
      // Other threads compress the plan while this one writes the snapshot.
      packAhead(made.plan);
      const snapshot = await packSnapshot(made.snapshot);
      return { snapshot, event: planComputed(run, { ...made, snapshotDigest: snapshot.digest }) };
    });
    // Its caller gets the error. If the rest of the batch fails, there is no caller.
    if (!later) record.made().catch(() => {});
    return record;
  }

  static ofFailure(event: DomainEvent<'PlanFailed'>): PlanRecord {
    return new PlanRecord(async () => ({ event }));
  }

  /** The same at each call. What it is made from may be collected from the first one on. */
  made(): Promise<Parts> {
    this.making ??= this.make!();
    this.make = undefined;
    return this.making;
  }
}
