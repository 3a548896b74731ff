import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ListPage, TimerView } from '#contracts/api';
import { READER_DATABASE } from '#runtime';
import { byPartition } from '../waiting/for-someone.js';
import { Waiting } from '../waiting/waiting.js';
import { type QueryOf, timedNext, timedPlace } from './list-query.js';
import {
  clocksByDue,
  clocksOfQueues,
  countClocks,
  firstClocks,
  type TimerRow as Row,
} from './queue-statements.js';

/** The clocks of the quotas of one partition. */
export interface QuotaClocks {
  first: TimerView[];
  due: number;
  suspended: number;
}

@Injectable()
export class Timers {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    private readonly waiting: Waiting,
  ) {}

  /** The clock of a queue's quota; null if none runs. */
  async ofQueue(partition: string, queue: string): Promise<TimerView | null> {
    return (await this.ofQueues(partition, [queue]))[0] ?? null;
  }

  /** The clocks of the quotas of some queues, in the order in which their runs start; those with an unknown start come last. */
  async ofQueues(partition: string, queues: readonly string[]): Promise<TimerView[]> {
    const rows = await clocksOfQueues(this.db, partition, queues);
    return (await this.waiting.ofClocks(rows)).sort(byStart);
  }

  /** Of each partition, the first clocks of quotas by due time, in the order in which their runs start, and how many run and are suspended. */
  async ofQuotas(partitions: readonly string[], limit: number): Promise<Map<string, QuotaClocks>> {
    const [counts, first]: [{ partition: string; due: number; suspended: number }[], Row[]] =
      await Promise.all([countClocks(this.db, partitions), firstClocks(this.db, partitions, limit)]);
    const clocks = byPartition((await this.waiting.ofClocks(first)).sort(byStart), (clock) => clock);
    const none = new Map(partitions.map((partition) => [partition, { due: 0, suspended: 0 }]));
    const counted = new Map(counts.map(({ partition, due, suspended }) => [partition, { due, suspended }]));
    return new Map(
      [...none, ...counted].map(([partition, count]) => [
        partition,
        { first: clocks.get(partition) ?? [], ...count },
      ]),
    );
  }

  /** Running clocks, by due time. */
  async list(query: QueryOf<'timers'>): Promise<ListPage<TimerView>> {
    const place = timedPlace(query.after);
    // A queue has a clock for each policy, and all may be due together.
    const [, kind = null, name = null] = /^([^~]+)~(.+)$/.exec(place?.name ?? '') ?? [];
    const rows = await clocksByDue(
      this.db,
      query.partition,
      query.queue ?? null,
      place?.at ?? null,
      name,
      kind,
      query.limit + 1,
      query.state ?? null,
      query.policy ?? null,
    );
    const items = await this.waiting.ofClocks(rows.slice(0, query.limit));
    const last = rows[items.length - 1];
    return {
      items,
      ...(last && rows.length > items.length
        ? { next: timedNext(last.dueAt, `${last.kind}~${last.queue}`) }
        : {}),
    };
  }
}

/** RFC 3339 in UTC, all with milliseconds: texts in the order of their times. */
const byStart = (a: TimerView, b: TimerView): number => {
  const [first, second] = [a.startsAt ?? '~', b.startsAt ?? '~'];
  return first < second ? -1 : first > second ? 1 : a.queue < b.queue ? -1 : Number(a.queue > b.queue);
};
