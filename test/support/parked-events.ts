import type { EventName } from '#contracts';
import { catalog } from '#contracts/events';
import type { KnownEvent } from '#event-store';
import type { Consumer } from '#messaging';
import type { ServiceApp } from '#runtime';

/** What a consumer subscribes to: its topics, and of them these events, or all. */
type Subscription = Pick<Consumer, 'name' | 'topics' | 'events' | 'order'>;

/** Every consumer of these apps, whatever shape they run in. Consumers name what they read where they are made, without their parts. */
export function consumersOf(apps: readonly ServiceApp[]): (new () => Consumer)[] {
  return apps.flatMap(
    ({ consumers = [], submissionConsumers = [], inventoryConsumers = [] }) =>
      [...consumers, ...submissionConsumers, ...inventoryConsumers] as unknown as (new () => Consumer)[],
  );
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
