import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { InventoryReports, type ReportsWatermark } from '#clusters';
import type { Clock } from '#event-store';
import { type LineSender, type Republisher, subscriptionsOf } from '#messaging';
import type { KafkaOptions, Publisher } from '#messaging/kafka';
import { RepeatedWarning, type Shutdown } from '#platform';
import { BullmqWakeUpQueue, type RedisOptions, type WakeUpQueue } from '#timers';
import type { ClusterSettings } from './settings/cluster-settings.js';

/** Publishes recorded events to Kafka again; it connects on its first use. Undefined if there are no brokers. */
export function openRepublisher(
  kafka: KafkaOptions | undefined,
  shutdown: Shutdown,
): Republisher | undefined {
  if (!kafka) return undefined;
  let opened: Promise<Publisher> | undefined;
  const republisher: Republisher = {
    republish: async (events) => {
      opened ??= import('./kafka.js').then(
        ({ logMessages, Publisher, openKafka }) =>
          new Publisher(openKafka({ ...kafka, clientId: `${kafka.clientId}-republish` }), logMessages),
      );
      await (await opened).publish(events, { replayed: true });
    },
    close: async () => {
      const publisher = await opened;
      opened = undefined;
      await publisher?.close();
    },
  };
  shutdown.register('pools', 'the republisher', () => republisher.close());
  return republisher;
}

/** Undefined if there are no brokers. */
export function openLineSender(kafka: KafkaOptions | undefined): LineSender | undefined {
  if (!kafka) return undefined;
  return async (topic, line) => {
    const { sendLine } = await import('./kafka.js');
    await sendLine({ ...kafka, clientId: `${kafka.clientId}-lines` }, topic, line);
  };
}

/**
 * Checks for readers of an inventory whether the reports of schedulers are applied. Undefined if no reports arrive over
 * Kafka. It connects on its first use.
 */
export async function openWatermark(
  kafka: KafkaOptions | undefined,
  { cluster }: ClusterSettings,
  { database, shutdown }: { database: DataSource; shutdown: Shutdown },
): Promise<ReportsWatermark | undefined> {
  if (!kafka || cluster !== 'inventory') return undefined;
  const { TopicWatermark, openKafka } = await import('./kafka.js');
  const [reader] = subscriptionsOf(InventoryReports);
  const connection = openKafka({ ...kafka, clientId: `${kafka.clientId}-watermark` });
  const topics = connection
    .topicNames(reader!.topics[0]!)
    .map((name) => name.slice(connection.prefix.length));
  const watermarks = topics.map(
    (topic) => new TopicWatermark({ connection, database, topic, consumer: reader!.name }),
  );
  shutdown.register('pools', 'the watermark of reports', async () => {
    await Promise.all(watermarks.map((watermark) => watermark.close()));
  });
  return watermarks.length === 1 ? watermarks[0] : ofSeveral(watermarks);
}

/** Several topics as one: their partitions are numbered in turn. */
function ofSeveral(watermarks: readonly ReportsWatermark[]): ReportsWatermark {
  const size = watermarks.length;
  return {
    unread: async (waitMs) => {
      const all = await Promise.all(watermarks.map((watermark) => watermark.unread(waitMs)));
      const gaps = all.flatMap(({ gapAt }) => gapAt ?? []);
      return {
        behind: all.flatMap(({ behind }, index) =>
          behind.map(({ partition, messages }) => ({ partition: partition * size + index, messages })),
        ),
        missing: all.flatMap(({ missing }, index) => missing.map((partition) => partition * size + index)),
        gapAt: gaps.length === 0 ? null : new Date(Math.max(...gaps.map(Number))),
      };
    },
    placeOf: (partition) => watermarks[partition % size]!.placeOf(Math.floor(partition / size)),
  };
}

const name = 'curtail-timers';

/**
 * The wake-up queue of the process; it ends with `shutdown`. The start does not wait for Redis: wake-ups arrive once it
 * is reachable.
 */
export async function openWakeUpQueue(
  { databaseUrl, redis, clock }: { databaseUrl: string; redis: RedisOptions | undefined; clock: Clock },
  { log, shutdown }: { log: Logger; shutdown: Shutdown },
): Promise<WakeUpQueue> {
  const trouble = new RepeatedWarning(
    log,
    'The queue of wake-ups reported an error; the sweep will find due timers.',
  );
  const onError = (error: Error) => trouble.warn(error);
  const now = () => clock.now().getTime();
  const wakeUpQueue = redis
    ? BullmqWakeUpQueue.openOnRedis({
        name,
        redis,
        now,
        onError,
        onWarning: (warning) => log.warn({ wakeUpQueue: name }, warning),
      })
    : await BullmqWakeUpQueue.openOnPostgres({ name, databaseUrl, now, onError });
  shutdown.register('workers', 'the wake-up queue', () => wakeUpQueue.close());
  return wakeUpQueue;
}
