import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openKafka } from '#messaging/kafka';
import { hasty, TestKafka } from '../../../test/support/kafka.js';
import { startKafkaBehindProxy } from '../../../test/support/kafka-behind-proxy.js';
import { Recorded } from '../../../test/support/recorded.js';
import { GroupLeadership, type Term } from './group-leadership.js';

const group = 'agent-test.active';

describe('agents that elect the active one over Kafka', () => {
  let kafka: TestKafka;
  /** What has happened, in its order: `a begins`, `a ends`. */
  let log: Recorded<string>;
  let agents: Map<string, { stopping: AbortController; running: Promise<void>; term?: Term }>;
  beforeEach(async () => {
    kafka = new TestKafka(`elect-${randomUUID()}.`, { partitions: 3 });
    await kafka.topics.ready();
    [log, agents] = [new Recorded(), new Map()];
  });
  afterEach(async () => {
    await Promise.all([...agents.keys()].map(stop));
    await kafka.close();
  });

  function start(name: string, connection = kafka.connection, elapsed = () => performance.now()): void {
    const stopping = new AbortController();
    const leadership = new GroupLeadership({
      connection,
      group,
      now: () => new Date(),
      elapsed,
      onTrouble: (error) => log.add(`${name}: ${error.message}`),
    });
    const agent: { stopping: AbortController; running: Promise<void>; term?: Term } = {
      stopping,
      running: Promise.resolve(),
    };
    agents.set(name, agent);
    agent.running = leadership.run(async (term) => {
      agent.term = term;
      log.add(`${name} begins`);
      await new Promise<void>((resolve) => {
        if (term.signal.aborted) resolve();
        term.signal.addEventListener('abort', () => resolve());
      });
      log.add(`${name} ends`);
    }, stopping.signal);
  }
  async function stop(name: string): Promise<void> {
    const agent = agents.get(name);
    agent?.stopping.abort();
    await agent?.running;
  }
  const begun = (name: string) => log.when((all) => all.includes(`${name} begins`));
  /** Each term ends before the next one begins. */
  function assertAlone(): void {
    let active: string | undefined;
    for (const line of log.all) {
      const [, name, what] = /^(\w+) (begins|ends)$/.exec(line) ?? [];
      if (what === 'begins') {
        expect(active).toBeUndefined();
        active = name;
      } else if (what === 'ends') active = undefined;
    }
  }

  it('have one active at any time, also while others come and go', async () => {
    start('a');
    await begun('a');
    expect(agents.get('a')?.term?.holds()).toBe(true);
    start('b');
    start('c');
    // Whoever is active after the two have joined: one of them.
    await log.when((all) => all.filter((line) => line.endsWith('begins')).length >= 2);
    const [active] = [...agents].find(([, { term }]) => term?.holds()) ?? [];
    expect(active).toBeDefined();
    const before = log.all.length;
    await stop(active!);
    await log.when((all) => all.slice(before).some((line) => line.endsWith('begins')));
    expect([...agents].filter(([, { term }]) => term?.holds())).toHaveLength(1);
    assertAlone();
  });

  it('are active again after a pause that ended the term, and not the session', async () => {
    let [isLate, ahead] = [false, 0];
    // While it is late, every look at the clock comes after the end of what the last heartbeat holds.
    start('a', kafka.connection, () => {
      if (isLate) ahead += 10_000;
      return performance.now() + ahead;
    });
    await begun('a');
    const first = agents.get('a')?.term;
    isLate = true;
    await log.when((all) => all.includes('a ends'));
    isLate = false;
    await log.when((all) => all.filter((line) => line === 'a begins').length === 2);
    expect(first?.holds()).toBe(false);
    expect(agents.get('a')?.term?.holds()).toBe(true);
    assertAlone();
  });

  it('are no longer active when the brokers do not answer, before another one is', async () => {
    const behind = await startKafkaBehindProxy();
    const prefix = `cut-${randomUUID()}.`;
    const direct = new TestKafka(prefix, { brokers: behind.kafka.brokers, partitions: 3 });
    await direct.topics.ready();
    try {
      start('a', openKafka({ brokers: behind.brokers, clientId: 'a', topicPrefix: prefix, ...hasty }));
      await begun('a');
      await behind.proxy.hole();
      start('b', direct.connection);
      await begun('b');
      expect(agents.get('a')?.term?.holds()).toBe(false);
      expect(agents.get('b')?.term?.holds()).toBe(true);
    } finally {
      await stop('a');
      await stop('b');
      await direct.close();
      await behind.remove();
    }
    assertAlone();
  });
});
