import type { Consumer } from './consumer.js';
import type { ConsumerStatus, EventBus, StoppedConsumer, WaitingConsumer } from './event-bus.js';

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
