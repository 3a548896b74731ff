import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type EventData } from '@curtail/contracts';
import { catalog, eventName, inboundTopics, topics } from '@curtail/contracts/events';
import {
  describeTrouble,
  endsWithin,
  type KafkaConnection,
  leave,
  type Messages,
  Publisher,
  type Right,
  type Sendable,
} from '@curtail/messaging/kafka';
import type { Consumer, KafkaMessage } from 'kafkajs';
import type { AgentTransport, FromCurtail, Message } from './port.js';

export interface KafkaTransportOptions {
  connection: KafkaConnection;
  /** The agents of one cluster have one group, in which one of them hears Curtail. */
  group: string;
  /** Whether a partition is of the cluster that the agent runs beside. */
  isOurs: (partition: string) => boolean;
  /** Who says it, as CloudEvents calls it: `/clusters/ID/agents/node-7` names the cluster, too. */
  source: () => string;
  /** By the clock of this machine: Curtail measures by how much it is off. */
  now: () => Date;
  /** Kafka cannot be heard; it is tried again. */
  onTrouble: (error: Error) => void;
  /** Something that Curtail says cannot be read; it is passed over. */
  onUnreadable: (error: Error) => void;
}

const heardTopics = [topics.evictionRequests, topics.quota];
const restMs = { first: 250, longest: 5000 };
const joinMs = 3000;

/**
 * The rights of an agent on the brokers, and no others (docs/how-to/kafka.md, "Rights").
 *
 * @param names.topic a topic with the prefix of the installation; `names.group` likewise.
 */
export function agentRights(group: string, names: Pick<KafkaConnection, 'topicName' | 'groupName'>): Right[] {
  return [
    ...heardTopics.map(
      (topic): Right => ({ resource: 'topic', name: names.topicName(topic), operation: 'READ' }),
    ),
    { resource: 'group', name: names.groupName(group), operation: 'READ' },
    ...Object.values(inboundTopics).map(
      (topic): Right => ({ resource: 'topic', name: names.topicName(topic), operation: 'WRITE' }),
    ),
  ];
}

type Outgoing = Sendable & { headers: Record<string, string> };

/**
 * Between an agent and the services of Curtail, over Kafka: CloudEvents in binary mode, as docs/reference/asyncapi.json says. Agents of a
 * cluster share a group, so what was said while none of them listened is heard by the next one; what it is too late for is left out
 * by its deadline.
 */
export class KafkaTransport implements AgentTransport {
  private readonly publisher: Publisher<Outgoing>;
  private readonly stopping = new AbortController();
  private listening: Promise<void> | undefined;
  /** One after the other, in the order of the calls. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly options: KafkaTransportOptions) {
    this.publisher = new Publisher(options.connection, agentMessages);
  }

  /** Does not wait for the brokers. */
  async start(heard: FromCurtail): Promise<void> {
    this.listening = this.listen(heard);
  }

  send(messages: Message[]): Promise<void> {
    // Of now, also when it has to wait: it says what was known now.
    const outgoing = messages.map((message) => this.outgoing(message));
    const sent = this.last.then(async () => {
      this.stopping.signal.throwIfAborted();
      await this.publisher.publish(outgoing);
    });
    this.last = sent.catch(() => undefined);
    return sent;
  }

  /** What was sent and not acknowledged yet may be lost. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('the agent has stopped'));
    await Promise.all([this.publisher.close(), this.listening]);
  }

  private outgoing({ event, key }: Message): Outgoing {
    const { type, topic } = catalog[event.name];
    const id = randomUUID();
    const { source, now } = this.options;
    return {
      topic,
      key,
      data: JSON.stringify(event.data),
      headers: {
        ce_specversion: '1.0',
        ce_id: id,
        ce_type: type,
        ce_source: source(),
        ce_time: now().toISOString(),
        ce_subject: key,
        'content-type': 'application/json',
      },
    };
  }

  private async listen(heard: FromCurtail): Promise<void> {
    const { signal } = this.stopping;
    let rest = restMs.first;
    while (!signal.aborted) {
      const began = performance.now();
      try {
        await this.consume(heard);
      } catch (error) {
        if (signal.aborted) return;
        this.options.onTrouble(this.told(error));
        rest =
          performance.now() - began > 10 * restMs.longest ? restMs.first : Math.min(2 * rest, restMs.longest);
        await delay(rest, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** @throws when the client has crashed, or cannot start; resolves when it is to stop. */
  private async consume(heard: FromCurtail): Promise<void> {
    const { connection, group } = this.options;
    const { signal } = this.stopping;
    const consumer = connection.consumer(connection.groupName(group));
    let started: Promise<void> | undefined;
    try {
      const crashed = crashOf(consumer);
      const stopped = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      started = this.run(consumer, heard);
      await Promise.race([started.then(() => stopped), crashed, stopped]);
    } finally {
      // In the group it would keep messages from the next one: what is joining has to have joined before it can leave. A broker that is
      // away keeps nobody; whatever joins later leaves at once.
      await endsWithin(
        started?.catch(() => undefined),
        joinMs,
      );
      await leave(consumer);
      void started?.then(() => consumer.disconnect()).catch(() => undefined);
    }
  }

  private async run(consumer: Consumer, heard: FromCurtail): Promise<void> {
    const { connection } = this.options;
    const { signal } = this.stopping;
    await consumer.connect();
    if (signal.aborted) return;
    await consumer.subscribe({ topics: heardTopics.map(connection.topicName), fromBeginning: true });
    if (signal.aborted) return;
    await consumer.run({
      eachMessage: async ({ message }) => {
        // Not taken, and not committed: the next one hears it.
        signal.throwIfAborted();
        try {
          this.tell(message, heard);
        } catch (error) {
          this.options.onUnreadable(error as Error);
        }
      },
    });
  }

  private tell({ headers, value }: KafkaMessage, heard: FromCurtail): void {
    const header = (name: string) => headers?.[name]?.toString();
    if (!this.options.isOurs(header('ce_partition') ?? '') || header('ce_replayed') === 'true') return;
    const name = eventName(header('ce_type') ?? '');
    const reference = header('ce_dataref');
    if (reference !== undefined) {
      throw new Error(
        `${name} ${header('ce_id')} is too long for its topic, and an agent cannot read it from the log (${reference}): raise max.message.bytes`,
      );
    }
    const data = <N extends keyof typeof catalog>(of: N) =>
      catalog[of].schema.parse(JSON.parse(value?.toString() ?? ''));
    switch (name) {
      case 'EvictionRequested':
        heard.evict(data(name) as Parameters<FromCurtail['evict']>[0]);
        break;
      case 'EvictionAnnounced':
        heard.announce(data(name) as Parameters<FromCurtail['announce']>[0]);
        break;
      case 'ConfigApplied':
        heard.configuration({ kind: 'applied', data: data(name) as EventData<'ConfigApplied'> });
        break;
      case 'ConfigRefused':
        heard.configuration({ kind: 'refused', data: data(name) as EventData<'ConfigRefused'> });
        break;
    }
  }

  private told(error: unknown): Error {
    const { connection, group } = this.options;
    return describeTrouble(error, {
      doing: 'hearing Curtail',
      topics: heardTopics.map(connection.topicName),
      group: connection.groupName(group),
    });
  }
}

const agentMessages: Messages<Outgoing> = {
  of: ({ key, data, headers }) => ({ key, value: data, headers }),
  // An agent keeps nothing that a message could refer to.
  shorter: () => undefined,
};

function crashOf(consumer: Consumer): Promise<never> {
  const crashed = new Promise<never>((_, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload: { error } }) => reject(error));
  });
  // It may crash while it is still being started.
  crashed.catch(() => undefined);
  return crashed;
}
