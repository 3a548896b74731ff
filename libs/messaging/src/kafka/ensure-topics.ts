import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type Admin, type ITopicMetadata } from 'kafkajs';
import { answerOf, tellTrouble } from './kafka-trouble.js';
import type { KafkaConnection } from './open-kafka.js';
import type { TopicPlan } from './topics.js';

const { ConfigResourceTypes, ConfigSource } = kafkajs;

export interface TopicReport {
  created: string[];
  /** What was changed of topics that existed, in words. */
  changed: string[];
  /** What is not as it should be, and could not be changed. */
  left: string[];
}

/**
 * Makes the topics that are missing, and brings the others to what is planned: more partitions, never fewer; retention and
 * the longest message; all else that somebody has set on them stays. Any number of processes may do it at once.
 *
 * @param manage false: nothing is made or changed, only looked whether all are there.
 * @throws Error that names the topics that are missing and cannot be made.
 */
export async function ensureTopics(
  connection: KafkaConnection,
  plans: readonly TopicPlan[],
  { manage = true }: { manage?: boolean } = {},
): Promise<TopicReport> {
  const names = plans.map(({ topic }) => connection.topicName(topic));
  const planned = plans.map((plan) => ({ ...plan, topic: connection.topicName(plan.topic) }));
  const report: TopicReport = { created: [], changed: [], left: [] };
  const admin = connection.admin();
  try {
    await admin.connect();
    const missing = await missingOf(admin, names);
    if (manage && missing.size > 0) {
      await create(
        admin,
        planned.filter(({ topic }) => missing.has(topic)),
      );
      report.created = [...missing];
      await untilSeen(admin, names, missing);
    }
    if (missing.size > 0) {
      throw new Error(
        `there is no topic ${[...missing].join(', ')}${manage ? '' : ', and Curtail is told not to create topics'}`,
      );
    }
    if (manage)
      await bringUpToDate(
        admin,
        planned.filter(({ topic }) => !report.created.includes(topic)),
        report,
      );
    return report;
  } catch (error) {
    throw tellTrouble(error, { doing: 'looking after the topics', topics: names });
  } finally {
    await admin.disconnect().catch(() => {});
  }
}

/** Topics that this user may not see are missing too. */
async function missingOf(admin: Admin, names: string[]): Promise<Set<string>> {
  const there = new Set(await admin.listTopics());
  return new Set(names.filter((name) => !there.has(name)));
}

/** Who else makes them at the same time is welcome. */
async function create(admin: Admin, plans: TopicPlan[]): Promise<void> {
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
}

/** What is made takes a moment until every broker tells of it; `missing` is left with what none tells of. */
async function untilSeen(admin: Admin, names: string[], missing: Set<string>): Promise<void> {
  const until = performance.now() + seenWithinMs;
  for (;;) {
    const unseen = await missingOf(admin, names);
    for (const name of missing) if (!unseen.has(name)) missing.delete(name);
    if (missing.size === 0 || performance.now() > until) return;
    await delay(50);
  }
}

const seenWithinMs = 10_000;

function configOf({ retentionMs, maxMessageBytes }: TopicPlan): Record<string, string> {
  return { 'retention.ms': String(retentionMs), 'max.message.bytes': String(maxMessageBytes) };
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
  return /AUTHORIZATION_FAILED/.test(answerOf(error) ?? '');
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
    report.changed.push(`${topic}: ${partitions} partitions, ${there} before`);
  } catch (error) {
    // Somebody else was quicker.
    if (answerOf(error) !== 'INVALID_PARTITIONS') throw error;
  }
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

/** The broker takes a change for the whole of a topic's settings, so what was set before goes with it. */
async function mergeConfig(
  admin: Admin,
  plan: TopicPlan,
  { values, own }: TopicConfig,
  report: TopicReport,
): Promise<void> {
  const wanted = Object.entries(configOf(plan)).filter(([name, value]) => values.get(name) !== value);
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
