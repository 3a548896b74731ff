import { randomUUID } from 'node:crypto';
import type { KafkaMessage } from 'kafkajs';
import { catalog, eventName, topics } from '#contracts/events';
import {
  type KafkaConnection,
  type Messages,
  Publisher,
  type Sendable,
  unreadableWhole,
} from '#messaging/kafka';
import { type SigningKey, signatureHeader, signMessage } from '#platform';
import { AgentError } from './agent-error.js';
import { keepConsuming } from './keep-consuming.js';
import { type EventForAgents, hand, isForAgents } from './messages.js';
import type { AgentTransport, FromCurtail, Message } from './port.js';

export interface KafkaTransportOptions {
  connection: KafkaConnection;
  /** The consumer group of all agents of one cluster; one of them receives each message. */
  group: string;
  /** Whether a partition belongs to the cluster of this agent. */
  isOurs: (partition: string) => boolean;
  /** The CloudEvents source, such as `/clusters/ID/agents/node-7`, which also names the cluster. */
  source: () => string;
  /** Signs what the agent sends; absent: it is not signed. */
  signingKey?: SigningKey | undefined;
  /** By the clock of this machine; Curtail measures its error. */
  now: () => Date;
  /** Called when it cannot consume from Kafka; it retries. */
  onTrouble: (error: Error) => void;
  /** Called for a message of Curtail that cannot be read; it is skipped. */
  onUnreadable: (error: Error) => void;
}

const consumedTopics = [topics.evictionRequests, topics.evictions, topics.quota, topics.control];
/** A record of an eviction that is older is skipped: a cluster keeps events of its own no longer, and the topic is read from its beginning once. */
const recordedWithinMs = 3_600_000;
const isRecord = (name: string) => name === 'VictimEvicted' || name === 'VictimGone';

type Outgoing = Sendable & { headers: Record<string, string> };

/**
 * Connects an agent with the services of Curtail over Kafka: CloudEvents in binary mode (docs/reference/asyncapi.json). Agents of a
 * cluster share a group, so the next one receives messages that were sent while none listened; it skips requests past their deadline.
 */
export class KafkaTransport implements AgentTransport {
  private readonly publisher: Publisher<Outgoing>;
  private readonly stopping = new AbortController();
  private listening: Promise<void> | undefined;
  /** Sends run one after the other, in the order of the calls. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly options: KafkaTransportOptions) {
    this.publisher = new Publisher(options.connection, agentMessages);
  }

  /** Does not wait for the brokers. */
  async start(handlers: FromCurtail): Promise<void> {
    this.listening = this.listen(handlers);
  }

  send(messages: Message[]): Promise<void> {
    // Built now even if it has to wait, so that its time is that of its content.
    const outgoing = messages.map((message) => this.outgoing(message));
    const sent = this.last.then(async () => {
      this.stopping.signal.throwIfAborted();
      await this.publisher.publish(outgoing);
    });
    this.last = sent.catch(() => undefined);
    return sent;
  }

  /** Messages that are not acknowledged yet may be lost. */
  async stop(): Promise<void> {
    this.stopping.abort(new AgentError('stopped', 'the agent has stopped'));
    await Promise.all([this.publisher.close(), this.listening]);
  }

  private outgoing({ event, key }: Message): Outgoing {
    const { type, topic } = catalog[event.name];
    const id = randomUUID();
    const { connection, signingKey, source, now } = this.options;
    const data = JSON.stringify(event.data);
    const headers = { ce_id: id, ce_type: type, ce_source: source(), ce_time: now().toISOString() };
    const signed = { topic: connection.topicName(topic), key, headers, value: data };
    return {
      topic,
      key,
      data,
      headers: {
        ce_specversion: '1.0',
        ...headers,
        ce_subject: key,
        'content-type': 'application/json',
        ...(signingKey && { [signatureHeader]: signMessage(signingKey, signed) }),
      },
    };
  }

  private listen(handlers: FromCurtail): Promise<void> {
    const { connection, group, onTrouble, onUnreadable } = this.options;
    const { signal } = this.stopping;
    const eachMessage = async ({ message }: { message: KafkaMessage }) => {
      // Not handled and not committed: the next agent receives it.
      signal.throwIfAborted();
      try {
        this.dispatch(message, handlers);
      } catch (error) {
        onUnreadable(error as Error);
      }
    };
    return keepConsuming(
      {
        connection,
        group,
        topics: consumedTopics,
        run: { eachMessage },
        doing: 'consuming messages of Curtail',
        onTrouble,
      },
      signal,
    );
  }

  private dispatch(message: KafkaMessage, handlers: FromCurtail): void {
    const unread = unreadableWhole(message);
    if (unread !== undefined) throw new AgentError('message-unreadable', `on a topic of Curtail ${unread}`);
    const { headers, value } = message;
    const header = (name: string) => headers?.[name]?.toString();
    if (!this.options.isOurs(header('ce_partition') ?? '') || header('ce_replayed') === 'true') return;
    const name = eventName(header('ce_type') ?? '');
    if (!isForAgents(name) || (isRecord(name) && !this.isRecent(header('ce_time')))) return;
    const reference = header('ce_dataref');
    if (reference !== undefined) {
      throw new AgentError(
        'message-too-long',
        `${name} ${header('ce_id')} is too long for its topic, and an agent cannot read it from the log (${reference}): raise max.message.bytes`,
      );
    }
    const data = catalog[name].schema.parse(JSON.parse(value?.toString() ?? ''));
    hand({ name, data } as EventForAgents, handlers);
  }

  private isRecent(time: string | undefined): boolean {
    return Date.parse(time ?? '') > this.options.now().getTime() - recordedWithinMs;
  }
}

const agentMessages: Messages<Outgoing> = {
  of: ({ key, data, headers }) => ({ key, value: data, headers }),
  // An agent stores nothing that a shorter message could refer to.
  shorter: () => undefined,
};
