import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SimulatedCluster } from '#clusters';
import { readDecreaseSettings } from '#contracts';
import { openDatabase, type StoredEvent, type Tx } from '#event-store';
import { type Consumer, consumerOf } from '#messaging';
import { Attempts } from '../../../../libs/messaging/src/attempts.js';
import { type BatchWork, handleBatch } from '../../../../libs/messaging/src/batch.js';
import { handledOf, markHandled } from '../../../../libs/messaging/src/inbox.js';
import { createMigratedDatabase } from '../../../../test/support/database.js';
import { recordedSubmissions } from '../../../../test/support/recorded-submissions.js';
import { ReadInThread } from '../reading/read-in-thread.js';
import { SubmitConfiguration } from './submit-configuration.js';
import { SubmitQueue } from './submit-queue.js';
import { TakeSubmissions } from './take-submissions.js';

/** A process that takes submissions, on connections of its own. */
function process(db: DataSource): BatchWork {
  const cluster = new SimulatedCluster(db);
  const reader = new ReadInThread({ previewSeconds: 60 });
  const submissions = new SubmitConfiguration(db, cluster, { policy: readDecreaseSettings({}) }, reader);
  const consumer: Consumer = consumerOf(
    new TakeSubmissions(submissions, new SubmitQueue(db, cluster, submissions, reader), db),
  );
  return {
    db,
    consumer,
    claim: (tx, events) => markHandled(tx, consumer.name, events),
    handled: (events) => handledOf(db.manager, consumer.name, events),
    movedOn: () => {},
    passedOver: async () => {},
    onParked: () => {},
    onError: () => {},
    attempts: new Attempts(db, consumer.name),
    wait: async () => {},
  };
}

const pagesOf = (events: StoredEvent[], size: number): StoredEvent[][] =>
  Array.from({ length: Math.ceil(events.length / size) }, (_, i) => events.slice(i * size, (i + 1) * size));

/** Everything that submissions leave, without times, which differ. */
async function left(db: DataSource) {
  const tables = {
    events: `SELECT stream, version, type, topic, partition, key, data, substring(traceparent, 4, 32) AS trace FROM events`,
    partitions:
      'SELECT partition, digest, format, body, quota_preemption_enabled, policies, version, cluster, attention FROM partitions',
    queues: 'SELECT * FROM queues',
    changes: 'SELECT partition, queue, version FROM quota_changes',
    versions: `SELECT partition, version, previous, sent_by, via, source, submission, only_queue, format, digest,
                      quota_preemption_enabled, cluster, queues_added, queues_removed, queues_changed, changes FROM configurations`,
    texts: 'SELECT partition, digest, body FROM configuration_texts',
    freezes: 'SELECT id, partition, queue, period, set_by, reason, configured FROM freezes',
    feeds: 'SELECT partition, kind, source, messages, submission, sent_at, ignored FROM feeds',
    letters: 'SELECT consumer, event_id, reason, field FROM dead_letters',
    inbox: 'SELECT consumer, event_id FROM inbox',
  };
  const all: Record<string, object[]> = {};
  for (const [name, text] of Object.entries(tables)) {
    const rows = await db.query<object[]>(text);
    // By bytes of all columns: streams in their order.
    all[name] = rows.sort((a, b) =>
      JSON.stringify(Object.values(a)) < JSON.stringify(Object.values(b)) ? -1 : 1,
    );
  }
  return all;
}

async function withDatabases<T>(count: number, work: (...all: DataSource[]) => Promise<T>): Promise<T> {
  const test = await createMigratedDatabase();
  const opened = await Promise.all(Array.from({ length: count }, () => openDatabase(test.url)));
  try {
    return await work(...opened);
  } finally {
    await Promise.all(opened.map((db) => db.destroy()));
    await test.drop();
  }
}

/** The final state after messages have arrived in pages of one size. */
const taken = (events: StoredEvent[], size: number) =>
  withDatabases(1, async (db) => {
    const work = process(db!);
    for (const page of pagesOf(events, size)) await handleBatch(work, page);
    return left(db!);
  });

/** A database whose transactions lose their connection at a statement, counted over all of them. */
function breakingAt(db: DataSource, statement: number): DataSource & { statements: () => number } {
  let count = 0;
  const breaking = (tx: Tx): Tx =>
    new Proxy(tx, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name, target);
        return async (text: string, values?: unknown[]) => {
          const answer = target.query(text, values);
          if (++count !== statement) return answer;
          await answer.catch(() => {});
          await target.query('SELECT pg_terminate_backend(pg_backend_pid())');
        };
      },
    });
  return new Proxy(db, {
    get(target, name) {
      if (name === 'statements') return () => count;
      if (name !== 'transaction') return Reflect.get(target, name, target);
      return (work: (tx: Tx) => Promise<unknown>) => target.transaction((tx) => work(breaking(tx)));
    },
  }) as DataSource & { statements: () => number };
}

describe('submissions that share a transaction', () => {
  it.each([20, 200])('have the effects of single ones: pages of %d', async (size) => {
    const events = recordedSubmissions(120, 7);
    const alone = await taken(events, 1);
    expect(alone.letters).toHaveLength(12);
    expect(alone.events!.length).toBeGreaterThan(150);
    expect(await taken(events, size)).toEqual(alone);
  });

  it('are handled once by two processes that have the same pages', async () => {
    const events = recordedSubmissions(40, 11);
    const both = await withDatabases(2, async (one, other) => {
      const works = [process(one!), process(other!)];
      for (const page of pagesOf(events, 20)) await Promise.all(works.map((work) => handleBatch(work, page)));
      return left(one!);
    });
    expect(both).toEqual(await taken(events, 1));
  });

  it('are redelivered after a crash at any statement, and handled once', async () => {
    const events = recordedSubmissions(17, 3);
    // Partitions without a configuration are taken alone.
    const [first, page] = [events.slice(0, 11), events.slice(11)];
    const alone = await taken(events, 1);
    for (let statement = 1, isOver = false; !isOver; statement++) {
      const { after, statements } = await withDatabases(2, async (one, other) => {
        await handleBatch(process(other!), first);
        const crashing = breakingAt(one!, statement);
        const crash = await handleBatch(process(crashing), page).then(
          () => undefined,
          (error: Error) => error,
        );
        // Another process gets the page again, and after that another one once more, whose offsets were not committed.
        await handleBatch(process(other!), page);
        await handleBatch(process(other!), page);
        expect(crash === undefined).toBe(crashing.statements() < statement);
        return { after: await left(other!), statements: crashing.statements() };
      });
      expect({ statement, ...after }).toEqual({ statement, ...alone });
      isOver = statements < statement;
    }
  });
});
