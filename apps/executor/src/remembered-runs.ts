import type { RunLog } from './run-log.js';

/** Of all runs that are remembered: some 60 MB. */
const mostVictims = 100_000;

/**
 * The runs that this process carried out last, as far as it knows them: whoever goes on with one reads what is new, and not a plan
 * and all events of it again. What is in here is never believed by itself; `RunLog.catchUp` comes first.
 */
export class RememberedRuns {
  /** By enforcement, the one that was looked at longest ago first. */
  private readonly runs = new Map<string, RunLog>();
  private victims = 0;

  /** Who takes a run out is the only one that has it. */
  take(enforcement: string): RunLog | undefined {
    const run = this.runs.get(enforcement);
    if (run) this.forget(enforcement, run);
    return run;
  }

  keep(enforcement: string, run: RunLog): void {
    this.take(enforcement);
    this.runs.set(enforcement, run);
    this.victims += sizeOf(run);
    for (const [oldest, other] of this.runs) {
      if (this.victims <= mostVictims || other === run) break;
      this.forget(oldest, other);
    }
  }

  private forget(enforcement: string, run: RunLog): void {
    this.runs.delete(enforcement);
    this.victims -= sizeOf(run);
  }
}

/** A run takes some memory also where it has no victims. */
const sizeOf = ({ state }: RunLog) => 10 + (state.planned?.plan.victims.length ?? 0);
