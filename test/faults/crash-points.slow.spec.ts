import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurtailFolder, type CurtailProcess } from '../support/curtail-process.js';
import { applyConfiguration, loadWork } from './api.js';
import { audit } from './audit/audit.js';
import { isOver, readHistory } from './audit/history.js';
import { named } from './audit/log-checks.js';
import { until } from './until.js';

/** Where the process is to die: see test/support/crash-at.mjs. */
interface CrashPoint {
  title: string;
  moment: 'before commit' | 'after commit';
  /** Of the event, or the words of the statement. */
  what: string;
  nth?: number;
  /** The ranks of the victims whose kill is found carried out after the crash. */
  recovered?: number[];
}

const event = (name: string) => `io.curtail.${name}.v1`;
const kill = 'INTO simulated_evictions';

const crashPoints: CrashPoint[] = [
  {
    title: 'after the configuration, before its clock is set',
    moment: 'after commit',
    what: event('quota.changed'),
  },
  { title: 'while the clock is being set', moment: 'before commit', what: event('enforcement.scheduled') },
  {
    title: 'after the clock is set, before its wake-up is requested',
    moment: 'after commit',
    what: event('enforcement.scheduled'),
  },
  { title: 'while the run takes the lock', moment: 'before commit', what: event('enforcement.started') },
  {
    title: 'after the start of the run, before its plan',
    moment: 'after commit',
    what: event('enforcement.started'),
  },
  { title: 'after the plan, before it is carried out', moment: 'after commit', what: event('plan.computed') },
  {
    title: 'after the orders, before the kills',
    moment: 'after commit',
    what: event('victim.ordered'),
  },
  { title: 'during the kills', moment: 'before commit', what: kill },
  { title: 'after the kills, before their record', moment: 'after commit', what: kill, recovered: [1, 2, 3] },
  {
    title: 'after the last outcome, before the end of the run',
    moment: 'after commit',
    what: event('victim.evicted'),
  },
  {
    title: 'after the end of the run, before the lock is given back',
    moment: 'after commit',
    what: event('enforcement.ended'),
  },
];

/** The final record of each queue, whatever happened on the way. */
const wholeHistory = [
  ...['QuotaChanged', 'QuotaNoted'],
  ...['QuotaChanged', 'EnforcementScheduled', 'EnforcementStarted', 'PlanComputed', 'EnforcementOpened'],
  ...['VictimOrdered', 'VictimOrdered', 'VictimOrdered', 'VictimEvicted', 'VictimEvicted', 'VictimEvicted'],
  ...['EnforcementEnded', 'EnforcementReleased'],
];

const environment = { CURTAIL_VICTIMS_PER_SECOND: '1000', CURTAIL_GRACE_SECONDS: '1' };
const delayMs = 200;

/**
 * One data folder for all: the process that gets over one crash is the one that goes into the next. Each has a queue of its
 * own with ten allocations of one unit, whose max goes down from 10 to 7.
 */
describe('a process that dies at a certain point continues where it was', () => {
  let folder: CurtailFolder;
  let curtail: CurtailProcess;
  let url: string;
  const lowered = new Set<number>();

  beforeAll(async () => {
    folder = await CurtailFolder.create();
    ({ curtail, url } = await folder.start({ environment }));
    for (const index of crashPoints.keys()) {
      await loadWork(url, {
        under: `root.t${index}`,
        queues: 1,
        allocations: 10,
        applications: 2,
        nodes: 1,
        resources: [{ memory: 1 }],
        daemonsPercent: 0,
      });
    }
    expect(await applyConfiguration(url, configuration())).toBeDefined();
    // Otherwise the timer of the next process may come to the first change of a queue after its second.
    await until(
      () => folder.databaseUrl(),
      `SELECT count(*) = ${crashPoints.length} FROM events WHERE type = '${event('quota.noted')}' AND data->>'queue' LIKE 'root.t%.q0'`,
      () => curtail.output,
    );
    await curtail.interrupt();
    ({ curtail, url } = await startUntil(0));
  });
  afterAll(() => folder?.remove());

  it.each(crashPoints.map((point, index) => ({ ...point, index })))(
    '$title',
    async ({ index, recovered = [] }) => {
      lowered.add(index);
      await applyConfiguration(url, configuration());
      expect(await curtail.ended).toEqual({ code: null, signal: 'SIGKILL' });
      ({ curtail, url } = await startUntil(index + 1));
      const queue = `root.t${index}.q0`;
      await until(
        () => folder.databaseUrl(),
        `SELECT count(*) = 1 FROM read_runs WHERE queue = '${queue}' AND state = 'ended'`,
        () => curtail.output,
      );
      await until(
        () => folder.databaseUrl(),
        isOver,
        () => curtail.output,
      );

      const history = await readHistory(await folder.databaseUrl(), {
        initialAllocations: [],
        victimsPerSecond: 1000,
      });
      expect(audit(history)).toEqual([]);
      const events = history.log.filter((logged) => 'queue' in logged.data && logged.data.queue === queue);
      expect(events.map(({ name }) => name)).toEqual(wholeHistory);
      const evicted = named(events, 'VictimEvicted').map(({ data }) => data);
      expect(evicted.filter((data) => data.recovered).map(({ rank }) => rank)).toEqual(recovered);
      expect(evicted.map(({ evictionId }) => evictionId)).toEqual(
        // Those of a page are carried out by one statement, in any order.
        history.kills
          .filter((kill) => kill.queue === queue)
          .map(({ evictionId }) => evictionId)
          .sort(),
      );
    },
  );

  /** Starts a process that will die at the point of this number, if there is one. */
  async function startUntil(index: number): Promise<{ curtail: CurtailProcess; url: string }> {
    const point = crashPoints[index];
    if (!point) return folder.start({ environment });
    const { moment, what, nth = 1 } = point;
    const at = { moment, all: [what, `t${index}${what === kill ? '/' : '.q0'}`], nth };
    return folder.start({
      environment: { ...environment, CURTAIL_TEST_CRASH_AT: JSON.stringify(at) },
      preload: ['test/support/crash-at.mjs'],
    });
  }

  function configuration(): unknown {
    const queues = crashPoints.map((_, index) => ({
      name: `t${index}`,
      queues: [
        {
          name: 'q0',
          resources: { max: { memory: lowered.has(index) ? '7' : '10' } },
          properties: lowered.has(index) ? { 'quota.preemption.delay': `${delayMs}ms` } : {},
        },
      ],
    }));
    return {
      partitions: [
        { name: 'default', preemption: { quotapreemptionenabled: true }, queues: [{ name: 'root', queues }] },
      ],
    };
  }
});

describe('a first start that dies between the sample and its quotas', () => {
  let folder: CurtailFolder;
  beforeAll(async () => {
    folder = await CurtailFolder.create();
  });
  afterAll(() => folder?.remove());

  it('is made good by the next one', async () => {
    const sample = { ...environment, CURTAIL_SAMPLE: 'yes' };
    const at = { moment: 'after commit', all: ['INTO simulated_allocations'] };
    const first = folder.spawn({
      environment: { ...sample, CURTAIL_TEST_CRASH_AT: JSON.stringify(at) },
      preload: ['test/support/crash-at.mjs'],
    });
    expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' });
    const { curtail, url } = await folder.start({ environment: sample });
    expect((await fetch(`${url}/v1/partitions/default/config`)).status).toBe(200);
    expect((await curtail.interrupt()).code).toBe(0);
  });
});
