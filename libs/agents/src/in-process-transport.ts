import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { catalog, topics } from '#contracts/events';
import { Batcher, beginning, type KnownEvent } from '#event-store';
import type { Consumer, Effects } from '#messaging';
import { type EventForAgents, eventsForAgents, hand, isForAgents } from './messages.js';
import type { AgentTransport, FromCurtail, Message } from './port.js';

/** Consumers of an agent's messages in the services of the same process. */
export interface Takers {
  inventory: Taker;
  answers: Taker;
  submissions: Taker;
  owners: Taker;
}
type Taker = Pick<Consumer, 'batchSize' | 'handle'>;

/**
 * Connects an agent with the services of the same process: messages of the agent are handled at once, in a transaction, and events for
 * the agent come from the log.
 */
export class InProcessTransport implements AgentTransport, Consumer {
  readonly name = 'agent';
  readonly topics = [topics.evictionRequests, topics.evictions, topics.quota, topics.control];
  readonly events = eventsForAgents;
  private handlers: FromCurtail | undefined;
  /** In the order of the calls. Messages sent meanwhile are handled next, with one transaction for each consumer and batch. */
  private readonly taking = new Batcher(async (sent: Message[][]) => {
    await this.take(sent.flat());
    return sent.map(() => undefined);
  });
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly db: DataSource,
    private readonly takers: Takers,
    private readonly now: () => Date,
    /** The CloudEvents source of its messages. */
    private readonly source: () => string,
  ) {}

  async start(handlers: FromCurtail): Promise<void> {
    this.handlers = handlers;
  }

  async send(messages: Message[]): Promise<void> {
    const taken = this.taking.ask(messages);
    this.last = taken.catch(() => undefined);
    await taken;
  }

  async stop(): Promise<void> {
    this.handlers = undefined;
    await this.last;
  }

  /** Handles Curtail's events. An eviction begins when its place in the log is stored; Curtail repeats one that a crash loses. */
  async handle(events: KnownEvent[]): Promise<Effects> {
    return async () => () => {
      for (const event of events)
        if (this.handlers && isForAgents(event.name)) hand(event as EventForAgents, this.handlers);
    };
  }

  private async take(messages: Message[]): Promise<void> {
    for (const [taker, events] of this.sorted(messages)) {
      const batchSize = taker.batchSize ?? events.length;
      for (let from = 0; from < events.length; from += batchSize) {
        const effects = await taker.handle(events.slice(from, from + batchSize));
        if (!effects) continue;
        const afterCommit = await this.db.transaction(effects);
        afterCommit?.();
      }
    }
  }

  private sorted(messages: Message[]): Map<Taker, KnownEvent[]> {
    const byTaker = new Map<Taker, KnownEvent[]>();
    const time = this.now();
    const source = this.source();
    for (const { event, key } of messages) {
      const taker = this.takerOf(event.name);
      const known = {
        ...beginning,
        ...event,
        stream: '',
        version: 0,
        id: randomUUID(),
        type: catalog[event.name].type,
        topic: catalog[event.name].topic,
        partition: '',
        key,
        time,
        source,
      } as KnownEvent;
      byTaker.set(taker, [...(byTaker.get(taker) ?? []), known]);
    }
    return byTaker;
  }

  private takerOf(name: KnownEvent['name']): Taker {
    if (name === 'ConfigSubmitted') return this.takers.submissions;
    if (name === 'OwnerAnswerSent') return this.takers.owners;
    return name === 'EvictionAnswered' ? this.takers.answers : this.takers.inventory;
  }
}
