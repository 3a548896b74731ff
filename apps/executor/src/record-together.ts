import { append, appendAlone, type StreamAppend, type Tx } from '@curtail/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { OpenExecutions } from './open-executions.js';

interface Entry {
  append: StreamAppend;
  /** The run that is over with it, and is taken from the open ones in the same transaction. */
  over: string | undefined;
  /** Written with it, in the same transaction. */
  effect?: ((tx: Tx) => Promise<void>) | undefined;
}

/**
 * Records what happened in runs. While one transaction is under way what comes meanwhile gathers, and goes together into the
 * next: with many runs at once they share statements and commits, and one alone waits for nobody.
 */
@Injectable()
export class RecordTogether {
  private gathered: (Entry & { done: (error?: unknown) => void })[] = [];
  private writing = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OpenExecutions) private readonly executions: OpenExecutions,
  ) {}

  /** @throws as `append`; then nothing of this entry is written. */
  record(entry: Entry): Promise<void> {
    return new Promise((resolve, reject) => {
      this.gathered.push({ ...entry, done: (error) => (error === undefined ? resolve() : reject(error)) });
      if (!this.writing) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.writing = true;
    while (this.gathered.length > 0) {
      const entries = this.gathered;
      this.gathered = [];
      try {
        await this.write(entries);
        for (const { done } of entries) done();
      } catch (error) {
        if (entries.length === 1) entries[0]!.done(error);
        // One of them is to blame; which, each finds out alone.
        else for (const entry of entries) await this.write([entry]).then(() => entry.done(), entry.done);
      }
    }
    this.writing = false;
  }

  private async write(entries: Entry[]): Promise<void> {
    const over = entries.flatMap((entry) => entry.over ?? []);
    const appends = entries.map((entry) => entry.append);
    const effects = entries.flatMap((entry) => entry.effect ?? []);
    if (appends.length === 1 && over.length + effects.length === 0) return appendAlone(this.db, appends[0]!);
    await this.db.transaction(async (tx: Tx) => {
      await append(tx, appends);
      for (const effect of effects) await effect(tx);
      await this.executions.remove(tx, over);
    });
  }
}
