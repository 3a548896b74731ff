import { randomBytes, randomUUID } from 'node:crypto';
import type { Consumer } from 'kafkajs';
import type { EventData } from '#contracts';
import { catalog, eventName, inboundTopics } from '#contracts/events';
import type { Outgoing } from '#event-store';
import { logMessages, Publisher } from '#messaging/kafka';
import { kafkaBrokers, TestKafka } from './kafka.js';
import { Recorded } from './recorded.js';
import { type RunningService, ServiceProcess } from './service-process.js';
import { withConstants } from './with-constants.js';

/** Agents in their own processes over a real Kafka; the test sends the messages of Curtail. */
export class AgentsOverKafka {
  // biome-ignore lint/suspicious/noExplicitAny: any event of an agent
  readonly sent = new Recorded<{ name: string; data: any }>();
  private readonly agents: RunningService<'agent'>[] = [];

  private constructor(
    private readonly kafka: TestKafka,
    private readonly curtail: Publisher<Outgoing>,
    private readonly reader: Consumer,
  ) {}

  static async open(): Promise<AgentsOverKafka> {
    const kafka = new TestKafka(`test-${randomBytes(4).toString('hex')}.`);
    await kafka.topics.ready();
    const reader = kafka.reader(kafka.connection.groupName('reader'));
    const open = new AgentsOverKafka(kafka, new Publisher(kafka.connection, logMessages), reader);
    await reader.connect();
    const topics = Object.values(inboundTopics).map(kafka.connection.topicName);
    await reader.subscribe({ topics, fromBeginning: true });
    await reader.run({
      eachMessage: async ({ message: { headers, value } }) => {
        const name = eventName(headers?.ce_type?.toString() ?? '') ?? '';
        open.sent.add({ name, data: JSON.parse(value?.toString() ?? '') });
      },
    });
    return open;
  }

  async close(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.kill()));
    await this.reader.disconnect();
    await this.curtail.close();
    await this.kafka.close();
  }

  /** @param settings of the cluster that the agent watches. */
  async start(settings: Record<string, string>): Promise<RunningService<'agent'>> {
    const agent = await ServiceProcess.start('agent', {
      KAFKA_BROKERS: kafkaBrokers().join(','),
      CURTAIL_KAFKA_TOPIC_PREFIX: this.kafka.prefix,
      ...withConstants({ kafkaSessionMilliseconds: 3000 }),
      CURTAIL_MODE: 'enforce',
      ...settings,
    });
    this.agents.push(agent);
    return agent;
  }

  /** Requests the eviction of allocations of an application. */
  async ask(
    allocations: string[],
    of: Pick<EventData<'EvictionRequested'>, 'partition' | 'queue' | 'application'>,
    { attempt = 1, graceSeconds = 30 } = {},
  ): Promise<void> {
    await this.curtail.publish(
      allocations.map((allocation) => {
        const data: EventData<'EvictionRequested'> = {
          ...of,
          ...{ allocation, uid: allocation, evictionId: `kill-${allocation}`, attempt, graceSeconds },
          ...{ deadlineAt: '2100-01-01T00:00:00.000Z', reason: 'The quota was lowered.' },
        };
        const { type, topic } = catalog.EvictionRequested;
        const place = { transactionId: '1', position: '1', traceparent: null, tracestate: null };
        const where = {
          ...{ stream: 's', version: 1, partition: of.partition, key: of.queue, time: new Date() },
        };
        return { ...place, ...where, id: randomUUID(), type, topic, data: JSON.stringify(data) };
      }),
    );
  }

  answers() {
    return this.sent.all.filter(({ name }) => name === 'EvictionAnswered').map(({ data }) => data);
  }

  answered(allocation: string): Promise<unknown> {
    return this.sent.when(() => this.answers().some(({ evictionId }) => evictionId === `kill-${allocation}`));
  }

  listings() {
    return this.sent.all.filter(({ name }) => name === 'InventoryListed').map(({ data }) => data);
  }

  /** Resolves when a whole inventory was reported. */
  listed(partition?: string): Promise<unknown> {
    return this.sent.when(() =>
      this.listings().some((one) => partition === undefined || one.partition === partition),
    );
  }
}
