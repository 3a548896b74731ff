import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { EvictionAnswers, InventoryReports } from '#clusters';
import {
  type DisruptionBudget,
  type DomainEvent,
  type EventData,
  type SnapshotAllocation,
  type SnapshotApplication,
  type SnapshotNode,
} from '#contracts';
import { eventName, inboundTopics } from '#contracts/events';
import type { KnownEvent } from '#event-store';
import type { Consumer } from '#messaging';

/** An event of an outsider, as a bus brings it. */
export function inbound(event: DomainEvent, time: Date): KnownEvent {
  return {
    ...event,
    id: randomUUID(),
    type: '',
    stream: 'outside',
    version: 1,
    topic: inboundTopics.inventory,
    partition: 'partition' in event.data ? String(event.data.partition) : '',
    key: '',
    time,
    transactionId: '0',
    position: '0',
  } as KnownEvent;
}

/** Lets a consumer handle events, as a bus does: its effects in one transaction. */
export async function deliver(
  db: DataSource,
  consumer: Pick<Consumer, 'handle'>,
  events: KnownEvent[],
): Promise<void> {
  const effects = await consumer.handle(events);
  if (!effects) return;
  const afterCommit = await db.transaction((tx) => effects(tx));
  afterCommit?.();
}

type Running = SnapshotAllocation & { uid: string };

/**
 * A scheduler that reports what runs in it, and does what it is asked to. It stands in for a platform service behind the
 * inventory: its reports are handed to the consumers at once. Its clock stands still until a test advances it.
 */
export class ReportingPlatform {
  now = new Date();
  private sequence = 0;
  private readonly running = new Map<string, Running>();
  private readonly leaving: { id: string; uid: string; at: number }[] = [];
  private readonly refusals = new Map<string, number>();
  private readonly answered = new Map<string, EventData<'EvictionAnswered'>>();

  constructor(
    private readonly db: DataSource,
    private readonly partition: string,
    private readonly answers: EvictionAnswers,
    private readonly reports = new InventoryReports(() => this.now),
  ) {}

  /** The allocations that run from now on, and no others. */
  async list(work: {
    nodes: SnapshotNode[];
    applications: SnapshotApplication[];
    allocations: SnapshotAllocation[];
    budgets?: DisruptionBudget[];
  }): Promise<void> {
    this.running.clear();
    this.refusals.clear();
    this.leaving.length = 0;
    const allocations = work.allocations.map((one) => ({ uid: randomUUID(), ...one }));
    for (const allocation of allocations) this.running.set(allocation.id, allocation);
    const { nodes, applications, budgets } = work;
    const page = { page: 1, last: true, nodes, applications, allocations, ...(budgets && { budgets }) };
    await this.report({ name: 'InventoryListed', data: { ...this.next(), ...page } } as DomainEvent);
  }

  async start(allocation: SnapshotAllocation): Promise<void> {
    const incarnation = { uid: randomUUID(), ...allocation };
    this.running.set(allocation.id, incarnation);
    await this.report({ name: 'AllocationStarted', data: { ...this.next(), ...incarnation } });
  }

  async release(id: string): Promise<void> {
    const uid = this.running.get(id)?.uid;
    if (uid === undefined) return;
    this.running.delete(id);
    await this.report({ name: 'AllocationReleased', data: { ...this.next(), id, uid } });
  }

  refuse(id: string, times: number): void {
    this.refusals.set(id, times);
  }

  async pass(seconds: number): Promise<void> {
    this.now = new Date(this.now.getTime() + seconds * 1000);
    for (const { id, uid, at } of this.leaving) {
      if (at <= this.now.getTime() && this.running.get(id)?.uid === uid) await this.release(id);
    }
    await this.report({ name: 'InventoryConfirmed', data: { partition: this.partition } });
  }

  /** Handles a request as a platform service does: checks, carries out, answers; the same request again has the same answer. */
  async answer(request: EventData<'EvictionRequested'>): Promise<void> {
    const attempt = `${request.evictionId}/${request.attempt}`;
    const answer = this.answered.get(attempt) ?? (await this.answerTo(request));
    this.answered.set(attempt, answer);
    const event: DomainEvent = { name: 'EvictionAnswered', data: answer };
    await deliver(this.db, this.answers, [inbound(event, this.now)]);
  }

  private async answerTo(request: EventData<'EvictionRequested'>): Promise<EventData<'EvictionAnswered'>> {
    const { evictionId, attempt, allocation: id, uid, graceSeconds } = request;
    const answer = { evictionId, attempt };
    const remaining = this.running.get(id);
    if (!remaining) return { ...answer, answer: 'gone' };
    if (remaining.uid !== uid) return { ...answer, answer: 'other-incarnation', uid: remaining.uid };
    const refusals = this.refusals.get(id) ?? 0;
    if (refusals > 0) {
      this.refusals.set(id, refusals - 1);
      return { ...answer, answer: 'refused', retryable: true, code: 'budget', message: 'Not now.' };
    }
    if (graceSeconds === 0) await this.release(id);
    else this.leaving.push({ id, uid, at: this.now.getTime() + graceSeconds * 1000 });
    return { ...answer, answer: 'accepted' };
  }

  private next() {
    return { partition: this.partition, sequence: ++this.sequence };
  }

  private report(event: DomainEvent): Promise<void> {
    return deliver(this.db, this.reports, [inbound(event, this.now)]);
  }
}

/** The requests for eviction among events. */
export const requestsAmong = (events: KnownEvent[]): EventData<'EvictionRequested'>[] =>
  events.flatMap((event) => (eventName(event.type) === 'EvictionRequested' ? [event.data] : [])) as never;
