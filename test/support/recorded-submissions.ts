import { createHash } from 'node:crypto';
import type { EventData } from '#contracts';
import { catalog, inboundTopics } from '#contracts/events';
import type { StoredEvent } from '#event-store';
import { Chance } from './chance.js';
import { configuration, type QueueSpec } from './queue-spec.js';

const partitions = ['alpha', 'beta', 'gamma'];
const began = Date.UTC(2026, 10, 21, 10);

/**
 * What senders could have sent over Kafka, drawn from a seed: mostly whole configurations with some changes, among them the same again,
 * refused ones, such that replace a version or a queue, other clusters, freezes, and new partitions with similar names. Every tenth
 * message cannot be handled: it breaks its schema, or the database does not take it.
 */
export function recordedSubmissions(count: number, seed: number): StoredEvent[] {
  const chance = new Chance(seed);
  const trees = new Map(partitions.map((name) => [name, firstTree()]));
  const one = <T>(of: readonly T[]): T => of[Math.floor(chance.between(0, of.length))]!;
  return Array.from({ length: count }, (_, i) => {
    const partition = chance.hits(0.05) ? `alphas${i % 2}` : one(partitions);
    const tree = trees.get(partition) ?? firstTree();
    if (trees.has(partition)) change(tree, chance, one);
    const whole = configuration(partition, tree, !chance.hits(0.1));
    const data: EventData<'ConfigSubmitted'> = {
      partition: chance.hits(0.1) ? partition.toUpperCase() : partition,
      submission: `s-${i}`,
      configuration: (chance.hits(0.3) ? JSON.stringify(whole) : whole) as Record<string, unknown>,
      ...(chance.hits(0.2) ? { by: one(['anna', 'ben']) } : {}),
    };
    const kind = chance.between(0, 1);
    if (kind < 0.1) {
      data.configuration = { partitions: [{ name: partition, queues: [{ nam: 'root' }] }] };
    } else if (kind < 0.2) {
      data.ifVersion = Math.floor(chance.between(0, 30));
    } else if (kind < 0.28) {
      data.queue = 'root.research';
      data.configuration = { name: 'research', resources: { max: { memory: `${1 + (i % 40)}G` } } };
    } else if (kind < 0.32) {
      data.configuration = configuration('elsewhere', tree) as Record<string, unknown>;
    }
    if (chance.hits(0.05)) {
      data.senderNotices = [
        { code: 'odd-quota', message: 'It is odd.', queue: 'root.dev', needsAttention: true },
      ];
    }
    const source = one(['/clusters/a/agent', '/ci', '/clusters/b/agent']);
    if (i % 10 !== 7) return message(i, data, source);
    const { submission } = data;
    const poisoned = {
      partition: i % 20 === 7 ? 7 : 'alpha',
      submission,
      configuration: whole,
      by: 'zero\0byte',
    };
    return message(
      i,
      i % 20 === 7 ? poisoned : { ...poisoned, configuration: configuration('alpha', firstTree()) },
      source,
    );
  });
}

const firstTree = (): Record<string, QueueSpec> => ({
  research: { max: { memory: '10G', vcore: 20 }, delay: '1h' },
  dev: { max: { memory: '8G' }, guaranteed: { memory: '2G' }, delay: '10m' },
  prod: { queues: { web: { max: { vcore: 9 } }, batch: { max: { vcore: 7 }, delay: '30s' } } },
});

function change(tree: Record<string, QueueSpec>, chance: Chance, one: <T>(of: readonly T[]) => T): void {
  if (chance.hits(0.2)) return;
  const name = one(['research', 'dev', 'zeta', 'web_1']);
  if (chance.hits(0.15)) {
    delete tree[name];
    return;
  }
  const freeze = {
    from: '2026-12-24T12:00Z',
    until: '2036-12-27T08:00Z',
    reason: one(['holidays', 'audit']),
  };
  tree[name] = {
    max: { memory: `${Math.ceil(chance.between(3, 40))}G` },
    delay: one(['1h', '10m', '5s']),
    ...(chance.hits(0.15) ? { properties: { 'curtail.freeze': freeze } } : {}),
  };
}

function message(i: number, data: object, source: string): StoredEvent {
  const hash = createHash('sha256').update(`${i}`).digest('hex');
  return {
    id: `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`,
    type: catalog.ConfigSubmitted.type,
    topic: inboundTopics.submissions,
    stream: 'outside',
    version: 1,
    partition: '',
    key: '',
    time: new Date(began + i * 1000),
    transactionId: '0',
    position: '0',
    source,
    data,
  };
}
