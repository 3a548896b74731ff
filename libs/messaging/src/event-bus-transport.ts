import { Catch, type INestApplication, type RpcExceptionFilter } from '@nestjs/common';
import {
  type CustomTransportStrategy,
  type MessageHandler,
  type NestMicroservice,
  Server,
} from '@nestjs/microservices';
import { lastValueFrom, type Observable, throwError } from 'rxjs';
import { BrokenInvariant, type Topic } from '#contracts';
import { inboundTopics, topics } from '#contracts/events';
import type { Consumer } from './consumer.js';
import type { EventBus } from './event-bus.js';
import { type ConsumerOptions, EVENT_BUS_TRANSPORT, type GivenUp, methodOf } from './event-handlers.js';

const inbound: ReadonlySet<string> = new Set(Object.values(inboundTopics));
const known: ReadonlySet<string> = new Set([...Object.values(topics), ...inbound]);

/** One pattern of one handler, as Nest registers it. */
interface Registered {
  pattern: string;
  options: Partial<ConsumerOptions>;
  callback: MessageHandler;
}

/**
 * The bus as a transport of Nest: event handlers (event-handlers.ts) are its consumers, and it starts and stops with the application.
 * Everything else is done by the bus.
 *
 * @param hearsPlatform messages of platform services arrive; otherwise, handlers of their topics alone get none, and are left out.
 */
export class EventBusTransport extends Server implements CustomTransportStrategy {
  override readonly transportId = EVENT_BUS_TRANSPORT;
  override readonly propagatesEventHandlerErrors = true;
  private readonly registered: Registered[] = [];

  constructor(
    private readonly bus: EventBus,
    private readonly hearsPlatform = true,
  ) {
    super();
  }

  /**
   * Nest would chain handlers of one pattern, and call the first one for all of them. Here each handler is a consumer with an inbox of
   * its own, whatever the others do, and a handler of several patterns is one consumer.
   */
  override addHandler(
    pattern: string,
    callback: MessageHandler,
    _isEventHandler?: boolean,
    options: Partial<ConsumerOptions> = {},
  ): void {
    this.registered.push({ pattern, options, callback });
  }

  /** Fails where a handler has no name, or shares it with another. */
  listen(callback: (error?: unknown) => void): void {
    try {
      for (const consumer of this.consumers()) this.bus.subscribe(consumer);
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

  private consumers(): Consumer[] {
    const taken = new Set(this.bus.consumers().map(({ name }) => name));
    const others: Registered[] = [];
    // Nest passes the options of a handler as the same object with each of its patterns.
    const byOptions = new Map<object, Registered[]>();
    for (const one of this.registered)
      byOptions.set(one.options, [...(byOptions.get(one.options) ?? []), one]);
    const consumers: Consumer[] = [];
    for (const patterns of byOptions.values()) {
      const [{ pattern, options, callback }] = patterns as [Registered, ...Registered[]];
      if (methodOf(pattern)) {
        others.push(...patterns);
        continue;
      }
      const { name } = options;
      const read = patterns.map((one) => one.pattern);
      const unknown = read.find((topic) => !known.has(topic));
      if (unknown !== undefined)
        throw new BrokenInvariant(`an event handler reads ${unknown}, which is no topic`);
      if (!name) throw new BrokenInvariant(`the event handler of ${read.join(', ')} has no name`);
      if (taken.has(name) || new Set(read).size < read.length)
        throw new BrokenInvariant(`two event handlers are named ${name}`);
      taken.add(name);
      consumers.push({
        ...(options as ConsumerOptions),
        topics: read as Topic[],
        handle: (events) => this.call(callback, events),
      });
    }
    for (const { pattern, callback } of others) {
      const { consumer: name, method } = methodOf(pattern)!;
      const consumer = consumers.find((one) => one.name === name);
      if (!consumer) throw new BrokenInvariant(`the event handler "${pattern}" belongs to no consumer`);
      if (method === 'handleLate') consumer.handleLate = (event) => this.call(callback, event);
      else
        consumer.givenUp = (tx, event, reason) =>
          this.call(callback, { tx, event, reason } satisfies GivenUp);
    }
    return consumers.filter(
      (consumer) => this.hearsPlatform || consumer.topics.some((topic) => !inbound.has(topic)),
    );
  }

  private async call<T>(handler: MessageHandler, data: unknown): Promise<T> {
    const answer = this.transformToObservable(handler(data)) as Observable<T>;
    return lastValueFrom(answer, { defaultValue: undefined as T });
  }
}

/** Errors of handlers reach the bus as they are, which retries by their kind. Nest would pass on none of them. */
@Catch()
class PassErrors implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/**
 * Subscribes the event handlers of an application that is initialized, and starts the bus. Nest finds them in the controllers of all of
 * its modules.
 */
export async function startEventHandlers(app: INestApplication, transport: EventBusTransport): Promise<void> {
  const handlers = app.connectMicroservice<object>(
    { strategy: transport },
    { deferInitialization: true },
  ) as NestMicroservice;
  // The application has called the hooks of the modules, which they share.
  handlers.setIsInitHookCalled(true);
  handlers.useGlobalFilters(new PassErrors());
  await app.startAllMicroservices();
}
