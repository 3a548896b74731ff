import { setTimeout as delay } from 'node:timers/promises';
import type { ITopicMetadata } from 'kafkajs';
import { counted } from '#contracts';
import { whyNotGrow } from './group-lag.js';
import { answerOf, describeTrouble } from './kafka-trouble.js';
import { kafkajs } from './kafkajs.js';
import { KeptAdmin, partitionsOfTopics, usualPausesMs } from './kept-admin.js';
import type { KafkaConnection } from './open-kafka.js';
import type { TopicPlan } from './topics.js';

const { ConfigResourceTypes, ConfigSource } = kafkajs;

export interface TopicReport {
  created: string[];
  /** The changes made to topics that existed, in words. */
  changed: string[];
  /** The differences that could not be removed, in words. */
  left: string[];
  /** Planned, but missing: not created, or not visible to this user. */
  missing: string[];
}

export interface EnsureOptions {
  /** False: creates and changes nothing, only checks that all exist. Default true. */
  manage?: boolean;
  /** Returns the number of events of the log that are not published yet; absent: none are. */
  unpublished?: () => Promise<number>;
}

/**
 * Creates missing topics, and adjusts the others to the plan: more partitions, never fewer, and only while nothing is
 * unread or unpublished; retention, the maximum message size and, where it matters, compression; all other settings
 * stay. Any number of processes may do it at once. Topics without rights for this user are left unchanged, and
 * reported; a topic whose settings lose messages is reported with the command that corrects it.
 *
 * @throws Error when the brokers do not answer.
 */
export async function ensureTopics(
  connection: KafkaConnection,
  plans: readonly TopicPlan[],
  { manage = true, unpublished = async () => 0 }: EnsureOptions = {},
): Promise<TopicReport> {
  const planned = plans.map((plan) => ({ ...plan, topic: connection.topicName(plan.topic) }));
  const names = planned.map(({ topic }) => topic);
  const report: TopicReport = { created: [], changed: [], left: [], missing: [] };
  const admin = new KeptAdmin(connection, patientPausesMs);
  try {
    report.missing = await missingOf(admin, names);
    if (!manage) return report;
    const known = planned.filter(({ topic }) => !report.missing.includes(topic));
    const wanted = planned.filter(({ topic }) => report.missing.includes(topic));
    if (wanted.length > 0) await create(admin, wanted, report);
    await bringUpToDate(admin, known, report, unpublished);
    return report;
  } catch (error) {
    throw describeTrouble(error, { doing: 'checking the topics', topics: names });
  } finally {
    await admin.close();
  }
}

/** Topics that this user may not see are missing too. */
async function missingOf(admin: KeptAdmin, names: string[]): Promise<string[]> {
  const there = new Set(await admin.ask((client) => client.listTopics()));
  return names.filter((name) => !there.has(name));
}

/** Ignores that another process creates them at the same time. */
async function create(admin: KeptAdmin, plans: TopicPlan[], report: TopicReport): Promise<void> {
  const names = plans.map(({ topic }) => topic);
  const refused = await askFor(admin, plans);
  report.left.push(...refused.map((topic) => `${topic}: this user may not create it`));
  const coming = names.filter((name) => !refused.includes(name));
  let unseen = coming;
  await seen(async () => {
    unseen = await missingOf(admin, coming);
    return unseen.length === 0;
  });
  report.missing = [...refused, ...unseen];
  report.created = coming.filter((name) => !unseen.includes(name));
  await secureCreated(
    admin,
    plans.filter(({ topic }) => report.created.includes(topic)),
    report,
  );
}

/**
 * The brokers choose the number of replicas (`default.replication.factor`), so it is known only once a topic exists. Where there are three, two
 * acknowledge a message, and the third may be away.
 */
async function secureCreated(admin: KeptAdmin, plans: TopicPlan[], report: TopicReport): Promise<void> {
  if (plans.length === 0) return;
  const copies = copiesOf(await metadataOf(admin, plans));
  const many = plans.filter(({ topic }) => (copies.get(topic) ?? 0) >= 3);
  if (many.length === 0) return;
  const configs = await describe(admin, many).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    return new Map<string, TopicConfig>();
  });
  for (const { topic } of many) {
    const config = configs.get(topic);
    if (!config || Number(config.values.get('min.insync.replicas')) >= 2) continue;
    await orLeave(report, `${topic}: settings`, () =>
      mergeConfig(admin, topic, { 'min.insync.replicas': '2' }, config, report),
    );
  }
}

async function metadataOf(admin: KeptAdmin, plans: readonly TopicPlan[]): Promise<ITopicMetadata[]> {
  const names = plans.map(({ topic }) => topic);
  return admin.askOfListed((client) => partitionsOfTopics(client, names));
}

/** The number of the partition of each topic with the fewest replicas. */
const copiesOf = (topics: readonly ITopicMetadata[]) =>
  new Map(
    topics.map(({ name, partitions }) => [
      name,
      Math.min(...partitions.map(({ replicas }) => replicas.length)),
    ]),
  );

/**
 * A change takes a moment to reach every broker, and a consumer that joins meanwhile keeps the old state until it
 * refreshes its metadata, which may be minutes later.
 */
async function seen(isSeen: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + seenWithinMs;
  while (!(await isSeen()) && performance.now() < until) await delay(50);
}

const seenWithinMs = 10_000;
/** Leaders of many new partitions take longer on a busy machine, and a service cannot start without its topics. */
const patientPausesMs = [...usualPausesMs, ...Array<number>(30).fill(1000)];

/** @returns the topics that this user may not create. */
async function askFor(admin: KeptAdmin, plans: TopicPlan[]): Promise<string[]> {
  try {
    const client = await admin.connected();
    await client.createTopics({
      // The client's own wait fails if a topic is not yet known everywhere.
      waitForLeaders: false,
      topics: plans.map((plan) => ({
        topic: plan.topic,
        numPartitions: plan.partitions,
        replicationFactor: -1,
        // No message is removed because its key occurs again.
        configEntries: Object.entries({ ...configOf(plan), 'cleanup.policy': 'delete' }).map(
          ([name, value]) => ({ name, value }),
        ),
      })),
    });
    return [];
  } catch (error) {
    const each = refusalsOf(error);
    const other = each.find(({ answer }) => !forbidden.test(answer) && answer !== 'TOPIC_ALREADY_EXISTS');
    if (each.length === 0 || other) throw error;
    return each.filter(({ answer }) => forbidden.test(answer)).map(({ topic }) => topic);
  }
}

/** The broker's answer for each topic that it did not create. */
function refusalsOf(error: unknown): { topic: string; answer: string }[] {
  const inner = (error as { errors?: unknown[] }).errors ?? [];
  return inner.map((one) => {
    const { topic, type } = one as { topic?: string; type?: string };
    return { topic: topic ?? '', answer: type ?? '' };
  });
}

const forbidden = /AUTHORIZATION_FAILED/;

function configOf({ retentionMs, maxMessageBytes, compression }: TopicPlan): Record<string, string> {
  return {
    'retention.ms': String(retentionMs),
    'max.message.bytes': String(maxMessageBytes),
    'compression.type': compression,
  };
}

async function bringUpToDate(
  admin: KeptAdmin,
  plans: TopicPlan[],
  report: TopicReport,
  unpublished: () => Promise<number>,
): Promise<void> {
  if (plans.length === 0) return;
  const topics = await metadataOf(admin, plans);
  const copies = copiesOf(topics);
  const configs = await describe(admin, plans).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    report.left.push('the settings of the topics: this user may not read them');
    return new Map<string, TopicConfig>();
  });
  for (const plan of plans) {
    const there = topics.find(({ name }) => name === plan.topic)?.partitions.length ?? 0;
    await orLeave(report, `${plan.topic}: partitions`, () =>
      growPartitions(admin, plan, there, report, unpublished),
    );
    const replicas = copies.get(plan.topic) ?? 0;
    const config = configs.get(plan.topic);
    if (!config) continue;
    report.left.push(...losesMessages(plan.topic, replicas, config));
    await orLeave(report, `${plan.topic}: settings`, () =>
      mergeConfig(admin, plan.topic, configOf(plan), config, report),
    );
  }
}

async function orLeave(report: TopicReport, what: string, change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!isForbidden(error)) throw error;
    report.left.push(`${what}: this user may not change them`);
  }
}

function isForbidden(error: unknown): boolean {
  return forbidden.test(answerOf(error) ?? '');
}

async function growPartitions(
  admin: KeptAdmin,
  { topic, partitions }: TopicPlan,
  there: number,
  report: TopicReport,
  unpublished: () => Promise<number>,
): Promise<void> {
  if (there > partitions) {
    report.left.push(
      `${topic}: has ${there} partitions, ${partitions} are configured; partitions are never removed`,
    );
  }
  if (there === 0 || there >= partitions) return;
  const events = await unpublished();
  const why = await admin.askOfListed((client) => whyNotGrow(client, topic, events));
  if (why !== undefined) {
    report.left.push(
      `${topic}: keeps ${there} of ${partitions} configured partitions, since ${why}: with more partitions, later messages of a key ` +
        'could be read before earlier ones. Submit nothing until curtail_consumer_lag_events and curtail_relay_behind_events are 0, ' +
        'then restart this service',
    );
    return;
  }
  try {
    const client = await admin.connected();
    await client.createPartitions({ topicPartitions: [{ topic, count: partitions }] });
    await seen(async () => (await partitionsOf(admin, topic)) >= partitions);
    report.changed.push(`${topic}: ${counted(partitions, 'partition')}, ${there} before`);
  } catch (error) {
    // Another process was faster.
    if (answerOf(error) !== 'INVALID_PARTITIONS') throw error;
  }
}

/** Settings under which messages may be lost, and the remedy. They may be intended, so they are not changed. */
function losesMessages(topic: string, replicas: number, { values }: TopicConfig): string[] {
  const mend = (setting: string) =>
    `kafka-configs.sh --bootstrap-server BROKER --alter --entity-type topics --entity-name ${topic} --add-config ${setting}`;
  const policy = values.get('cleanup.policy');
  const inSync = Number(values.get('min.insync.replicas') ?? 1);
  return [
    ...(policy === undefined || policy === 'delete'
      ? []
      : [
          `${topic}: cleanup.policy is ${policy}, so older messages of a key are removed; run ${mend('cleanup.policy=delete')}`,
        ]),
    ...(replicas < 3 || inSync >= 2
      ? []
      : [
          `${topic}: min.insync.replicas is ${inSync}, so a message may be acknowledged by one broker alone and lost with it; run ` +
            mend('min.insync.replicas=2'),
        ]),
  ];
}

async function partitionsOf(admin: KeptAdmin, topic: string): Promise<number> {
  const topics = await admin.askOfListed((client) => partitionsOfTopics(client, [topic]));
  return topics[0]?.partitions.length ?? 0;
}

/** The settings in force for a topic, and which of them were set on the topic itself. */
interface TopicConfig {
  values: Map<string, string>;
  own: Map<string, string>;
}

async function describe(admin: KeptAdmin, plans: TopicPlan[]): Promise<Map<string, TopicConfig>> {
  const { resources } = await admin.askOfListed((client) =>
    client.describeConfigs({
      includeSynonyms: false,
      resources: plans.map(({ topic }) => ({ type: ConfigResourceTypes.TOPIC, name: topic })),
    }),
  );
  return new Map(
    resources.map(({ resourceName, configEntries }) => {
      const own = configEntries.filter(({ configSource }) => configSource === ConfigSource.TOPIC_CONFIG);
      const pairs = (entries: typeof configEntries) =>
        new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
      return [resourceName, { values: pairs(configEntries), own: pairs(own) }];
    }),
  );
}

/** The brokers may compress messages of Curtail itself too, in a format that it can read. */
function isGood(name: string, wanted: string, found: string | undefined): boolean {
  if (name !== 'compression.type' || wanted !== 'producer') return found === wanted;
  return found !== undefined && ['producer', 'uncompressed', 'gzip'].includes(found);
}

/** The broker treats a change as the complete settings of a topic, so earlier settings are sent again. */
async function mergeConfig(
  admin: KeptAdmin,
  topic: string,
  settings: Record<string, string>,
  { values, own }: TopicConfig,
  report: TopicReport,
): Promise<void> {
  const wanted = Object.entries(settings).filter(([name, value]) => !isGood(name, value, values.get(name)));
  if (wanted.length === 0) return;
  const merged = new Map([...own, ...wanted]);
  await admin.askOfListed((client) =>
    client.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: ConfigResourceTypes.TOPIC,
          name: topic,
          configEntries: [...merged].map(([name, value]) => ({ name, value })),
        },
      ],
    }),
  );
  report.changed.push(
    ...wanted.map(([name, value]) => `${topic}: ${name} ${value}, ${values.get(name)} before`),
  );
}
