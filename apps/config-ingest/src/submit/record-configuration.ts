import { setImmediate as statementsAreSent } from 'node:timers/promises';
import type { DomainEvent } from '@curtail/contracts';
import { append, configStream, type NewEvent, streamVersion, type Tx } from '@curtail/event-store';
import { configuredFreezes } from '@curtail/freezes';
import { changesOfVersion } from '../history/changes-of-version.js';
import { recordVersion } from '../history/configuration-history.js';
import { noteQuotaChanges, putInForce } from './configuration-store.js';
import type { DecidedConfiguration } from './decide-configuration.js';
import { freezeEvents } from './freeze-events.js';
import type { Sender } from './submission.js';

/** Events that one statement appends: the server writes them while this process prepares the next. */
const eventsAtOnce = 2000;

/**
 * Records a decided configuration in the transaction that decided on it: the events, and the tables that follow from them. The
 * lock of the partition's configurations is held since before the decision (`lockConfiguration`), so the stream is where it was.
 *
 * @returns the version of the configuration in force: of its last event.
 */
export async function recordConfiguration(
  tx: Tx,
  partition: string,
  { before, after, applied, followed }: DecidedConfiguration,
  { by, via = 'http', source, submission, rolledBackTo, onlyQueue, cluster }: Sender,
  at: Date,
): Promise<number> {
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
  const written = await appendInPieces(tx, partition, last, events);
  written.push(
    noteQuotaChanges(tx, partition, changed),
    putInForce(tx, { ...stored, policies }, before.queues, queues),
    recordVersion(tx, {
      ...stored,
      previous: before.configuration?.version ?? null,
      ...{ by, via, source, submission, rolledBackTo, onlyQueue },
      ...changesOfVersion(
        partition,
        before.configuration && { ...before.configuration, queues: before.queues },
        after,
      ),
    }),
  );
  await Promise.all(written);
  return version;
}

/** Sends the statements, which run in this order. @returns their answers, so that the server writes while this process continues. */
async function appendInPieces(
  tx: Tx,
  partition: string,
  last: number,
  events: NewEvent[],
): Promise<Promise<void>[]> {
  const stream = configStream(partition);
  const written: Promise<void>[] = [];
  for (let from = 0; from < events.length; from += eventsAtOnce) {
    const piece = events.slice(from, from + eventsAtOnce);
    const appended = append(tx, [{ stream, partition, expectedVersion: last + from, events: piece }]);
    // The caller gets the error when it waits for all.
    appended.catch(() => {});
    written.push(appended);
    await statementsAreSent();
  }
  return written;
}

export const queueOf = (event: DomainEvent): string =>
  'queue' in event.data ? (event.data.queue ?? '') : '';
