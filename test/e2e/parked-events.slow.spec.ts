import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventName, InputError } from '#contracts';
import type { StatusView } from '#contracts/api';
import { catalog, inboundTopics } from '#contracts/events';
import type { Consumer } from '#messaging';
import { readSettings } from '#platform';
import { curtailSettings } from '#runtime';
import { nextStepOf } from '../../apps/console/src/dead-letters/next-step-of.js';
import { readModelConsumer } from '../../apps/console/src/read-model/statements.js';
import { allApps } from '../../apps/curtail/src/start/run-all-in-one.js';
import { clockConsumer } from '../../apps/timer/src/clocks/clock-event.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { FairSharePartition } from '../support/fair-share-partition.js';
import { consumersOf, eventsOf, failWith } from '../support/parked-events.js';
import type { QueueSpec } from '../support/queue-spec.js';
import type { TestPartition } from '../support/test-partition.js';

const queue = 'root.a';
/** Needs one victim; and more than may go without an approval. */
const small: QueueSpec = { max: { memory: 80 }, delay: '20ms' };
const large: QueueSpec = { max: { memory: 20 }, delay: '20ms' };
const later = (spec: QueueSpec): QueueSpec => ({ ...spec, delay: '1h' });

/**
 * How a state is reached without an event, and what follows once it has its effects. `begin` leaves everything at rest; `cause` causes the
 * event, which cannot be handled at first.
 */
interface Play {
  begin?(partition: TestPartition): Promise<unknown>;
  cause(partition: TestPartition): Promise<unknown>;
  follows(partition: TestPartition): Promise<unknown>;
}

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start({
    approveAboveVictims: 3,
    reconcileSeconds: 1,
    roundIntervalMilliseconds: 200,
  });
});
afterAll(() => system.stop());

const run = (partition: TestPartition) =>
  partition.run({ queue, count: 5, resources: { memory: 20 }, user: 'ann' });
const configure = (spec: QueueSpec) => (partition: TestPartition) => partition.configure({ a: spec });
const stop = (partition: TestPartition) =>
  system.request('POST', '/v1/kill-switch', { partition: partition.name, by: 'ann' });
const resume = (partition: TestPartition) =>
  system.request('DELETE', `/v1/kill-switch?partition=${partition.name}`);
const ended = async (partition: TestPartition, outcome: string, nth = 1) =>
  expect((await partition.ended(queue, nth)).data.outcome).toBe(outcome);
/** The lock is free: the next decrease is enforced. */
const nextIsEnforced = async (partition: TestPartition) => {
  await partition.settled();
  const before = (await partition.events('EnforcementEnded', queue)).length;
  await partition.configure({ a: { max: { memory: 60 }, delay: '20ms' } });
  await ended(partition, 'satisfied', before + 1);
};
const satisfied = async (partition: TestPartition) => {
  await ended(partition, 'satisfied');
  await nextIsEnforced(partition);
};

/** A clock that is due in an hour. */
async function clock(partition: TestPartition): Promise<void> {
  await run(partition);
  await partition.configure({ a: later(small) });
  await partition.event('EnforcementScheduled', queue);
}
async function scheduled(partition: TestPartition): Promise<string> {
  return (await partition.event('EnforcementScheduled', queue)).data.enforcement;
}
const isSuspended = (partition: TestPartition) =>
  system.until(`${queue} to be suspended`, async () => {
    const [timer] = await system.db.query<{ state: string }[]>(
      "SELECT state FROM timers WHERE kind = 'quota-decrease' AND partition = $1",
      [partition.name],
    );
    return timer?.state === 'suspended';
  });

/** A run that waits for an approval. */
async function waiting(partition: TestPartition): Promise<void> {
  await run(partition);
  await partition.configure({ a: large });
  await partition.event('EnforcementOpened', queue);
  await partition.handled();
}
const command = (what: string) => async (partition: TestPartition) =>
  system.request('POST', `/v1/enforcements/${await scheduled(partition)}/${what}`, { by: 'ann' });
const decideChange = (what: string) => async (partition: TestPartition) => {
  const { data } = await partition.event('EnforcementStarted', queue);
  const place = `/v1/partitions/${partition.name}/configurations/${data.configuration}`;
  expect((await system.request('POST', `${place}/${what}`, { by: 'ann' })).status).toBe(200);
};
const setMode = (mode: string) => (partition: TestPartition) =>
  system.request('PUT', `/v1/partitions/${partition.name}/mode`, { mode });
/** A run that none of this was about is still there, and goes on. */
const goesOn = async (partition: TestPartition) => {
  await command('approve')(partition);
  await ended(partition, 'satisfied');
};
const endsWith = (outcome: string) => (partition: TestPartition) => ended(partition, outcome);

const fairShare = (partition: TestPartition, timeout: number) =>
  new FairSharePartition(partition).configure(['a', 'b'], {
    fairShareStarvationTimeout: timeout,
    allocationPreemptionTimeout: 0,
  });
/** One pool has all of the cluster, and another nothing of what it wants, which the policy bears for so long, in milliseconds. */
async function starve(partition: TestPartition, timeout = 100): Promise<void> {
  await new FairSharePartition(partition).cluster({ n1: 10 }, [
    { id: 'old', queue: 'root.a', on: { n1: 10 }, interruptible: true },
    { id: 'new', queue: 'root.b', pending: [{ resources: { vcore: 1000 }, count: 3 }] },
  ]);
  await fairShare(partition, timeout);
}

const decrease: Play = { begin: run, cause: configure(small), follows: satisfied };

/** A play for each type of event that a consumer of the log handles. */
const plays: Record<string, Partial<Record<EventName, Play>>> = {
  timer: {
    ConfigApplied: {
      begin: clock,
      cause: (partition) => partition.configure({ a: later(small) }, false),
      follows: isSuspended,
    },
    QuotaChanged: decrease,
    QueueRemoved: {
      begin: clock,
      cause: (partition) => partition.configure({ b: {} }),
      follows: async (partition) =>
        expect((await partition.event('EnforcementCancelled', queue)).data.cause).toBe('queue-removed'),
    },
    EnforcementEnded: decrease,
    CancelRequested: {
      begin: clock,
      cause: command('cancel'),
      follows: async (partition) =>
        expect((await partition.event('EnforcementCancelled', queue)).data.cause).toBe('operator'),
    },
    EnforcementRequested: {
      begin: clock,
      cause: (partition) =>
        system.request('POST', `/v1/queues/${queue}/enforce`, { partition: partition.name, atOnce: true }),
      follows: satisfied,
    },
    KillSwitchSet: { begin: clock, cause: stop, follows: isSuspended },
    KillSwitchCleared: {
      begin: async (partition) => {
        await clock(partition);
        await stop(partition);
        await isSuspended(partition);
      },
      cause: resume,
      follows: (partition) => partition.event('EnforcementRescheduled', queue),
    },
    FreezeCleared: {
      begin: async (partition) => {
        await run(partition);
        const until = new Date(Date.now() + 3_600_000).toISOString();
        await system.request('POST', '/v1/freezes', { partition: partition.name, until, by: 'ann' });
        await partition.configure({ a: small });
        await partition.event('EnforcementRescheduled', queue);
      },
      cause: (partition) => system.request('DELETE', `/v1/freezes?partition=${partition.name}`),
      follows: satisfied,
    },
  },
  'round-timers': {
    TimerStarted: {
      cause: (partition) => starve(partition),
      follows: (partition) => partition.event('EnforcementEnded'),
    },
    TimerRestarted: {
      begin: async (partition) => {
        await starve(partition, 60_000);
        await partition.event('TimerStarted');
      },
      cause: (partition) => fairShare(partition, 90_000),
      // It only wakes the timer, whose sweep finds what is due.
      follows: (partition) => partition.event('TimerRestarted'),
    },
  },
  planner: { EnforcementStarted: decrease },
  executor: {
    PlanComputed: decrease,
    PlanFailed: {
      begin: run,
      cause: async (partition) => {
        const { cluster } = system;
        const { snapshot } = cluster;
        cluster.snapshot = (async (options: { partition: string }) => {
          if (options.partition !== partition.name) return snapshot.call(cluster, options as never);
          cluster.snapshot = snapshot;
          throw new InputError('nodes', 'are in disorder');
        }) as typeof snapshot;
        await partition.configure({ a: small });
        await partition.event('PlanFailed');
      },
      // Another run follows, which has a plan.
      follows: async (partition) => {
        await ended(partition, 'failed');
        await ended(partition, 'satisfied', 2);
      },
    },
    PlanApproved: { begin: waiting, cause: command('approve'), follows: endsWith('satisfied') },
    PlanRejected: { begin: waiting, cause: command('reject'), follows: endsWith('rejected') },
    CancelRequested: { begin: waiting, cause: command('cancel'), follows: endsWith('cancelled') },
    OwnerAnswered: {
      begin: waiting,
      cause: (partition) =>
        system.request('POST', '/v1/answers', {
          ...{ partition: partition.name, allocation: 'a-5', answer: 'ready', by: 'ann' },
        }),
      follows: goesOn,
    },
    KillSwitchSet: { begin: waiting, cause: stop, follows: endsWith('stopped') },
    KillSwitchCleared: {
      begin: waiting,
      cause: async (partition) => {
        const other = { partition: partition.name, queue: 'root.b', by: 'ann', allowUnknown: true };
        await system.request('POST', '/v1/kill-switch', other);
        await system.request('DELETE', `/v1/kill-switch?partition=${partition.name}&queue=root.b`);
      },
      follows: goesOn,
    },
    ModeChanged: { begin: waiting, cause: setMode('enforce'), follows: goesOn },
    ConfigApplied: {
      begin: waiting,
      cause: (partition) => partition.configure({ a: large }, false),
      follows: endsWith('stopped'),
    },
    ConfigurationApproved: {
      begin: waiting,
      cause: decideChange('approve'),
      follows: endsWith('satisfied'),
    },
    ConfigurationRejected: {
      begin: waiting,
      cause: decideChange('reject'),
      follows: endsWith('rejected'),
    },
  },
};

const settings = readSettings(curtailSettings, { DATABASE_URL: 'postgres://localhost/none' });
const all = consumersOf(allApps({ ...settings, cluster: 'inventory' }));
const isForeign = ({ topics }: Pick<Consumer, 'topics'>) =>
  topics.every((topic) => (Object.values(inboundTopics) as string[]).includes(topic));
const fromLog = all.filter((consumer) => !isForeign(consumer) && consumer.order !== 'log');
const parts = fromLog.flatMap((consumer) => eventsOf(consumer).map((name) => [consumer.name, name] as const));

const letters = (partition: TestPartition, consumer: string): Promise<{ event: string; type: string }[]> =>
  system.db.query(
    `SELECT event_id AS event, d.type FROM dead_letters d JOIN events e ON e.id = d.event_id
     WHERE e.partition = $1 AND d.consumer = $2`,
    [partition.name, consumer],
  );
const isLeft = async (partition: TestPartition, consumer: string) =>
  (await letters(partition, consumer)).length > 0;

describe('an event that a consumer of the log could not handle', () => {
  // Rounds would go on.
  afterEach(() => system.db.query("DELETE FROM timers WHERE kind IN ('fair-share', 'starvation')"));

  it.each(parts)('has its effects by itself: %s, %s', async (name, event) => {
    const play = plays[name]?.[event];
    if (!play) throw new Error(`this test needs a play for ${event} at ${name}`);
    const partition = system.partition();
    await play.begin?.(partition);
    await partition.handled();
    const mend = failWith(system.consumer(name), event, partition.name);
    await play.cause(partition);
    await system.until(`${event} to be a dead letter of ${name}`, () => isLeft(partition, name));
    mend();
    // As if its pause were over.
    await system.db.query('UPDATE dead_letters SET retry_at = now() WHERE consumer = $1', [name]);
    await play.follows(partition);
    await system.until('no dead letter to be left', async () => !(await isLeft(partition, name)));
    await partition.handled();
    const status = await system.get<StatusView>(`/v1/status?partition=${partition.name}`);
    expect(status.attention.filter(({ code }) => code === 'dead-letters')).toEqual([]);
    const runs = (await partition.events('EnforcementEnded')).map(({ data }) => data.enforcement);
    expect(new Set(runs).size).toBe(runs.length);
  });
});

describe('an end of a run that is a dead letter', () => {
  it.each(['retry', 'discard'])(
    'does nothing a second time after the lock was released: %s',
    async (what) => {
      const partition = system.partition();
      await run(partition);
      const mend = failWith(system.consumer(clockConsumer), 'EnforcementEnded', partition.name);
      await partition.configure({ a: small });
      await system.until('a dead letter', () => isLeft(partition, 'timer'));
      mend();
      await system.db.query('UPDATE dead_letters SET retry_at = NULL');
      // The reconciler compares the lock with the log.
      await partition.event('EnforcementReleased', queue);
      const [letter] = await letters(partition, 'timer');
      expect(letter).toBeDefined();
      const answer = await system.request('POST', `/v1/dead-letters/${what}`, {
        ...{ consumer: 'timer', event: letter!.event, by: 'ann' },
        ...(what === 'discard' && { reason: 'the lock is free' }),
      });
      expect(answer.status).toBe(200);
      await system.until('the letter to be gone', async () => !(await isLeft(partition, 'timer')));
      await nextIsEnforced(partition);
      expect(await partition.events('EnforcementReleased', queue)).toHaveLength(2);
      expect(await partition.events('EnforcementStarted', queue)).toHaveLength(2);
    },
  );
});

describe('events that the read model could not fold', () => {
  it('are shown by themselves once it can', async () => {
    const partition = system.partition();
    const reader = system.consumer(readModelConsumer);
    const ofRuns: EventName[] = ['EnforcementStarted', 'PlanComputed', 'VictimEvicted', 'EnforcementEnded'];
    // Late ones, too.
    const late = reader.handleLate;
    reader.handleLate = () => Promise.reject(new Error('not yet'));
    const mends = ofRuns.map((name) => failWith(reader, name, partition.name));
    await run(partition);
    await partition.configure({ a: small });
    await ended(partition, 'satisfied');
    await partition.handled();
    expect(await letters(partition, reader.name)).toHaveLength(ofRuns.length);
    const attention = async () =>
      (await system.get<StatusView>('/v1/status')).attention.filter(({ code }) => code === 'dead-letters');
    expect(await attention()).toMatchObject([{ message: '4 events were put aside as dead letters.' }]);
    expect(await system.get<string>('/metrics')).toContain(
      'curtail_dead_letters_total{consumer="console"} 4',
    );
    const enforcement = await scheduled(partition);
    const shown = () =>
      system.get<{ state: string; plannedVictims: { state: string }[] }>(`/v1/enforcements/${enforcement}`);
    expect(await shown()).toMatchObject({ state: 'executing', evicted: 0 });

    for (const mend of mends.reverse()) mend();
    reader.handleLate = late;
    await system.db.query('UPDATE dead_letters SET retry_at = now() WHERE consumer = $1', [reader.name]);
    await system.until('no dead letter to be left', async () => !(await isLeft(partition, reader.name)));
    await system.until(
      'the victims to be shown',
      async () => (await shown()).plannedVictims[0]?.state === 'evicted',
    );
    expect(await shown()).toMatchObject({ state: 'ended', outcome: 'satisfied', evicted: 1 });
    expect(await attention()).toEqual([]);
  });
});

/** Nothing tries these again: a newer message of the sender may have been applied. */
const byOperators = all.filter(isForeign);

describe('an event that only an operator can have handled', () => {
  const operators = byOperators.flatMap((consumer) =>
    eventsOf(consumer).map((name) => [consumer.name, name, catalog[name].topic] as const),
  );
  it.each(operators)('has a next step: %s, %s', (consumer, _event, topic) => {
    const letter = {
      consumer,
      event: 'e',
      topic,
      inLog: !isInbound(topic),
      parkedAt: new Date(),
      retryAt: null,
    };
    const { retryable, nextStep } = nextStepOf(letter);
    expect(retryable).toBe(false);
    expect(nextStep).toMatch(/then curtail dead-letters discard/);
  });
});

const isInbound = (topic: string): boolean => (Object.values(inboundTopics) as string[]).includes(topic);
