import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Batcher, type KnownEvent, type RestOfStream, readStreams } from '#event-store';
import type { OpenRun } from '#runs';
import { RecordTogether } from './record-together.js';
import { RememberedRuns } from './remembered-runs.js';
import { type Places, RunLog } from './run-log.js';

/**
 * Loads runs with as few reads as it can. A run whose plan is at hand is not read at all, one that this process has carried out before only
 * from there on, and runs that are loaded at the same time share a statement.
 */
@Injectable()
export class LoadRuns {
  private readonly places: Places;
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
