import type { DataSource } from 'typeorm';
import { type EventName, type Topic } from '#contracts';
import { topics } from '#contracts/events';
import { append, type KnownEvent, type StreamAppend } from '#event-store';
import type { Consumer, Effects } from '#messaging';
import { Recorded } from './recorded.js';

export const nameOf = (event: { data: unknown }) => (event.data as { by: string }).by;

/** Where recorders write what they handled. */
export async function createRecords(db: DataSource): Promise<void> {
  await db.query('CREATE TABLE records (nr bigint GENERATED ALWAYS AS IDENTITY, consumer text, name text)');
}

/** A consumer of markers (events.ts). Its effect is a row for each event; `committed` has it afterwards. */
export class Recorder implements Consumer {
  readonly topics: readonly Topic[];
  readonly events?: readonly EventName[];
  readonly batchSize: number;
  readonly committed = new Recorded<string>();
  /** The argument of each call of `handle`. */
  readonly batches = new Recorded<string[]>();

  constructor(
    private readonly db: DataSource,
    readonly name: string,
    private readonly options: {
      topics?: readonly Topic[];
      events?: readonly EventName[];
      batchSize?: number;
      /** Runs first; may throw. */
      onHandle?: (names: string[]) => Promise<void> | void;
      /** Appended together with the rows. */
      appends?: StreamAppend[];
      /** Runs after the rows were written, before the commit; may throw. */
      onEffects?: (names: string[]) => Promise<void> | void;
    } = {},
  ) {
    this.topics = options.topics ?? [topics.control];
    if (options.events) this.events = options.events;
    this.batchSize = options.batchSize ?? 50;
  }

  async handle(events: KnownEvent[]): Promise<Effects> {
    const names = events.map(nameOf);
    this.batches.add(names);
    await this.options.onHandle?.(names);
    return async (tx) => {
      const text = 'INSERT INTO records (consumer, name) SELECT $1, unnest($2::text[])';
      await Promise.all([tx.query(text, [this.name, names]), append(tx, this.options.appends ?? [])]);
      await this.options.onEffects?.(names);
      return () => {
        for (const name of names) this.committed.add(name);
      };
    };
  }

  /** The rows really written, in their order. */
  async records(): Promise<string[]> {
    const rows = await this.db.query<{ name: string }[]>(
      'SELECT name FROM records WHERE consumer = $1 ORDER BY nr',
      [this.name],
    );
    return rows.map(({ name }) => name);
  }
}
