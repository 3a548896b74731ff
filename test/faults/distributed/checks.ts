import type { History, Logged } from '../audit/history.js';
import { named } from '../audit/log-checks.js';
import type { Decrease } from './tree.js';
import type { OnTheWire } from './wire.js';

/** Each decrease that was accepted is on record, as one change of its queue. */
export function acceptedAreOnRecord({ log }: Pick<History, 'log'>, accepted: readonly Decrease[]): string[] {
  const changes = new Map<string, number>();
  for (const { data } of named(log, 'QuotaChanged')) {
    const key = `${data.queue} ${data.current.max?.memory}`;
    changes.set(key, (changes.get(key) ?? 0) + 1);
  }
  return accepted.flatMap(({ number, queue, max }) => {
    const times = changes.get(`${queue} ${max}`) ?? 0;
    return times === 1
      ? []
      : [`decrease ${number}, of ${queue} to ${max}, was accepted and is ${times} times on record`];
  });
}

/** Every event of the log is on its topic, for the first time after those of its key that were before it. */
export function wireHoldsTheLog({ log }: Pick<History, 'log'>, wire: readonly OnTheWire[]): string[] {
  const findings: string[] = [];
  const first = new Map<string, { where: string; offset: bigint }>();
  for (const { id, topic, partition, message } of wire) {
    if (!id || topic === 'curtail.dead-letters') continue;
    const offset = BigInt(message.offset);
    const known = first.get(id);
    if (!known || known.offset > offset) first.set(id, { where: `${topic}/${partition}`, offset });
  }
  const last = new Map<string, { event: Logged; where: string; offset: bigint }>();
  for (const event of log) {
    const found = first.get(event.id);
    if (!found) {
      findings.push(`${event.name} ${event.id} is on record and not on its topic`);
      continue;
    }
    const key = `${event.topic} ${event.key}`;
    const before = last.get(key);
    if (before && before.where !== found.where)
      findings.push(`${key} is in ${before.where} and ${found.where}`);
    else if (before && before.offset > found.offset) {
      findings.push(`${key}: ${event.name} came before ${before.event.name}, which it follows`);
    }
    last.set(key, { event, ...found });
  }
  return findings;
}

/** How many messages of the log lie on the topics more than once: relays may repeat, and never leave out. */
export function repetitionsIn(wire: readonly OnTheWire[]): number {
  const ids = wire.flatMap(({ id, topic }) => (id && topic !== 'curtail.dead-letters' ? [id] : []));
  return ids.length - new Set(ids).size;
}
