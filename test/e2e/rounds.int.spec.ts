import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { inversion, lastRound, moreRounds, stopWaitingWhenNotified, watch } from '../support/inversion.js';
import type { TestPartition } from '../support/test-partition.js';

let system: EmbeddedSystem;
beforeAll(async () => {
  system = await EmbeddedSystem.start();
});
afterAll(() => system.stop());

let partition: TestPartition;
beforeEach(() => {
  partition = system.partition();
});
// The rounds of one test would continue beside those of the next.
afterEach(() => watch(partition, undefined));

const allocations = (events: { data: { allocation: string } }[]) =>
  events.map(({ data }) => data.allocation).sort();

const announced = (partition: TestPartition): Promise<{ allocation: string; at: Date }[]> =>
  system.db.query('SELECT allocation, at FROM simulated_announcements WHERE partition = $1 ORDER BY 1', [
    partition.name,
  ]);

async function switchOff(): Promise<void> {
  await watch(partition, undefined);
  await system.until('the timer to go', async () => {
    const { items } = await system.get<{ items: object[] }>(`/v1/timers?partition=${partition.name}`);
    return items.length === 0;
  });
}

describe('rounds of in-queue preemption', () => {
  it('notify the owners, wait, kill only victims selected again by a later round, and record each step once', async () => {
    await inversion(partition);
    await partition.event('VictimEvicted', 'root', 2);
    await system.until(
      'the urgent tasks to run',
      async () => (await partition.remaining()).filter((id) => id.startsWith('urgent')).length === 2,
    );
    await moreRounds(system, partition.name, 3);

    const log = (await partition.log()).filter(({ key }) => key === 'root').map(({ name }) => name);
    const expected = [
      ...['RoundStarted', 'PlanComputed', 'EnforcementOpened', 'VictimNotified', 'VictimNotified'],
      'EnforcementEnded',
      ...['RoundStarted', 'PlanComputed', 'EnforcementOpened'],
      ...['VictimOrdered', 'VictimEvicted', 'VictimOrdered', 'VictimEvicted', 'EnforcementEnded'],
    ];
    // A round that comes before the freed room is used finds others, which are notified and then forgotten.
    expect(log.slice(0, expected.length)).toEqual(expected);
    const notified = (await partition.events('VictimNotified')).slice(0, 2);
    const evicted = await partition.events('VictimEvicted');
    expect(allocations(notified)).toEqual(['old-8', 'old-9']);
    expect(allocations(evicted)).toEqual(['old-8', 'old-9']);
    for (const { data } of notified) {
      expect(Date.parse(data.killAt) - Date.parse(data.notifiedAt)).toBe(400);
      for (const kill of await partition.events('VictimOrdered')) {
        expect(Date.parse(kill.data.orderedAt)).toBeGreaterThanOrEqual(Date.parse(data.killAt));
      }
    }
    expect((await announced(partition)).map(({ allocation }) => allocation)).toEqual(
      expect.arrayContaining(['old-8', 'old-9']),
    );
    const ended = (await partition.events('EnforcementEnded')).slice(0, 2);
    expect(ended.map(({ data }) => [data.policy, data.outcome, data.notified, data.evicted])).toEqual([
      ['intra-queue', 'notified', 2, 0],
      ['intra-queue', 'satisfied', 0, 2],
    ]);
    expect(await lastRound(system, partition.name)).toMatchObject({ plan: { victims: 0 } });
  });

  it('leave nothing in the log while there is nothing to do', async () => {
    await inversion(partition, { waits: 1, settings: { maxWaitBeforeKill: 0 } });
    await partition.event('VictimEvicted');
    await system.until('the urgent task to run', async () => (await partition.remaining()).length === 10);
    await moreRounds(system, partition.name, 2);
    const before = (await partition.log()).length;
    await moreRounds(system, partition.name, 5);
    expect((await partition.log()).length).toBe(before);
  });

  it('forget victims that no round chooses any more, without a kill', async () => {
    await stopWaitingWhenNotified(system.db, partition.name);
    await inversion(partition);
    const first = await partition.event('VictimForgotten', 'root', 2);
    expect(first.time.getTime() - Date.parse(first.data.notifiedAt)).toBeGreaterThanOrEqual(800);
    expect(await partition.events('VictimOrdered')).toEqual([]);
    const [run] = await partition.events('RoundStarted');
    await partition.handled();
    const { plannedVictims } = await system.get<{ plannedVictims: { state: string }[] }>(
      `/v1/enforcements/${run?.data.enforcement}`,
    );
    expect(plannedVictims.map(({ state }) => state)).toEqual(['forgotten', 'forgotten']);
  });

  it('show the victims that they would take, once, and do nothing where they only observe', async () => {
    await inversion(partition, { settings: { observeOnly: true } });
    const { data } = await partition.event('PlanComputed');
    expect(data.plan).toMatchObject({ observeOnly: true, victims: [{}, {}] });
    await moreRounds(system, partition.name, 5);
    const names = new Set((await partition.log()).map(({ name }) => name));
    expect([...names].filter((name) => name.startsWith('Victim'))).toEqual(['VictimSpared']);
    expect(await partition.events('PlanComputed')).toHaveLength(1);
    expect(await announced(partition)).toEqual([]);

    // Others are chosen now; a minute has to go by before that is shown too.
    await system.db.query("DELETE FROM simulated_allocations WHERE partition = $1 AND id = 'old-9'", [
      partition.name,
    ]);
    await moreRounds(system, partition.name, 3);
    expect(await partition.events('PlanComputed')).toHaveLength(1);
    await system.db.query("UPDATE rounds SET shown_at = shown_at - interval '1 min' WHERE partition = $1", [
      partition.name,
    ]);
    await partition.event('PlanComputed', 'root', 2);
  });

  it('notify no owner below a kill switch, and begin when it is cleared', async () => {
    await system.request('POST', '/v1/kill-switch', {
      ...{ partition: partition.name, queue: 'root.q', allowUnknown: true },
    });
    const stops = await system.db.query('SELECT 1 FROM kill_switches WHERE partition = $1', [partition.name]);
    expect(stops).toHaveLength(1);
    await inversion(partition);
    await partition.event('VictimSpared', 'root', 2);
    await moreRounds(system, partition.name, 5);
    expect(await partition.events('VictimNotified')).toEqual([]);
    await system.request('DELETE', `/v1/kill-switch?partition=${partition.name}`);
    await partition.event('VictimEvicted', 'root', 2);
    expect(await partition.events('VictimNotified')).toHaveLength(2);
  });

  it('notify no owner in a frozen queue, and begin when the freeze is cleared', async () => {
    const at = { partition: partition.name, queue: 'root.q' };
    const freeze = { ...at, duration: 'PT1H', allowUnknown: true };
    expect(await system.request('POST', '/v1/freezes', freeze)).toMatchObject({
      status: 200,
    });
    await inversion(partition);
    expect((await partition.event('VictimSpared', 'root', 2)).data).toMatchObject({ code: 'frozen' });
    await moreRounds(system, partition.name, 5);
    expect(await partition.events('VictimNotified')).toEqual([]);
    await system.request('DELETE', `/v1/freezes?partition=${partition.name}`);
    await partition.event('VictimEvicted', 'root', 2);
    expect(await partition.events('VictimNotified')).toHaveLength(2);
  });

  it('leave it to an owner who lets go when notified', async () => {
    await inversion(partition, {
      properties: { releasesWhenNotified: true },
      settings: { maxWaitBeforeKill: 1000 },
    });
    await system.until(
      'the urgent tasks to run',
      async () => (await partition.remaining()).filter((id) => id.startsWith('urgent')).length === 2,
    );
    expect(await partition.events('VictimOrdered')).toEqual([]);
  });

  it('are left out and counted while one is under way', async () => {
    const { cluster } = system;
    const evict = cluster.evict.bind(cluster);
    cluster.evict = async (request, gate) => {
      const isSkipped = async () => (await lastRound(system, partition.name))!.skipped >= 3;
      if (request.partition === partition.name) await system.until('rounds to be skipped', isSkipped);
      return evict(request, gate);
    };
    try {
      await inversion(partition, { waits: 1, settings: { maxWaitBeforeKill: 0 } });
      await partition.event('VictimEvicted');
      await partition.event('EnforcementEnded', 'root', 2);
    } finally {
      cluster.evict = evict;
    }
    expect((await lastRound(system, partition.name))?.skipped).toBeGreaterThanOrEqual(3);
    const { body } = await system.request<string>('GET', '/metrics');
    expect(body).toMatch(/curtail_rounds_skipped_total\{policy="intra-queue"\} [1-9]/);
  });

  it('leave an application alone that lost something a moment ago, where a cooldown is set', async () => {
    await inversion(partition, {
      waits: 5,
      settings: { maxWaitBeforeKill: 0, cooldown: 600_000, totalPreemptionPerRound: 0.2 },
    });
    await partition.event('VictimEvicted', 'root', 2);
    await system.until('the rounds to let it cool', async () =>
      (await lastRound(system, partition.name))?.plan?.notices.some(({ code }) => code === 'cooling'),
    );
    await moreRounds(system, partition.name, 3);
    expect(await partition.events('VictimEvicted')).toHaveLength(2);
  });

  it('end with the configuration that wants none any more', async () => {
    await watch(partition, {});
    await moreRounds(system, partition.name, 2);
    await switchOff();
    const { round } = (await lastRound(system, partition.name))!;
    await pause(300);
    expect((await lastRound(system, partition.name))?.round).toBe(round);
  });

  it('notify the owners again once the policy was switched off, however long ago they were notified', async () => {
    // Until the policy is off, no one is killed.
    await inversion(partition, { settings: { maxWaitBeforeKill: 600_000 } });
    await partition.event('VictimNotified', 'root', 2);
    await switchOff();
    await pause(500);
    await watch(partition, {});
    await partition.event('VictimEvicted', 'root', 2);
    const notified = await partition.events('VictimNotified');
    expect(allocations(notified)).toEqual(['old-8', 'old-8', 'old-9', 'old-9']);
    const lastTold = Math.max(...notified.map(({ data }) => Date.parse(data.notifiedAt)));
    for (const { data } of await partition.events('VictimOrdered')) {
      expect(Date.parse(data.orderedAt) - lastTold).toBeGreaterThanOrEqual(400);
    }
  });

  it('kill no one any more once the policy is switched off, in the midst of a round too', async () => {
    const { cluster } = system;
    const evict = cluster.evict.bind(cluster);
    cluster.evict = async (request, gate) => {
      if (request.partition === partition.name) await switchOff();
      return evict(request, gate);
    };
    try {
      await inversion(partition);
      await partition.event('EnforcementEnded', 'root', 2);
    } finally {
      cluster.evict = evict;
    }
    expect(await partition.events('VictimOrdered')).toHaveLength(1);
    const spared = await partition.events('VictimSpared');
    expect(spared.map(({ data }) => data.code)).toEqual(['fenced', 'fenced']);
  });

  it('are explained: the plan, each victim, and the queue', async () => {
    await inversion(partition);
    await partition.event('VictimEvicted', 'root', 2);
    const [, second] = await partition.events('RoundStarted');
    await partition.handled();
    const at = `?partition=${partition.name}`;
    const why = await system.get<{ replayable: boolean; plan: { shares: object[]; spared: object[] } }>(
      `/v1/enforcements/${second?.data.enforcement}/explanation`,
    );
    expect(why.replayable).toBe(true);
    expect(why.plan.spared).toContainEqual({ allocation: 'old-master', reason: 'originator' });
    expect(why.plan.shares).toMatchObject([
      { applications: [{ application: 'urgent' }, { application: 'old' }] },
    ]);
    const { chosen } = await system.get<{ chosen: { state: string }[] }>(
      `/v1/allocations/old-9/explanation${at}`,
    );
    expect(chosen.map(({ state }) => state)).toEqual(['evicted', 'notified']);
    // Once the freed room is used, it states why nothing is to be done.
    await system.until('the queue to be explained', async () => {
      const { rounds } = await system.get<{ rounds: { policy: string; notices: object[] }[] }>(
        `/v1/queues/root.q/explanation${at}`,
      );
      return rounds.length === 1 && rounds[0]?.policy === 'intra-queue' && rounds[0].notices.length === 1;
    });
  });
});
