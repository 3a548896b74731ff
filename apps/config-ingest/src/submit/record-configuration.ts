import { setImmediate as statementsAreSent } from 'node:timers/promises';
import type { DomainEvent } from '#contracts';
import { append, configStream, type NewEvent, streamVersion, type Tx } from '#event-store';
import { type ConfiguredFreeze, configuredFreezes, putConfiguredFreezes } from '#holds';
import { changesOfVersion } from '../history/changes-of-version.js';
import { recordVersion } from '../history/configuration-history.js';
import { noteQuotaChanges, putInForce } from './configuration-store.js';
import type { DecidedConfiguration } from './decide-configuration.js';
import type { Sender } from './submission.js';

/** Events that one statement appends: the server writes them while this process prepares the next. The first piece is small, so that the server starts early. */
const eventsAtOnce = { first: 500, others: 2000 };

/** A configuration that is being recorded. */
export interface Recording {
  /** The version of the configuration in force: of its last event. */
  version: number;
  /** Resolves when the server has written everything; the caller need not wait before. */
  written: Promise<unknown>;
}

/**
 * Records a decided configuration in the transaction that decided on it: the events, and the tables that follow from them. The
 * lock of the partition's configurations is held since before the decision (`lockConfiguration`), so the stream is where it was.
 *
 * @returns when all statements are sent.
 */
export async function recordConfiguration(
  tx: Tx,
  partition: string,
  { before, after, applied, followed, attention }: DecidedConfiguration,
  { by, via = 'http', source, submission, rolledBackTo, onlyQueue, cluster }: Sender,
  at: Date,
): Promise<Recording> {
  const { queues, policies, clusterSize: _, ...text } = after;
  const wanted = configuredFreezes(partition, queues);
  const freezes = await freezeEvents(tx, partition, wanted, by ?? 'configuration');
  const last = await streamVersion(tx, configStream(partition));
  const changed = followed.map((event, i) => ({ queue: queueOf(event), version: last + 2 + i }));
  const version = last + 1 + followed.length + freezes.length;
  const stored = { ...text, partition, appliedAt: at, version, cluster };
  const events = [
    { event: applied, at, key: partition },
    ...followed.map((event) => ({ event, at, key: queueOf(event) })),
    ...freezes.map((event) => ({ event, at, key: queueOf(event) || partition })),
  ];
  const statements = new Statements();
  await appendInPieces(tx, statements, partition, last, events);
  statements.add(noteQuotaChanges(tx, partition, changed));
  statements.add(putInForce(tx, { ...stored, policies, attention }, before.queues, queues));
  await statementsAreSent();
  statements.add(
    recordVersion(tx, {
      ...stored,
      previous: before.configuration?.version ?? null,
      by,
      via,
      source,
      submission,
      rolledBackTo,
      onlyQueue,
      ...changesOfVersion(
        partition,
        before.configuration && { ...before.configuration, queues: before.queues },
        after,
      ),
    }),
  );
  await statementsAreSent();
  return { version, written: statements.all() };
}

/** Statements that run in the order in which they are sent. */
class Statements {
  private readonly answers: Promise<void>[] = [];

  add(answer: Promise<void>): void {
    // `all` throws the error.
    answer.catch(() => {});
    this.answers.push(answer);
  }

  all(): Promise<unknown> {
    return Promise.all(this.answers);
  }
}

async function appendInPieces(
  tx: Tx,
  statements: Statements,
  partition: string,
  last: number,
  events: NewEvent[],
): Promise<void> {
  const stream = configStream(partition);
  let size = eventsAtOnce.first;
  for (let from = 0; from < events.length; from += size, size = eventsAtOnce.others) {
    const piece = events.slice(from, from + size);
    statements.add(append(tx, [{ stream, partition, expectedVersion: last + from, events: piece }]));
    await statementsAreSent();
  }
}

export const queueOf = (event: DomainEvent): string =>
  'queue' in event.data ? (event.data.queue ?? '') : '';

/** Puts the freezes of a configuration in force. @returns the events of those that were set and cleared by that. */
async function freezeEvents(
  tx: Tx,
  partition: string,
  wanted: readonly ConfiguredFreeze[],
  by: string,
): Promise<DomainEvent[]> {
  const { set, cleared } = await putConfiguredFreezes(tx, partition, wanted, by);
  const events = set.map(({ freeze, queue, window, reason }): DomainEvent => {
    const why = reason === undefined ? {} : { reason };
    return { name: 'FreezeSet', data: { partition, queue, freeze, window, configured: true, by, ...why } };
  });
  if (cleared.length === 0) return events;
  return [...events, { name: 'FreezeCleared', data: { partition, freezes: cleared, configured: true, by } }];
}
