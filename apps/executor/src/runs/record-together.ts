import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RunState } from '#enforcement';
import { append, appendAlone, Batcher, type StreamAppend, type Tx } from '#event-store';
import { OpenRuns } from './open-runs.js';

interface Entry {
  append: StreamAppend;
  /** The run that ends with it, and is removed from the open runs in the same transaction. */
  over: string | undefined;
  /** Written with it, in the same transaction. */
  effect?: ((tx: Tx) => Promise<void>) | undefined;
}

/** Records the events of runs: many at once share statements and commits. */
@Injectable()
export class RecordTogether {
  private readonly together = new Batcher((entries: Entry[]) => this.write(entries));

  constructor(
    private readonly db: DataSource,
    private readonly openRuns: OpenRuns,
  ) {}

  /** @throws as `append`; then nothing of this entry is written. */
  record(entry: Entry): Promise<void> {
    return this.together.ask(entry);
  }

  private async write(entries: Entry[]): Promise<undefined[]> {
    const over = entries.flatMap((entry) => entry.over ?? []);
    const appends = entries.map((entry) => entry.append);
    const effects = entries.flatMap((entry) => entry.effect ?? []);
    if (appends.length === 1 && over.length + effects.length === 0) await appendAlone(this.db, appends[0]!);
    else {
      await this.db.transaction(async (tx: Tx) => {
        const appending = append(tx, appends);
        if (effects.length > 0) await appending;
        for (const effect of effects) await effect(tx);
        await Promise.all([appending, this.openRuns.remove(tx, over)]);
      });
    }
    return entries.map(() => undefined);
  }
}

export const manyVictims = 2000;

/**
 * Whether the last outcomes of a run are recorded before the transaction that ends it. For many victims that transaction takes long, since
 * it keeps each evicted one, and no reader of the log sees its events before it commits.
 */
export const isRecordedBeforeEnd = ({ planned }: RunState): boolean =>
  planned !== undefined && planned.plan.victims.length > manyVictims;
