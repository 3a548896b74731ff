import type { Type } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';
import { ListenerMetadataExplorer } from '@nestjs/microservices/listener-metadata-explorer';
import type { Topic } from '#contracts';
import { BrokenInvariant } from '#contracts';
import type { StoredEvent, Tx } from '#event-store';
import type { Consumer } from './consumer.js';

/**
 * The transport of event handlers. A method of a `@Controller()` that is decorated with
 * `@EventPattern(topics, EVENT_BUS_TRANSPORT, { name, ... } satisfies ConsumerOptions)` is a consumer of these topics, as
 * `Consumer.handle` is: it receives batches of events and returns effects.
 */
export const EVENT_BUS_TRANSPORT = Symbol('EventBus');

/** The options of an event handler, in the last argument of `@EventPattern`. Its topics are the pattern. */
export type ConsumerOptions = Omit<Consumer, 'topics' | 'handle' | 'handleLate' | 'givenUp'>;

/** What a handler of `givenUpBy` receives, as `Consumer.givenUp` does. */
export interface GivenUp {
  tx: Tx;
  event: StoredEvent;
  reason: string;
}

const givenUpPrefix = 'given up by ';
const latePrefix = 'handled late by ';

/** The pattern of the handler that `Consumer.givenUp` of a consumer is. */
export const givenUpBy = (consumer: string): string => givenUpPrefix + consumer;

/** The pattern of the handler that `Consumer.handleLate` of a consumer is. */
export const handledLateBy = (consumer: string): string => latePrefix + consumer;

/** @returns the consumer that a handler is another method of, and which one; undefined for the pattern of a topic. */
export function methodOf(
  pattern: string,
): { consumer: string; method: 'givenUp' | 'handleLate' } | undefined {
  if (pattern.startsWith(givenUpPrefix))
    return { consumer: pattern.slice(givenUpPrefix.length), method: 'givenUp' };
  if (pattern.startsWith(latePrefix))
    return { consumer: pattern.slice(latePrefix.length), method: 'handleLate' };
  return undefined;
}

/** What the event handlers of a class subscribe to, and the names of their methods. */
export function subscriptionsOf(type: Type): (ConsumerOptions & { topics: Topic[]; method: string })[] {
  return new ListenerMetadataExplorer(new MetadataScanner())
    .explore(Object.create(type.prototype))
    .filter((handler) => (handler.transport as unknown) === EVENT_BUS_TRANSPORT)
    .map(({ patterns, extras, methodKey }) => ({
      ...(extras as ConsumerOptions),
      topics: patterns as Topic[],
      method: methodKey,
    }))
    .filter(({ topics }) => !topics.some(methodOf));
}

/** The consumer that an object with one event handler is, for callers that hand it events without a bus. */
export function consumerOf(handlers: object): Consumer {
  const [one, second] = subscriptionsOf(handlers.constructor as Type);
  if (!one || second) throw new BrokenInvariant(`${handlers.constructor.name} is not one consumer`);
  const { method, ...subscription } = one;
  return {
    ...subscription,
    handle: (events) => (handlers as Record<string, Consumer['handle']>)[method]!(events),
  };
}
