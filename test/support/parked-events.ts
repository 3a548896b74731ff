import type { DynamicModule, ModuleMetadata, Type } from '@nestjs/common';
import type { EventName } from '#contracts';
import { catalog } from '#contracts/events';
import type { KnownEvent } from '#event-store';
import { type Consumer, subscriptionsOf } from '#messaging';
import type { ServiceApp } from '#runtime';

/** What a consumer subscribes to: its topics, and of them these events, or all. */
type Subscription = Pick<Consumer, 'name' | 'topics' | 'events' | 'order'>;

/** Every consumer of these apps, whether a process subscribes it or not. Handlers name what they read where they are declared. */
export function consumersOf(apps: readonly ServiceApp[]): Subscription[] {
  return apps.flatMap(({ module }) => controllersOf(module)).flatMap(subscriptionsOf);
}

type Part = NonNullable<ModuleMetadata['imports']>[number];

/** The controllers of a module, and of those that it imports. */
function controllersOf(module: Part): Type[] {
  const { module: type = module, controllers = [], imports = [] } = module as Partial<DynamicModule>;
  const declared = <T>(what: string) => (Reflect.getMetadata(what, type as Type) ?? []) as T[];
  return [
    ...([...controllers, ...declared('controllers')] as Type[]),
    ...[...imports, ...declared<Part>('imports')].flatMap(controllersOf),
  ];
}

/** The types of events that a consumer gets. */
export function eventsOf({ topics, events }: Subscription): EventName[] {
  if (events) return [...events];
  return (Object.keys(catalog) as EventName[]).filter((name) =>
    (topics as readonly string[]).includes(catalog[name].topic),
  );
}

/** Has a consumer fail with events of a type, of one partition, until the returned function is called. */
export function failWith(consumer: Consumer, type: EventName, partition: string): () => void {
  const { handle } = consumer;
  consumer.handle = async (events: KnownEvent[]) => {
    const isIt = ({ name, data }: KnownEvent) =>
      name === type && (data as { partition?: string }).partition === partition;
    if (events.some(isIt)) throw new Error(`${consumer.name} cannot handle ${type}`);
    return handle.call(consumer, events);
  };
  return () => {
    consumer.handle = handle;
  };
}
