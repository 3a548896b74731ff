import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, ITopicMetadata } from 'kafkajs';
import { answerOf, tellTrouble } from './kafka-trouble.js';
import { kafkajs } from './kafkajs.js';
import type { KafkaConnection } from './open-kafka.js';
import type { TopicPlan } from './topics.js';

const { ConfigResourceTypes, ConfigSource } = kafkajs;

export interface TopicReport {
  created: string[];
  /** What was changed of topics that existed, in words. */
  changed: string[];
  /** What is not as it should be, and could not be changed, in words. */
  left: string[];
  /** Planned, and not there: not made, or not to be seen by this user. */
  missing: string[];
}

/**
 * Makes the topics that are missing, and brings the others to what is planned: more partitions, never fewer; retention,
 * the longest message and, where it matters, compression; all else that somebody has set on them stays. Any number of processes may
 * do it at once. What this user has no right to is left as it is, and told.
 *
 * @param manage false: nothing is made or changed, only looked whether all are there.
 * @throws Error when the brokers do not answer.
 */
export async function ensureTopics(
  connection: KafkaConnection,
  plans: readonly TopicPlan[],
  { manage = true }: { manage?: boolean } = {},
): Promise<TopicReport> {
  const planned = plans.map((plan) => ({ ...plan, topic: connection.topicName(plan.topic) }));
  const names = planned.map(({ topic }) => topic);
  const report: TopicReport = { created: [], changed: [], left: [], missing: [] };
  const admin = connection.admin();
  try {
    await admin.connect();
    report.missing = await missingOf(admin, names);
    if (!manage) return report;
    const known = planned.filter(({ topic }) => !report.missing.includes(topic));
    const wanted = planned.filter(({ topic }) => report.missing.includes(topic));
    if (wanted.length > 0) await create(admin, wanted, report);
    await bringUpToDate(admin, known, report);
    return report;
  } catch (error) {
    throw tellTrouble(error, { doing: 'looking after the topics', topics: names });
  } finally {
    await admin.disconnect().catch(() => {});
  }
}

/** Topics that this user may not see are missing too. */
async function missingOf(admin: Admin, names: string[]): Promise<string[]> {
  const there = new Set(await admin.listTopics());
  return names.filter((name) => !there.has(name));
}

/** Who else makes them at the same time is welcome. */
async function create(admin: Admin, plans: TopicPlan[], report: TopicReport): Promise<void> {
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
}

/**
 * A change takes a moment until every broker tells of it, and a consumer that joins in that moment stays with what it was told
 * until it asks again, which may be minutes later.
 */
async function seen(isSeen: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + seenWithinMs;
  while (!(await isSeen()) && performance.now() < until) await delay(50);
}

const seenWithinMs = 10_000;

/** @returns the topics that this user may not create. */
async function askFor(admin: Admin, plans: TopicPlan[]): Promise<string[]> {
  try {
    await admin.createTopics({
      // The client's own waiting ends with an error when a topic is not yet known everywhere.
      waitForLeaders: false,
      topics: plans.map((plan) => ({
        topic: plan.topic,
        numPartitions: plan.partitions,
        replicationFactor: plan.replication,
        configEntries: Object.entries(configOf(plan)).map(([name, value]) => ({ name, value })),
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

/** What the broker answered for each topic that it did not create. */
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

async function bringUpToDate(admin: Admin, plans: TopicPlan[], report: TopicReport): Promise<void> {
  if (plans.length === 0) return;
  const { topics } = await admin.fetchTopicMetadata({ topics: plans.map(({ topic }) => topic) });
  const configs = await describe(admin, plans).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    report.left.push('the settings of the topics: this user may not read them');
    return new Map<string, TopicConfig>();
  });
  for (const plan of plans) {
    await orLeave(report, `${plan.topic}: partitions`, () => growPartitions(admin, plan, topics, report));
    const config = configs.get(plan.topic);
    if (config)
      await orLeave(report, `${plan.topic}: settings`, () => mergeConfig(admin, plan, config, report));
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
  admin: Admin,
  { topic, partitions }: TopicPlan,
  topics: ITopicMetadata[],
  report: TopicReport,
): Promise<void> {
  const there = topics.find(({ name }) => name === topic)?.partitions.length ?? partitions;
  if (there > partitions) {
    report.left.push(
      `${topic}: has ${there} partitions, ${partitions} are planned; partitions are never taken away`,
    );
  }
  if (there >= partitions) return;
  try {
    await admin.createPartitions({ topicPartitions: [{ topic, count: partitions }] });
    await seen(async () => (await partitionsOf(admin, topic)) >= partitions);
    report.changed.push(`${topic}: ${partitions} partitions, ${there} before`);
  } catch (error) {
    // Somebody else was quicker.
    if (answerOf(error) !== 'INVALID_PARTITIONS') throw error;
  }
}

async function partitionsOf(admin: Admin, topic: string): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  return topics[0]?.partitions.length ?? 0;
}

/** What holds for a topic, and which of it was set on the topic itself. */
interface TopicConfig {
  values: Map<string, string>;
  own: Map<string, string>;
}

async function describe(admin: Admin, plans: TopicPlan[]): Promise<Map<string, TopicConfig>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: plans.map(({ topic }) => ({ type: ConfigResourceTypes.TOPIC, name: topic })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => {
      const own = configEntries.filter(({ configSource }) => configSource === ConfigSource.TOPIC_CONFIG);
      const pairs = (entries: typeof configEntries) =>
        new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
      return [resourceName, { values: pairs(configEntries), own: pairs(own) }];
    }),
  );
}

/** What Curtail itself writes may be packed by the brokers too, in a way that it can read. */
function isGood(name: string, wanted: string, found: string | undefined): boolean {
  if (name !== 'compression.type' || wanted !== 'producer') return found === wanted;
  return found !== undefined && ['producer', 'uncompressed', 'gzip'].includes(found);
}

/** The broker takes a change for the whole of a topic's settings, so what was set before goes with it. */
async function mergeConfig(
  admin: Admin,
  plan: TopicPlan,
  { values, own }: TopicConfig,
  report: TopicReport,
): Promise<void> {
  const wanted = Object.entries(configOf(plan)).filter(
    ([name, value]) => !isGood(name, value, values.get(name)),
  );
  if (wanted.length === 0) return;
  const merged = new Map([...own, ...wanted]);
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: ConfigResourceTypes.TOPIC,
        name: plan.topic,
        configEntries: [...merged].map(([name, value]) => ({ name, value })),
      },
    ],
  });
  report.changed.push(
    ...wanted.map(([name, value]) => `${plan.topic}: ${name} ${value}, ${values.get(name)} before`),
  );
}
