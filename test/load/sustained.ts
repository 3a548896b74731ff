import { setTimeout as delay } from 'node:timers/promises';
import { catalog, topics } from '#contracts/events';
import { type Row, report } from '../../bench/report.js';
import { configuration, placeWork, submit } from '../../bench/service/load.js';
import { type Point, slopeOf } from '../../bench/slope.js';
import { GroupLag } from '../../libs/messaging/src/kafka/group-lag.js';
import type { Three } from '../../scripts/infra/index.js';
import { type Cpu, cpuOf, cpuRows, cpuSince } from './cpu.js';
import { type Feed, feedStarts, loweredLater } from './feed-starts.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import { type System, startSystem } from './system.js';
import { type TopicWatch, watchTopics } from './watch-topics.js';

const planners = 2;
const warmUpSeconds = 6;
const leadMs = 15_000;
const checkMs = 500;
/** A lag that grows by less than this part of the rate is one that goes up and down. */
const growth = 0.02;
/** A start at less than this part of the wanted rate proves nothing about the planners. */
const enough = 0.95;

interface Measured {
  fedPerSecond: number;
  plansPerSecond: number;
  lag: Point[];
  cpu: Cpu;
  plans: number;
}

/**
 * Measures whether two planners keep up: so many runs start each second for half a minute, and the lag of their group is
 * checked. The partition is observed, so that the executor has next to nothing to do. The runs are started by the timer; if
 * that cannot be had on the machine, once more by events that go straight into the log.
 */
export async function benchSustained(three: Three, scale: Scale): Promise<void> {
  const { sustainedPerSecond: perSecond, sustainedSeconds } = scale;
  const title = (how: string) =>
    `${perSecond} runs/s to ${planners} planners for ${sustainedSeconds} s, started by ${how}; observed, none evicted`;
  const throughTimer = await withPlanners(three, (system, watch) => startedByTimer(system, watch, scale));
  report(title('the timer'), rowsOf(throughTimer, perSecond));
  if (throughTimer.fedPerSecond >= enough * perSecond) return;
  progress('sustained: the timer had no time for that on this machine; the same straight into the log');
  const fed = await withPlanners(three, (system, watch) => startedByFeed(system, watch, scale));
  report(title('events straight into the log'), rowsOf(fed, perSecond));
}

async function withPlanners(
  three: Three,
  work: (system: System, watch: TopicWatch) => Promise<Measured>,
): Promise<Measured> {
  const system = await startSystem(three, { planners, environment: { CURTAIL_MODE: 'observe' } });
  try {
    const watch = await watchTopics(system, [topics.enforcement, topics.plans]);
    return await work(system, watch).finally(() => watch.stop());
  } finally {
    await system.stop();
  }
}

async function startedByTimer(system: System, watch: TopicWatch, scale: Scale): Promise<Measured> {
  const { sustainedPerSecond: perSecond, sustainedSeconds } = scale;
  const load = { pending: 0, due: (warmUpSeconds + sustainedSeconds) * perSecond, perSecond, leadMs };
  await placeWork(system, load);
  await submit(system, configuration(load, true));
  await watch.until(catalog.EnforcementStarted.type, warmUpSeconds * perSecond, 120_000);
  return measure(system, watch, sustainedSeconds);
}

async function startedByFeed(system: System, watch: TopicWatch, scale: Scale): Promise<Measured> {
  const { sustainedPerSecond: perSecond, sustainedSeconds } = scale;
  const due = (warmUpSeconds + sustainedSeconds) * perSecond;
  await placeWork(system, { due });
  await submit(system, loweredLater(due));
  await watch.until(catalog.EnforcementScheduled.type, due, 120_000);
  const feed: Feed = feedStarts(system, due, perSecond);
  try {
    await delay(warmUpSeconds * 1000);
    return await measure(system, watch, sustainedSeconds);
  } finally {
    await feed.stop();
  }
}

async function measure({ pids, connection }: System, watch: TopicWatch, seconds: number): Promise<Measured> {
  const lagOf = new GroupLag(connection);
  const lag: Point[] = [];
  const counts = () => ({
    started: watch.count(catalog.EnforcementStarted.type),
    planned: watch.count(catalog.PlanComputed.type),
  });
  try {
    const [before, cpuBefore, began] = [counts(), await cpuOf(pids), performance.now()];
    const since = () => (performance.now() - began) / 1000;
    while (since() < seconds) {
      const [behind] = await lagOf.of([{ name: 'planner', topics: [topics.enforcement] }]);
      lag.push({ at: since(), value: behind ?? 0 });
      await delay(checkMs);
    }
    const [after, took] = [counts(), since()];
    return {
      fedPerSecond: (after.started - before.started) / took,
      plansPerSecond: (after.planned - before.planned) / took,
      plans: after.planned - before.planned,
      lag,
      cpu: cpuSince(cpuBefore, await cpuOf(pids)),
    };
  } finally {
    await lagOf.close();
  }
}

function rowsOf({ fedPerSecond, plansPerSecond, lag, cpu, plans }: Measured, wanted: number): Row[] {
  const { perSecond: slope } = slopeOf(lag);
  const values = lag.map(({ value }) => value);
  const met = slope <= growth * wanted && fedPerSecond >= enough * wanted;
  return [
    {
      what: 'lag of the planners, growth a second',
      measured: `${slope.toFixed(1)} messages`,
      target: `<= ${growth * wanted}`,
      met,
    },
    {
      what: '  from, at most, to',
      measured: `${values.at(0)}, ${Math.max(...values)}, ${values.at(-1)} messages`,
    },
    { what: 'runs started', measured: `${fedPerSecond.toFixed(0)}/s`, target: `${wanted}/s` },
    { what: 'plans', measured: `${plansPerSecond.toFixed(0)}/s` },
    ...cpuRows('for each plan', cpu, plans),
  ];
}
