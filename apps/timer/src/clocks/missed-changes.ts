import type { QuotaValues } from '#contracts';
import { catalog } from '#contracts/events';
import { sameValues, unconfigured } from '#enforcement';
import { configStream, type KnownEvent, known, readKeysOfStream, type Tx } from '#event-store';
import { type ClockEvent, isClockEvent } from './clock-event.js';
import type { ClockSession } from './clock-session.js';
import { handledByClocks } from './clock-statements.js';

type Change = KnownEvent<'QuotaChanged' | 'QueueRemoved'>;

/**
 * Inserts before each change of a quota the changes of the same queue that its clock has not received, from the log:
 * Kafka may have lost them, and the meaning of a change depends on the one before it. A change that does not begin at
 * the state of its clock shows that one is missing. Dead letters stay excluded.
 */
export async function withMissed(
  tx: Tx,
  session: ClockSession,
  events: readonly ClockEvent[],
): Promise<ClockEvent[]> {
  const behind = queuesBehind(session, events.filter(isChange));
  if (behind.length === 0) return [...events];
  const missed: ClockEvent[] = [];
  for (const partition of new Set(behind.map((one) => one.partition))) {
    const keys = behind
      .filter((one) => one.partition === partition)
      .map(({ queue }) => ({ key: queue, after: session.version(partition, queue) }));
    const place = { partition, stream: configStream(partition) };
    const stored = await readKeysOfStream(tx, place, keys, [
      catalog.QuotaChanged.type,
      catalog.QueueRemoved.type,
    ]);
    const handled = await handledByClocks(tx, stored);
    missed.push(
      ...stored
        .filter(({ id }) => !handled.has(id))
        .map(known)
        .filter(isClockEvent),
    );
  }
  return events.flatMap((event) =>
    isChange(event)
      ? [...missed.filter((one) => one.version < event.version && isOfSameQueue(one, event)), event]
      : [event],
  );
}

/** Whether a change begins with values other than those of the change before it, or of its clock. */
function queuesBehind(
  session: ClockSession,
  changes: readonly Change[],
): { partition: string; queue: string }[] {
  const left = new Map<string, QuotaValues>();
  const behind = new Map<string, { partition: string; queue: string }>();
  for (const { name, version, data } of changes) {
    const { partition, queue, previous } = data;
    if (version <= session.version(partition, queue)) continue;
    const key = `${partition}/${queue}`;
    const before = left.get(key) ?? session.state(partition, queue).values;
    if (!sameValues(before, previous)) behind.set(key, { partition, queue });
    left.set(key, name === 'QuotaChanged' ? data.current : unconfigured);
  }
  return [...behind.values()];
}

const isChange = (event: ClockEvent): event is Change =>
  event.name === 'QuotaChanged' || event.name === 'QueueRemoved';

const isOfSameQueue = (one: ClockEvent, { data }: Change): boolean =>
  isChange(one) && one.data.partition === data.partition && one.data.queue === data.queue;
