import type { DomainEvent } from '@curtail/contracts';
import { appendNext, configStream, type Tx } from '@curtail/event-store';
import { configuredFreezes } from '@curtail/freezes';
import { changesOfVersion } from '../history/changes-of-version.js';
import { recordVersion } from '../history/configuration-history.js';
import { noteQuotaChanges, putInForce } from './configuration-store.js';
import type { DecidedConfiguration } from './decide-configuration.js';
import { freezeEvents } from './freeze-events.js';
import type { Sender } from './submission.js';

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
  const first = await appendNext(tx, {
    stream: configStream(partition),
    partition,
    events: [
      { event: applied, at, key: partition },
      ...followed.map((event) => ({ event, at, key: queueOf(event) })),
      ...freezes.map((event) => ({ event, at, key: queueOf(event) || partition })),
    ],
  });
  const version = first + followed.length + freezes.length;
  const changed = followed.map((event, i) => ({ queue: queueOf(event), version: first + 1 + i }));
  await noteQuotaChanges(tx, partition, changed);
  const stored = { ...text, partition, appliedAt: at, version, cluster };
  await putInForce(tx, { ...stored, policies }, before.queues, queues);
  await recordVersion(tx, {
    ...stored,
    previous: before.configuration?.version ?? null,
    ...{ by, via, source, submission, rolledBackTo, onlyQueue },
    ...changesOfVersion(
      partition,
      before.configuration && { ...before.configuration, queues: before.queues },
      after,
    ),
  });
  return version;
}

export const queueOf = (event: DomainEvent): string =>
  'queue' in event.data ? (event.data.queue ?? '') : '';
