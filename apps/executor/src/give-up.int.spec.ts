import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { SimulatedCluster } from '#clusters';
import type { DomainEvent, EventData } from '#contracts';
import { foldRun, initialRunState } from '#enforcement';
import { append, digestOfPlan, known, planStream, readStream, runStream } from '#event-store';
import type { HeldRun } from '#runs';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import type { CarryOut } from './carry-out.js';
import { ExecutorService } from './executor.service.js';
import { GiveUp } from './give-up.js';
import { RoundSteps } from './rounds/round-steps.js';
import { OpenRuns } from './runs/open-runs.js';
import type { ExecutorSettings } from './settings/executor-settings.js';

const enforcement = 'e-1';
const of = { partition: 'p', queue: 'root.a', enforcement };
const at = '2026-11-22T10:00:00.000Z';
const resources = { memory: 2 };
const never = () => false;

describe('a run that has crashed three executors', () => {
  let db: DataSource;
  let openRuns: OpenRuns;
  let giveUp: GiveUp;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(async () => {
    await db.query('TRUNCATE events');
    for (const table of ['runs', 'planned_victims', 'rounds', 'victim_notes', 'preempted_applications'])
      await db.query(`DELETE FROM ${table}`);
    openRuns = new OpenRuns(db);
    const cluster = new SimulatedCluster(db);
    giveUp = new GiveUp(db, openRuns, new RoundSteps(db, cluster));
  });

  type Policy = EventData<'PlanComputed'>['plan']['policy'];
  const planOf = (victims: number, policy: Policy): DomainEvent<'PlanComputed'> => ({
    name: 'PlanComputed',
    data: {
      ...{ ...of, fencingToken: 7, snapshotDigest: '', planDigest: '', planSeconds: 0 },
      settings: {},
      ...{
        trigger: { policy, queue: 'root.a' },
        takenAt: at,
        max: { memory: 10 },
        queueAllocations: victims,
      },
      queueUsage: { memory: 10 + 2 * victims },
      plan: {
        ...{ apiVersion: 'curtail/v1', kind: 'Plan', policy, queue: 'root.a', outcome: 'satisfied' },
        ...{ target: { memory: 2 * victims }, inFlight: {}, claimed: { memory: 2 * victims } },
        ...{ shortfall: {}, overshoot: {}, collateral: {}, shares: [], notices: [] },
        victims: Array.from({ length: victims }, (_, i) => ({
          ...{ allocation: `a-${i + 1}`, uid: `u-${i + 1}`, application: `app-${i + 1}`, queue: 'root.a' },
          ...{ resources, rank: i + 1, reason: 'It was the youngest.' },
        })),
      },
    } as EventData<'PlanComputed'>,
  });
  const victim = (rank: number) => ({
    ...{ ...of, allocation: `a-${rank}`, uid: `u-${rank}`, application: `app-${rank}` },
    ...{ victimQueue: 'root.a', rank },
  });
  const opened: DomainEvent = {
    name: 'EnforcementOpened',
    data: {
      ...{ ...of, fencingToken: 7, openedAt: at, mode: 'enforce', max: { memory: 10 }, victims: 0 },
      ...{ needsApproval: false, deadlineAt: at, notices: [] },
    },
  };
  const ordered = (rank: number): DomainEvent => {
    const data = { ...victim(rank), attempt: 1, evictionId: `e-1-${rank}-1`, orderedAt: at, resources };
    return { name: 'VictimOrdered', data };
  };
  const evicted = (rank: number, held = resources): DomainEvent => {
    const data = { ...victim(rank), evictionId: `e-1-${rank}-1`, resources: held, reason: '' };
    return { name: 'VictimEvicted', data: { ...data, recovered: false } };
  };
  const settled = (name: 'VictimGone' | 'VictimSpared' | 'VictimFailed', rank: number, code: string) =>
    ({ name, data: { ...victim(rank), code, message: '' } }) as DomainEvent;

  async function run(victims: number, done: DomainEvent[], policy: Policy = 'quota-decrease') {
    const appendTo = (stream: string, events: DomainEvent[]) =>
      db.transaction((tx) =>
        append(tx, [
          {
            ...{ stream, partition: 'p', expectedVersion: 0 },
            events: events.map((event) => ({ event, key: 'root.a' })),
          },
        ]),
      );
    const planned = planOf(victims, policy);
    // As planners do, so that a long one is stored packed.
    digestOfPlan(planned.data.plan);
    await appendTo(planStream(enforcement), [planned]);
    await appendTo(runStream(enforcement), done);
    await db.transaction((tx) => openRuns.add(tx, [{ ...of, fencingToken: 7 }]));
    await db.query('UPDATE runs SET deaths = 3');
    await db.query(
      `INSERT INTO planned_victims (enforcement, partition, allocation) VALUES ($1, 'p', 'a-1')`,
      [enforcement],
    );
  }
  const claim = async (): Promise<HeldRun> => (await openRuns.claim(1, [])).runs[0]!;
  const eventsOf = async (stream: string) =>
    (await readStream(db, stream)).map((event) => {
      const { name, data } = known(event);
      return { name, data } as DomainEvent;
    });
  /** The run as recorded in its streams; throws where they break a rule of runs. */
  const stateOf = async () =>
    foldRun(initialRunState, [
      ...(await eventsOf(planStream(enforcement))),
      ...(await eventsOf(runStream(enforcement))),
    ]);

  it('ends as failed; each victim without an outcome is spared, and the outcome of open orders is unknown', async () => {
    await run(2500, [
      ...[opened, ordered(1), evicted(1, { memory: 3 }), settled('VictimGone', 2, 'gone')],
      ...[settled('VictimGone', 3, 'other-incarnation'), settled('VictimSpared', 1500, 'protected')],
      ...[ordered(4), ordered(5), ordered(6), settled('VictimGone', 5, 'gone')],
    ]);
    expect(await giveUp.end(await claim(), never)).toBeUndefined();
    const { outcomes, counts, freed, ended } = await stateOf();
    expect(counts).toEqual({ evicted: 1, gone: 3, spared: 2494, failed: 2, notified: 0, waiting: 0 });
    expect([4, 5, 6, 7, 2500].map((rank) => outcomes.get(rank))).toEqual([
      ...['failed', 'gone', 'failed'],
      ...['spared', 'spared'],
    ]);
    expect(freed).toEqual({ memory: 7 });
    expect(ended).toMatchObject({
      ...{ outcome: 'failed', evicted: 1, gone: 3, spared: 2494, failed: 2 },
      ...{ freed: { memory: 7 }, shortfall: { memory: 4993 } },
      message: expect.stringMatching(/could not be carried out: 3 executors tried to carry out the run/),
      notices: [{ code: 'too-large', message: expect.stringMatching(/lower the quota of root\.a in steps/) }],
    });
    expect(ended).not.toHaveProperty('retry');
    const spared = (await eventsOf(runStream(enforcement))).find(
      ({ name, data }) => name === 'VictimSpared' && data.rank === 7,
    );
    expect(spared?.data).toMatchObject({ allocation: 'a-7', uid: 'u-7', code: 'too-large' });
    expect(await db.query('SELECT FROM runs')).toEqual([]);
    expect(await db.query('SELECT FROM planned_victims')).toEqual([]);
    // Those with an unknown outcome may have been evicted: owner budgets and ceilings count them.
    expect(await db.query('SELECT allocation FROM recent_victims ORDER BY allocation')).toEqual(
      ['a-1', 'a-4', 'a-6'].map((allocation) => ({ allocation })),
    );
  });

  it('is ended by the next process after one was stopped while giving it up', async () => {
    await run(2500, [opened]);
    let pages = 0;
    expect(await giveUp.end(await claim(), () => ++pages > 2)).toBe(0);
    expect((await stateOf()).counts.spared).toBe(2000);
    await openRuns.release(enforcement, 0, { forgetDeaths: false });
    await giveUp.end(await claim(), never);
    const { counts, ended } = await stateOf();
    expect(counts.spared).toBe(2500);
    expect(ended).toMatchObject({ spared: 2500 });
  });

  it.each([
    ['whose hold ran out', () => db.query(`UPDATE runs SET lease_until = now() - interval '1 second'`)],
    ['that was alone, and started again', (next: OpenRuns) => next.takeOverAll()],
  ])('stays given up after a process crashed while giving it up, %s', async (_what, lose) => {
    await run(2500, [opened]);
    let pages = 0;
    await giveUp.end(await claim(), () => ++pages > 2);
    expect((await stateOf()).counts.spared).toBe(2000);
    const next = new OpenRuns(db);
    await lose(next);
    expect((await next.claim(1, [])).runs).toMatchObject([{ enforcement, deaths: 3 }]);
  });

  it('is left to the process that has it meanwhile', async () => {
    await run(3, [opened]);
    const lost = await claim();
    await db.query("UPDATE runs SET lease_until = now() - interval '1 second'");
    await new OpenRuns(db).claim(1, []);
    openRuns.doubtHold(enforcement);
    expect(await giveUp.end(lost, never)).toBeUndefined();
    expect((await stateOf()).ended).toBeUndefined();
  });

  it('of a round releases the round, and protects its applications from preemption for a while', async () => {
    await run(3, [opened, ordered(1), evicted(1), settled('VictimFailed', 2, 'refused')], 'intra-queue');
    await db.query(
      `INSERT INTO victim_notes (policy, partition, allocation, application, queue, notified_at, kill_at, round, notified_by)
       SELECT 'intra-queue', 'p', 'a-' || i, 'app', 'root.a', now(), now(), 1, 'e-0' FROM generate_series(1, 3) i`,
    );
    await db.query(
      `INSERT INTO rounds (policy, partition, round, enforcement, fencing_token, state, due_at, started_at, lease_until)
       VALUES ('intra-queue', 'p', 1, $1, 7, 'executing', now(), now(), now())`,
      [enforcement],
    );
    await giveUp.end(await claim(), never);
    expect(await db.query('SELECT state FROM rounds')).toEqual([{ state: 'over' }]);
    expect((await stateOf()).counts).toMatchObject({ evicted: 1, failed: 1, spared: 1 });
    expect(await db.query('SELECT allocation FROM victim_notes')).toEqual([{ allocation: 'a-3' }]);
    expect(await db.query('SELECT application FROM preempted_applications')).toEqual([
      { application: 'app-1' },
    ]);
  });

  it('is not loaded by the next executor, which ends it', async () => {
    await run(3, [opened]);
    const settings = { leaseMs: 60_000, alone: false } as ExecutorSettings;
    const loaded: unknown[] = [];
    const carryOut = { advance: async (run: unknown) => void loaded.push(run) };
    const service = new ExecutorService(openRuns, carryOut as unknown as CarryOut, giveUp, settings, db);
    await service.start();
    try {
      while (!(await stateOf()).ended) await new Promise(setImmediate);
    } finally {
      await service.stop();
    }
    expect(loaded).toEqual([]);
  });
});
