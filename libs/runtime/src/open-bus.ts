import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { partitionsOfEvictions } from '#clusters';
import { inboundTopics } from '#contracts/events';
import type { WakeListener } from '#event-store';
import {
  BusError,
  ComposedBus,
  type EventBus,
  type ForgedMessage,
  InProcessBus,
  type WaitingConsumer,
} from '#messaging';
import type { KafkaOptions } from '#messaging/kafka';
import {
  type CheckSenders,
  FileInForce,
  LimitedErrors,
  type Metrics,
  RepeatedWarning,
  readPolicy,
  SenderCheck,
  type Shutdown,
} from '#platform';
import { Sampler } from './samples.js';
import type { RuntimeSettings } from './servers.js';
import { requestedTopics } from './settings/kafka-settings.js';

export interface BusContext {
  database: DataSource;
  wake: WakeListener;
  log: Logger;
  metrics: () => Metrics | undefined;
  shutdown: Shutdown;
}

/** The interval at which the number of unpublished events is measured. */
const gapEveryMs = 15_000;
/** The share of the time for an orderly end that batches in progress may take; the rest is for everything else. */
const drainShare = 0.6;

/**
 * The bus of the process and its parts; they end with `shutdown`. Nothing here waits for Kafka: consumers and the relay
 * begin when it is reachable.
 */
export async function openBus(
  kafka: KafkaOptions | undefined,
  settings: RuntimeSettings,
  context: BusContext,
): Promise<EventBus> {
  const { database, wake, log, metrics, shutdown } = context;
  const consumerWaits = new RepeatedWarning(log, 'A consumer could not handle events; retrying.');
  const parked = new LimitedErrors(log);
  const forgeries = new LimitedErrors(log);
  const listeners = {
    onParked: (consumer: string, eventId: string, reason: string, forged?: ForgedMessage) => {
      metrics()?.consumers.deadLetterParked(consumer);
      if (forged) {
        metrics()?.consumers.messageForged(consumer, forged.topic);
        forgeries.error(
          { consumer, topic: forged.topic, origin: forged.origin },
          `Refused a forged message, which had no effect: ${reason}. ${mayWrite(forged.topic)}: find out who wrote it.`,
        );
        return;
      }
      parked.error(
        { consumer, eventId },
        `An event could not be handled and is now a dead letter: ${reason}`,
      );
    },
    onError: (consumer: string, error: Error) => consumerWaits.warn(error, { consumer }),
    onWait: ({ reason, ...waiting }: WaitingConsumer) =>
      log.warn(
        waiting,
        `Events need a newer release: ${reason}. Upgrade this service; nothing is lost, and later events wait too.`,
      ),
  };
  const fromLog = new InProcessBus({ database, wake, ...listeners });
  const bus = kafka
    ? new ComposedBus(fromLog, await openKafkaBus(kafka, settings, context, listeners))
    : fromLog;
  shutdown.register('consumers', 'the consumers', () => bus.stop());
  return bus;
}

const mayWrite = (topic: string): string =>
  (Object.values(inboundTopics) as string[]).includes(topic)
    ? `Only senders of the policy file may write to ${topic}`
    : `Only Curtail may write to ${topic}`;

/** Checks who sends messages by the policy file, which may change meanwhile; undefined: there is none. */
function senderCheck(
  { policyFile, kafkaTopicPrefix, kafkaRetentionHours }: RuntimeSettings,
  { database, shutdown, log }: BusContext,
): CheckSenders | undefined {
  if (policyFile === undefined) return undefined;
  const file = FileInForce.open('CURTAIL_POLICY_FILE', policyFile, readPolicy);
  // A change is on record already, by whoever checks requests.
  const ends = file.follow(log.child({}, { level: 'silent' }));
  shutdown.register('consumers', 'the policy of senders', async () => ends());
  const check = new SenderCheck({
    senders: () => file.value.senders,
    prefix: kafkaTopicPrefix,
    // Marks of handled messages are kept for a day more, at least.
    validMs: kafkaRetentionHours * 3_600_000,
    partitionsOf: (ids) => partitionsOfEvictions(database, ids),
  });
  return (messages) => check.check(messages);
}

async function openKafkaBus(
  kafka: KafkaOptions,
  settings: RuntimeSettings,
  context: BusContext,
  listeners: {
    onParked: (consumer: string, eventId: string, reason: string, forged?: ForgedMessage) => void;
    onError: (consumer: string, error: Error) => void;
    onWait: (waiting: WaitingConsumer) => void;
  },
): Promise<EventBus> {
  const { database, wake, log, metrics, shutdown } = context;
  // Loaded only where it is needed.
  const { countUnpublished, destinationOf, KafkaBus, OutboxRelay, openKafka, planTopics, TopicKeeper } =
    await import('./kafka.js');
  const clientWarnings = new RepeatedWarning(log, 'The Kafka client reported an error; it continues.');
  const relayTrouble = new RepeatedWarning(log, 'The relay cannot publish events; they wait in the log.');
  const consumerGone = new RepeatedWarning(log, 'A consumer lost its group; rejoining.');
  const commitRefused = new RepeatedWarning(
    log,
    'Kafka rejected an offset commit; redeliveries will be deduplicated.',
  );
  const connection = openKafka({
    ...kafka,
    onClientLog: (_level, message) => clientWarnings.warn(new BusError('kafka-client', message)),
  });
  const topics = new TopicKeeper(connection, {
    topics: planTopics({ ...requestedTopics(settings), senderTopics: kafka.senderTopics ?? [] }),
    manage: settings.kafkaManageTopics,
    unpublished: async () => countUnpublished(database, await destinationOf(connection)),
    onReport: (report) => logTopics(log, report),
  });
  const relay = new OutboxRelay({
    connection,
    database,
    wake,
    topics,
    onError: (error) => relayTrouble.warn(error),
    onLead: (leads) => {
      metrics()?.relay.isLeading(leads);
      log.info(
        { leads },
        leads ? 'The relay of this process publishes now.' : 'The relay of this process is on standby.',
      );
    },
    onPublished: (events) => metrics()?.relay.hasPublished(events),
  });
  relay.start();
  measureGap(relay, context);
  // Registered before the bus, so it ends after it: events that consumers still append are published.
  shutdown.register('consumers', 'the relay', () => relay.stop());
  return new KafkaBus({
    connection,
    database,
    topics,
    checkSenders: senderCheck(settings, context),
    drainMs: settings.shutdownSeconds * 1000 * drainShare,
    ...listeners,
    onCrash: (consumer, error) => {
      metrics()?.consumers.crashed(consumer);
      consumerGone.warn(error, { consumer });
    },
    onFilled: (consumer, { topic, events, message }) => {
      metrics()?.consumers.gapFilled(consumer, events);
      log.warn(
        { consumer, topic, events },
        `Kafka lost events, and ${consumer} read them from the log: ${message}`,
      );
    },
    onRefusedCommit: (consumer, error) => {
      metrics()?.consumers.commitRefused(consumer);
      commitRefused.warn(error, { consumer });
    },
  });
}

function logTopics(
  log: Logger,
  { created, changed, left }: Record<'created' | 'changed' | 'left', readonly string[]>,
): void {
  if (created.length > 0) log.info({ topics: created }, `Created topics: ${created.join(', ')}.`);
  if (changed.length > 0) log.info({ topics: changed }, `Changed topics: ${changed.join('; ')}.`);
  for (const what of left) log.warn({ left: what }, `Left a topic unchanged: ${what}.`);
}

/** Keeps the gauge of unpublished events up to date until the shutdown. */
function measureGap(
  relay: { status(): Promise<{ behind?: number | undefined }> },
  { log, metrics, shutdown }: BusContext,
): void {
  const gap = new Sampler(
    gapEveryMs,
    async () => {
      const { behind } = await relay.status();
      if (behind !== undefined) metrics()?.relay.isBehind(behind);
    },
    new RepeatedWarning(log, 'Could not measure the lag of the relay; the gauge keeps its last value.'),
  );
  gap.start();
  shutdown.register('workers', 'the gauge of the relay', () => gap.stop());
}
