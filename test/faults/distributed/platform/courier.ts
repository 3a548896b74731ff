import { setTimeout as delay } from 'node:timers/promises';
import { Kafka, logLevel, type Message, Partitioners, type Producer } from 'kafkajs';
import type { Chance } from '../../../support/chance.js';
import { shuffled } from '../shuffled.js';

export interface Letter {
  topic: string;
  message: Message;
  /** Called when the brokers have it. */
  arrived?: (at: Date) => void;
}

/** The way from a platform to Kafka, on which messages may be lost, held up and mixed. */
export class Courier {
  private readonly producer: Producer;
  private readonly losing = new Set<(letter: Letter) => boolean>();
  private kept: Letter[] | undefined;
  private sent: Promise<unknown> = Promise.resolve();
  /** The last sequence that was given here; undefined: reports keep their own. */
  private numbered: number | undefined;

  constructor(
    brokers: string[],
    private readonly topicPrefix: string,
  ) {
    this.producer = new Kafka({ clientId: 'platform', brokers, logLevel: logLevel.NOTHING }).producer({
      idempotent: true,
      maxInFlightRequests: 1,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
  }

  connect(): Promise<void> {
    return this.producer.connect();
  }

  /** Letters arrive in the order in which they were sent, unless they are kept. */
  send(letter: Letter): Promise<unknown> {
    if ([...this.losing].some((loses) => loses(letter))) return Promise.resolve();
    if (this.kept) {
      this.kept.push(letter);
      return Promise.resolve();
    }
    this.sent = this.sent.then(() => this.bring(letter));
    return this.sent;
  }

  /** Loses letters of a kind while the work lasts. */
  async lose(kind: (letter: Letter) => boolean, work: () => Promise<unknown>): Promise<void> {
    this.losing.add(kind);
    await work().finally(() => this.losing.delete(kind));
  }

  /** Keeps all letters for this time, then brings them in an order of chance, some of them twice. */
  async mix(chance: Chance, ms: number): Promise<void> {
    this.kept = [];
    await delay(ms);
    const kept = this.kept;
    this.kept = undefined;
    const twice = kept.filter(() => chance.hits(0.3));
    await Promise.all(shuffled([...kept, ...twice], chance).map((letter) => this.send(letter)));
  }

  /** Reports get their sequence when they leave from now on, one after the other, whatever they were made with. */
  numberFrom(sequence: number): void {
    this.numbered = sequence;
  }

  async close(): Promise<void> {
    await this.sent.catch(() => {});
    await this.producer.disconnect();
  }

  private async bring({ topic, message, arrived }: Letter): Promise<void> {
    const messages = [this.numbered === undefined ? message : this.renumbered(message)];
    await this.producer.send({ topic: this.topicPrefix + topic, acks: -1, messages });
    arrived?.(new Date());
  }

  private renumbered(message: Message): Message {
    const data = JSON.parse(String(message.value)) as { sequence?: number; lastSequence?: number };
    this.numbered ??= 0;
    if (data.sequence !== undefined) data.sequence = ++this.numbered;
    if (data.lastSequence !== undefined) data.lastSequence = this.numbered;
    // Its time goes with it, or the sender would be found out by that.
    const headers = { ...message.headers, ce_time: new Date().toISOString() };
    return { ...message, headers, value: JSON.stringify(data) };
  }
}
