import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Chance } from '../../support/chance.js';
import { assertBuilt } from '../../support/curtail-process.js';
import { audit } from '../audit/audit.js';
import { named } from '../audit/log-checks.js';
import { acceptedAreOnRecord, wireHoldsTheLog } from './checks.js';
import { groupIsStable } from './group-members.js';
import { Load } from './load.js';
import { haveAllPlanned, lastPlan, type Planned, plannedFrom, watchPlanners } from './planned-by.js';
import type { Ground } from './servers.js';
import { sharedGround } from './shared-ground.js';
import { Stage } from './stage.js';
import { Tree, usualShape } from './tree.js';

const seed = Number(process.env.CURTAIL_TEST_SEED ?? Math.floor(Math.random() * 1e6));

describe(`several planners under one load (CURTAIL_TEST_SEED=${seed})`, () => {
  let stage: Stage<Ground>;
  let load: Load;

  beforeAll(async () => {
    await assertBuilt();
    const counts = { 'config-ingest': 1, timer: 1, planner: 2, executor: 1, console: 1 };
    stage = await Stage.on(await sharedGround(), { counts });
    await watchPlanners(stage);
    // So many queues that they are not all at their least when the last test still waits for runs, however slow the machine.
    const tree = new Tree('load', new Chance(seed), { ...usualShape, groups: 30 });
    await stage.plant(tree);
    await groupIsStable(stage.servers, 'planner', 2);
    load = new Load({ tree, perSecond: 5, url: stage.fleet.url('config-ingest-1') });
    await load.begin();
  });
  afterAll(() => stage?.remove());

  it('share it by queue, two of them', async () => {
    const planned = await whileStable(['planner-1', 'planner-2'], 0);
    expect(plannersByQueue(planned).filter(([, planners]) => planners.length > 1)).toEqual([]);
  });

  it('share it with a third one that joins', async () => {
    const third = await stage.fleet.add('planner');
    await stage.fleet.ready([third]);
    await groupIsStable(stage.servers, 'planner', 3);
    // A plan that is on its way while the partitions move may be planned on either side.
    await stage.moreRuns(5);
    const planned = await whileStable(['planner-1', 'planner-2', third], await lastPlan(stage));
    expect(plannersByQueue(planned).filter(([, planners]) => planners.length > 1)).toEqual([]);
  });

  it('continue when one leaves', async () => {
    expect(await stage.fleet.stop('planner-1')).toBe(0);
    const from = await lastPlan(stage);
    await groupIsStable(stage.servers, 'planner', 2);
    await whileStable(['planner-2', 'planner-3'], from);
  });

  it('continue when one dies, with what was its own', async () => {
    const its = (await plannedFrom(stage, 0)).filter(({ planner }) => planner === 'planner-2');
    await stage.fleet.kill('planner-2');
    const from = await lastPlan(stage);
    await groupIsStable(stage.servers, 'planner', 1);
    await stage.moreRuns(15);
    const planned = await plannedFrom(stage, from);
    expect(new Set(planned.map(({ planner }) => planner))).toEqual(new Set(['planner-3']));
    expect(its.length).toBeGreaterThan(0);
  });

  it('have lost nothing, and done nothing twice', async () => {
    await load.stop();
    await stage.settled();
    const history = await stage.history();
    const started = named(history.log, 'EnforcementStarted').map(({ data }) => data.enforcement);
    const planned = (await plannedFrom(stage, 0)).map(({ enforcement }) => enforcement);
    expect([...planned].sort()).toEqual([...started].sort());
    expect(audit(history)).toEqual([]);
    expect(acceptedAreOnRecord(history, load.accepted)).toEqual([]);
    expect(wireHoldsTheLog(history, await stage.wire.read())).toEqual([]);
    expect(stage.fleet.surprises).toEqual([]);
    for (const name of ['planner-1', 'planner-2']) stage.fleet.forget(name);
    await stage.fleet.end();
  });

  /** The plans from there on, until each planner has planned and some more runs have ended. */
  async function whileStable(planners: string[], from: number): Promise<Planned[]> {
    await haveAllPlanned(stage, planners, from);
    await stage.moreRuns(15);
    const planned = await plannedFrom(stage, from);
    expect(new Set(planned.map(({ planner }) => planner))).toEqual(new Set(planners));
    return planned;
  }
});

function plannersByQueue(planned: Planned[]): [string, string[]][] {
  const byQueue = new Map<string, Set<string>>();
  for (const { queue, planner } of planned)
    byQueue.set(queue, (byQueue.get(queue) ?? new Set()).add(planner));
  return [...byQueue].map(([queue, planners]) => [queue, [...planners]]);
}
