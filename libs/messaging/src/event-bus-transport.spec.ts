import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Controller, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern } from '@nestjs/microservices';
import { inboundTopics, topics } from '#contracts/events';
import type { KnownEvent, StoredEvent, Tx } from '#event-store';
import type { Consumer, Effects } from './consumer.js';
import { EventNotReady } from './consumer.js';
import type { EventBus } from './event-bus.js';
import { EventBusTransport, startEventHandlers } from './event-bus-transport.js';
import {
  type ConsumerOptions,
  consumerOf,
  EVENT_BUS_TRANSPORT,
  type GivenUp,
  givenUpBy,
  handledLateBy,
} from './event-handlers.js';

const given: string[] = [];
const notYet = new EventNotReady('its plan is not there yet');
let starts = 0;

@Controller()
class First {
  @EventPattern(topics.control, EVENT_BUS_TRANSPORT, {
    name: 'first',
    batchSize: 3,
  } satisfies ConsumerOptions)
  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    given.push(`first ${events.length}`);
    return async () => () => given.push('committed');
  }

  @EventPattern<string>(givenUpBy('first'), EVENT_BUS_TRANSPORT)
  async givenUp({ event, reason }: GivenUp): Promise<void> {
    given.push(`first gives up ${event.id}: ${reason}`);
  }

  @EventPattern<string>(handledLateBy('first'), EVENT_BUS_TRANSPORT)
  async handleLate(event: KnownEvent): Promise<Effects> {
    given.push(`first handles ${event.id} late`);
    return async () => undefined;
  }

  onModuleInit(): void {
    starts++;
  }
}

@Controller()
class Second {
  @EventPattern([topics.quota, topics.control], EVENT_BUS_TRANSPORT, { name: 'second' })
  async handle(events: KnownEvent[]): Promise<undefined> {
    given.push(`second ${events.length}`);
  }
}

@Controller()
class OfPlatform {
  @EventPattern(inboundTopics.inventory, EVENT_BUS_TRANSPORT, { name: 'inventory' })
  async handle(_events: KnownEvent[]): Promise<undefined> {
    throw notYet;
  }
}

@Controller()
class Nameless {
  @EventPattern(topics.plans, EVENT_BUS_TRANSPORT, { batchSize: 1 })
  async handle(_events: KnownEvent[]): Promise<undefined> {}
}

@Controller()
class Namesake {
  @EventPattern(topics.plans, EVENT_BUS_TRANSPORT, { name: 'first' })
  async handle(_events: KnownEvent[]): Promise<undefined> {}
}

@Controller()
class Lost {
  @EventPattern('curtail.plan', EVENT_BUS_TRANSPORT, { name: 'lost' })
  async handle(_events: KnownEvent[]): Promise<undefined> {}
}

@Controller()
class Resigned {
  @EventPattern<string>(givenUpBy('nobody'), EVENT_BUS_TRANSPORT)
  async givenUp(_: GivenUp): Promise<void> {}
}

@Module({})
class TestModule {}

/** The consumers of an application with these controllers, each list in a module of its own. */
async function consumersWith(modules: Type[][], hearsPlatform = true): Promise<Consumer[]> {
  const imports = modules.map((controllers) => ({ module: class {}, controllers }));
  const app = await NestFactory.create(
    { module: TestModule, imports },
    { logger: false, abortOnError: false },
  );
  await app.init();
  const consumers: Consumer[] = [];
  const bus = {
    subscribe: (consumer: Consumer) => void consumers.push(consumer),
    consumers: () => consumers,
    start: async () => {},
    stop: async () => {},
  };
  await startEventHandlers(app, new EventBusTransport(bus as unknown as EventBus, hearsPlatform));
  await app.close();
  return consumers;
}

const events = [{}, {}] as KnownEvent[];

describe('EventBusTransport', () => {
  it('makes each handler a consumer with its topics and options, once', async () => {
    starts = 0;
    const consumers = await consumersWith([[First, Second], [OfPlatform]]);
    expect(consumers).toMatchObject([
      { name: 'first', topics: [topics.control], batchSize: 3 },
      { name: 'second', topics: [topics.quota, topics.control] },
      { name: 'inventory', topics: [inboundTopics.inventory] },
    ]);
    expect(starts).toBe(1);
  });

  it('calls the handler of a consumer alone, although others handle its topic', async () => {
    const [first, second] = await consumersWith([[First, Second]]);
    given.length = 0;
    const effects = await first!.handle(events);
    (await effects!({} as Tx))!();
    expect(await second!.handle(events)).toBeUndefined();
    expect(given).toEqual(['first 2', 'committed', 'second 2']);
  });

  it('passes errors on as they are', async () => {
    const [consumer] = await consumersWith([[OfPlatform]]);
    await expect(consumer!.handle(events)).rejects.toBe(notYet);
  });

  it('calls the handler that gives up for a consumer', async () => {
    const [first, second] = await consumersWith([[First, Second]]);
    given.length = 0;
    await first!.givenUp!({} as Tx, { id: 'e1' } as StoredEvent, 'too large');
    expect(given).toEqual(['first gives up e1: too large']);
    expect(second!.givenUp).toBeUndefined();
  });

  it('calls the handler of late events of a consumer', async () => {
    const [first, second] = await consumersWith([[First, Second]]);
    given.length = 0;
    expect(await first!.handleLate!({ id: 'e1' } as KnownEvent)).toBeInstanceOf(Function);
    expect(given).toEqual(['first handles e1 late']);
    expect(second!.handleLate).toBeUndefined();
  });

  it('leaves out handlers of messages that cannot arrive', async () => {
    const consumers = await consumersWith([[First, OfPlatform]], false);
    expect(consumers.map(({ name }) => name)).toEqual(['first']);
  });

  it.each([
    ['a handler without a name', [[Nameless]], 'the event handler of curtail.plans has no name'],
    ['two handlers of one name', [[First, Namesake]], 'two event handlers are named first'],
    ['a handler in two modules', [[First], [First]], 'two event handlers are named first'],
    ['a topic that is none', [[Lost]], 'an event handler reads curtail.plan, which is no topic'],
    [
      'giving up for no consumer',
      [[Resigned]],
      'the event handler "given up by nobody" belongs to no consumer',
    ],
  ])('does not start with %s', async (_, modules, message) => {
    await expect(consumersWith(modules)).rejects.toThrow(message);
  });
});

describe('consumerOf', () => {
  it('is the consumer that a handler is, without a bus', async () => {
    given.length = 0;
    const consumer = consumerOf(new First());
    expect(consumer).toMatchObject({ name: 'first', topics: [topics.control], batchSize: 3 });
    await consumer.handle(events);
    expect(given).toEqual(['first 2']);
  });
});
