import type { RunLog } from './run-log.js';

/** Of all remembered runs: some 60 MB. */
const mostVictims = 100_000;

/**
 * The runs that this process carried out last, as far as it has read them. The next step of a run reads only its new
 * events, not the plan and all events again. A remembered run may be outdated: call `RunLog.catchUp` first.
 */
export class RememberedRuns {
  /** By enforcement, the least recently used first. */
  private readonly runs = new Map<string, RunLog>();
  private victims = 0;

  /** Takes the run out: only the caller has it then. */
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

/** A run takes some memory even without victims. */
const sizeOf = ({ state }: RunLog) => 10 + (state.planned?.plan.victims.length ?? 0);
