import { setTimeout as delay } from 'node:timers/promises';
import { type Consumer, Kafka, logLevel } from 'kafkajs';
import type { Workload } from '#clusters';
import { type EventData } from '#contracts';
import { catalog, inboundTopics, topics } from '#contracts/events';
import { cloudEvent } from '../../../../examples/platform-service/typescript/cloud-events.js';
import type { Departure } from '../../audit/history.js';
import { Courier, type Letter } from './courier.js';
import { type Allocation, Ledger } from './ledger.js';

const partition = 'default';
/** Of listings too. */
export const keyOfHeartbeats = partition;
const source = '/faults/platform';
const heartbeatMs = 1000;
/** An owner is done with its work after that. */
const graceMs = 200;
const mostOnPage = 1000;

type Report = { type: string; key: string; data: object; sequence: number };

/**
 * A scheduler behind the inventory, over Kafka: it reports its allocations, and evicts on request. The work that really
 * happens stands in its ledger, which Curtail never sees.
 */
export class Platform {
  readonly ledger = new Ledger();
  readonly courier: Courier;
  private readonly consumer: Consumer;
  private readonly answers = new Map<string, object>();
  /** Ended by themselves, and no report of it has arrived. */
  private unreported: { departure: Departure; sequence: number }[] = [];
  private sequence = Date.now() * 1000;
  private heartbeat: NodeJS.Timeout | undefined;

  private constructor(brokers: string[], topicPrefix: string) {
    this.courier = new Courier(brokers, topicPrefix);
    const kafka = new Kafka({ clientId: 'platform', brokers, logLevel: logLevel.NOTHING });
    this.consumer = kafka.consumer({ groupId: `${topicPrefix}platform`, maxWaitTimeInMs: 50 });
  }

  /** Its topics are there by then. */
  static async start(brokers: string[], topicPrefix: string): Promise<Platform> {
    const platform = new Platform(brokers, topicPrefix);
    await platform.courier.connect();
    await platform.consumer.connect();
    await platform.consumer.subscribe({
      topics: [topicPrefix + topics.evictionRequests],
      fromBeginning: true,
    });
    await platform.consumer.run({
      eachMessage: async ({ message }) => {
        if (String(message.headers?.ce_type) !== catalog.EvictionRequested.type) return;
        await platform.receive(JSON.parse(String(message.value)) as EventData<'EvictionRequested'>);
      },
    });
    platform.heartbeat = setInterval(() => void platform.confirm(), heartbeatMs);
    return platform;
  }

  /** More work runs from now on. */
  async run(work: Workload): Promise<void> {
    this.ledger.add(work);
    await this.list();
  }

  /** Everything there is, in pages. */
  async list(): Promise<void> {
    const sequence = ++this.sequence;
    const allocations = this.ledger.allocations();
    const { applications } = this.ledger;
    const pages = Math.max(1, Math.ceil(Math.max(allocations.length, applications.length) / mostOnPage));
    const part = <T>(all: T[], page: number) => all.slice((page - 1) * mostOnPage, page * mostOnPage);
    for (let page = 1; page <= pages; page++) {
      const items = { applications: part(applications, page), allocations: part(allocations, page) };
      const data = { partition, sequence, page, last: page === pages, ...items };
      await this.report({ type: catalog.InventoryListed.type, key: keyOfHeartbeats, data, sequence });
    }
  }

  /** Its reports no longer have the order in which things happened, only that in which they were sent. */
  forgetOrder(): void {
    this.courier.numberFrom(this.sequence);
  }

  /** Some allocations end by themselves, and that is reported. */
  async depart(allocations: Allocation[]): Promise<void> {
    await Promise.all(
      allocations.map((one) => {
        const departure = this.ledger.depart(one);
        this.unreported.push({ departure, sequence: this.sequence + 1 });
        return this.released(one);
      }),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.heartbeat);
    await this.consumer.disconnect();
    await this.courier.close();
  }

  private async receive(request: EventData<'EvictionRequested'>): Promise<void> {
    const { evictionId, attempt, queue, deadlineAt } = request;
    const name = `${evictionId}/${attempt}`;
    if (!this.answers.has(name) && Date.parse(deadlineAt) < Date.now()) return;
    const answer = this.answers.get(name) ?? this.answer(request);
    this.answers.set(name, answer);
    const message = cloudEvent(source, catalog.EvictionAnswered.type, queue, {
      evictionId,
      attempt,
      ...answer,
    });
    await this.courier.send({ topic: inboundTopics.evictionAnswers, message });
  }

  private answer(request: EventData<'EvictionRequested'>): object {
    const result = this.ledger.evict(request);
    if (!('goes' in result) || !result.goes) return result;
    const { goes, answer } = result;
    void delay(graceMs).then(() => {
      this.ledger.release(goes);
      return this.released(goes);
    });
    return { answer };
  }

  private async released({ id, uid, queue }: Allocation): Promise<void> {
    const sequence = ++this.sequence;
    const data = { partition, sequence, id, uid };
    await this.report({ type: catalog.AllocationReleased.type, key: queue, data, sequence });
  }

  /** Reports the position up to which everything was reported, so that losses show. */
  private confirm(): Promise<void> {
    const { sequence } = this;
    const data = { partition, lastSequence: sequence };
    return this.report({ type: catalog.InventoryConfirmed.type, key: keyOfHeartbeats, data, sequence });
  }

  private async report({ type, key, data, sequence }: Report): Promise<void> {
    const isOfOne = type === catalog.AllocationReleased.type;
    await this.courier.send({
      topic: inboundTopics.inventory,
      message: cloudEvent(source, type, key, data),
      arrived: (at) =>
        this.markKnown(at, (unknown) => (isOfOne ? unknown === sequence : unknown <= sequence)),
    });
  }

  /** Curtail could know of it: by its own report, or by a listing or a heartbeat that shows that a report is missing. */
  private markKnown(at: Date, isKnown: (sequence: number) => boolean): void {
    for (const { departure, sequence } of this.unreported) if (isKnown(sequence)) departure.knownAt = at;
    this.unreported = this.unreported.filter(({ sequence }) => !isKnown(sequence));
  }
}

/** Whether a letter reports what has happened to an allocation. */
export const isOfAllocation = ({ message }: Letter): boolean =>
  String(message.headers?.ce_type) === catalog.AllocationReleased.type;
