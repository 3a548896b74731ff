import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { BrokenInvariant, type Topic } from '#contracts';
import type { KnownEvent } from '#event-store';
import type { Consumer, Effects } from '../consumer.js';
import type { EventBus } from '../event-bus.js';

/** The transport id for handlers: `@EventPattern(topics.plans, EVENT_BUS_TRANSPORT, { consumer: 'audit' })`. */
export const EVENT_BUS_TRANSPORT = Symbol('EventBus');

/** The options of a handler, in the last argument of `@EventPattern`. */
export type HandlerExtras = Pick<Consumer, 'name'> &
  Partial<Pick<Consumer, 'batchSize' | 'patienceMs' | 'events'>>;

/**
 * The bus as a transport of Nest, for `app.connectMicroservice({ strategy })`: it starts and stops with the
 * application. A method with `@EventPattern(topic, EVENT_BUS_TRANSPORT, { name })` is a consumer of that topic: it
 * receives batches of events and returns effects, as `Consumer.handle` does. Everything else is done by the bus.
 */
export class EventBusTransport extends Server implements CustomTransportStrategy {
  override readonly transportId = EVENT_BUS_TRANSPORT;

  constructor(private readonly bus: EventBus) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    try {
      for (const [topic, handler] of this.messageHandlers)
        this.bus.subscribe(this.consumerOf(topic, handler));
    } catch (error) {
      callback(error);
      return;
    }
    this.bus.start().then(() => callback(), callback);
  }

  async close(): Promise<void> {
    await this.bus.stop();
  }

  on(): never {
    throw new BrokenInvariant('the bus has no events of its own to listen to');
  }

  unwrap<T>(): T {
    return this.bus as T;
  }

  private consumerOf(topic: string, handler: MessageHandler): Consumer {
    const { name, ...more } = handler.extras as HandlerExtras;
    return {
      name,
      ...more,
      topics: [topic as Topic],
      handle: async (events: KnownEvent[]) =>
        (await lastValueFrom(this.transformToObservable(await handler(events)), {
          defaultValue: undefined,
        })) as Effects | undefined,
    };
  }
}
