import { CodedError } from '#contracts';
import type { Outgoing } from '#event-store';
import type { Consumer } from './consumer.js';

export interface ConsumerStatus {
  name: string;
  /** Events that are in the log and not yet handled. */
  lag: number;
  parked: number;
  /** The age of the first event in the log that is not handled; 0: all are. */
  ageSeconds: number;
}

/** A consumer that waits for a process of a newer release, because this one does not know the next event. */
export interface WaitingConsumer {
  consumer: string;
  /** `the log`, or topic and partition as named by the brokers: `curtail.plans/3`. */
  where: string;
  /** CloudEvents type, and version of its schema. */
  type: string;
  schemaVersion: number;
  reason: string;
}

/** A consumer that has not been able to read for a while, so that its events wait. */
export interface StoppedConsumer {
  consumer: string;
  reason: string;
}

/** A message on a topic of the log that the log does not confirm, or one of a sender that may not send it. */
export interface ForgedMessage {
  /** Of the catalog. */
  topic: string;
  /** `curtail.plans/3@1204`: topic as named by the brokers, partition and offset. */
  origin: string;
}

/**
 * Delivers events from the log to consumers, at least once, in order within a key and topic. Every adapter passes
 * `test/contracts/event-bus.ts`.
 */
export interface EventBus {
  /** Before `start`. */
  subscribe(consumer: Consumer): void;
  /** Those of this process. */
  consumers(): Consumer[];
  start(): Promise<void>;
  /** Waits for batches in progress, then stops. */
  stop(): Promise<void>;
  status(): Promise<ConsumerStatus[]>;
  /** Consumers of this process that wait for one of a newer release. */
  waiting(): WaitingConsumer[];
  /** Consumers of this process that have not been able to read for a while. */
  stopped(): StoppedConsumer[];
}

/** Nest token of the port. */
export const EVENT_BUS = Symbol('EventBus');

/** A failure of the bus; `code` names its kind. */
export class BusError extends CodedError {}

/**
 * Republishes recorded events to Kafka unchanged, with the extension attribute `replayed`: for external consumers that
 * lost them. Curtail's own consumers ignore such messages.
 */
export interface Republisher {
  /** @returns when the brokers have all of them. @throws Error with the reason. */
  republish(events: readonly Outgoing[]): Promise<void>;
  /** Closes the connection; the next events open a new one. */
  close(): Promise<void>;
}

/** Nest token of the port; null is provided where there is no Kafka. */
export const REPUBLISHER = Symbol('Republisher');

/**
 * Two buses as one: consumers that need the order of the log use the bus that reads the log, all others the one between
 * processes.
 */
export class ComposedBus implements EventBus {
  constructor(
    private readonly log: EventBus,
    private readonly others: EventBus,
  ) {}

  subscribe(consumer: Consumer): void {
    (consumer.order === 'log' ? this.log : this.others).subscribe(consumer);
  }

  consumers(): Consumer[] {
    return [...this.log.consumers(), ...this.others.consumers()];
  }

  async start(): Promise<void> {
    await Promise.all([this.log.start(), this.others.start()]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.log.stop(), this.others.stop()]);
  }

  waiting(): WaitingConsumer[] {
    return [...this.log.waiting(), ...this.others.waiting()];
  }

  stopped(): StoppedConsumer[] {
    return [...this.log.stopped(), ...this.others.stopped()];
  }

  async status(): Promise<ConsumerStatus[]> {
    return (await Promise.all([this.log.status(), this.others.status()])).flat();
  }
}
