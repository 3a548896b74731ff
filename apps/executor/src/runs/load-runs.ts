import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Batcher, type KnownEvent, type RestOfStream, readStreams } from '#event-store';
import type { OpenRun } from '#runs';
import { RecordTogether } from './record-together.js';
import { type PlacesOfRun, RunLog } from './run-log.js';

/**
 * Loads runs with as few reads as it can. A run whose plan is at hand is not read at all, one that this process has carried out before only
 * from there on, and runs that are loaded at the same time share a statement.
 */
@Injectable()
export class LoadRuns {
  private readonly places: PlacesOfRun;
  private readonly remembered = new RememberedRuns();

  constructor(db: DataSource, records: RecordTogether) {
    const streams = new Batcher(async (wanted: RestOfStream[][]) => {
      const events = await readStreams(db, wanted.flat());
      return wanted.map((of) => events.splice(0, of.length));
    });
    this.places = { db, streams, records };
  }

  /** @param plan the plan of a new run, if it is at hand. */
  async load(held: OpenRun, plan?: KnownEvent): Promise<RunLog> {
    if (plan) return RunLog.begin(this.places, held, plan);
    const known = this.remembered.take(held.enforcement) ?? new RunLog(this.places, held);
    await known.catchUp();
    return known;
  }

  /** The caller is done with the run for now, and its streams have all that it has noted. */
  remember(held: OpenRun, run: RunLog): void {
    this.remembered.keep(held.enforcement, run);
  }
}

/** Of all remembered runs: some 60 MB. */
const mostVictims = 100_000;

/**
 * The runs that this process carried out last, as far as it has read them. The next step of a run reads only its new
 * events, not the plan and all events again. A remembered run may be outdated: call `RunLog.catchUp` first.
 */
class RememberedRuns {
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
