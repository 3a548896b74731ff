import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { catalog, topics } from '#contracts/events';
import { type Row, report } from '../../bench/report.js';
import { configuration, placeWork, submit } from '../../bench/service/load.js';
import { setUp } from '../../scripts/infra/index.js';
import { type Growth, MemoryOverTime } from './memory.js';
import { progress } from './progress.js';
import { withServers } from './servers.js';
import { type System, startSystem } from './system.js';
import { type TopicWatch, watchTopics } from './watch-topics.js';

const usage = `npm run soak -- [options]

Loads all services for a while, and reports for each process whether its memory grows.

  --minutes <n>     how long (default: 30)
  --per-second <n>  runs a second, each evicts one allocation (default: 20)
`;

/** A wave of runs every so many seconds; each takes the next of the partitions, whose last one has ended by then. */
const waveSeconds = 10;
const partitions = ['soak-a', 'soak-b', 'soak-c'];
const leadMs = 4000;
const sampleMs = 2000;
const tellMs = 60_000;

interface Options {
  minutes: number;
  perSecond: number;
}

/** Resolves to the exit status: 1 if memory grows, or something was lost. */
export async function soak(words: string[]): Promise<number> {
  const options = read(words);
  if (!options) {
    console.log(usage);
    return 2;
  }
  await setUp({ progress });
  return withServers(async (three) => {
    const system = await startSystem(three, { planners: 2 });
    try {
      return await run(system, options);
    } finally {
      await system.stop();
    }
  });
}

function read(words: string[]): Options | undefined {
  try {
    const { values } = parseArgs({
      args: words,
      options: {
        minutes: { type: 'string', default: '30' },
        'per-second': { type: 'string', default: '20' },
      },
    });
    const options = { minutes: Number(values.minutes), perSecond: Number(values['per-second']) };
    return options.minutes > 0 && options.perSecond > 0 ? options : undefined;
  } catch {
    return undefined;
  }
}

async function run(system: System, { minutes, perSecond }: Options): Promise<number> {
  progress(`${perSecond} runs/s for ${minutes} minutes`);
  const watch = await watchTopics(system, [topics.enforcement]);
  const memory = new MemoryOverTime(system.pids);
  const sampling = setInterval(() => void memory.sample(), sampleMs);
  const reporting = setInterval(
    () => progress(`${endedIn(watch)} runs ended; MB: ${memory.line}`),
    Math.min(tellMs, minutes * 10_000),
  );
  try {
    const until = performance.now() + minutes * 60_000;
    let waves = 0;
    for (; performance.now() < until; waves++) {
      const next = delay(waveSeconds * 1000);
      await wave(system, watch, waves, waveSeconds * perSecond);
      await next;
    }
    const wanted = waves * waveSeconds * perSecond;
    await untilEnded(watch, waves, waveSeconds * perSecond);
    await memory.sample();
    const growth = memory.judge();
    // The broker fills a heap of a fixed size, and gives none of it back.
    const grows = growth.some((one) => one.grows && one.name !== 'Kafka');
    report(`${minutes} minutes of ${perSecond} runs/s; the last two thirds`, growth.map(rowOf));
    return outcome(await audit(system), wanted, grows);
  } finally {
    clearInterval(sampling);
    clearInterval(reporting);
    await watch.stop();
  }
}

/** Puts new work into every queue of a partition, lifts its quotas and lowers them again, one due after the other. */
async function wave(system: System, watch: TopicWatch, nr: number, due: number): Promise<void> {
  const partition = partitions[nr % partitions.length] as string;
  const before = Math.floor(nr / partitions.length) * due;
  await watch.until(catalog.EnforcementEnded.type, before, 120_000, partition);
  await placeWork(system, { due }, partition);
  const load = { pending: 0, due, perSecond: due / waveSeconds, leadMs };
  await submit(system, configuration(load, false, partition), partition);
  await submit(system, configuration(load, true, partition), partition);
}

async function untilEnded(watch: TopicWatch, waves: number, due: number): Promise<void> {
  for (const [i, partition] of partitions.entries()) {
    const ofIt = Math.floor((waves + partitions.length - 1 - i) / partitions.length);
    await watch.until(catalog.EnforcementEnded.type, ofIt * due, 120_000, partition);
  }
}

const endedIn = (watch: TopicWatch) =>
  partitions.reduce((sum, partition) => sum + watch.count(catalog.EnforcementEnded.type, partition), 0);

interface Audit {
  started: number;
  ended: number;
  evicted: number;
  twice: number;
  parked: number;
}

async function audit({ databaseUrl }: System): Promise<Audit> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<Audit>(
    `SELECT (SELECT count(*)::int FROM events WHERE type = $1) AS started,
            (SELECT count(*)::int FROM events WHERE type = $2) AS ended,
            (SELECT count(DISTINCT uid)::int FROM simulated_evictions) AS evicted,
            (SELECT count(*)::int - count(DISTINCT uid)::int FROM simulated_evictions) AS twice,
            (SELECT count(*)::int FROM dead_letters) AS parked`,
    [catalog.EnforcementStarted.type, catalog.EnforcementEnded.type],
  );
  await client.end();
  return rows[0] as Audit;
}

function outcome({ started, ended, evicted, twice, parked }: Audit, wanted: number, grows: boolean): number {
  const isWhole = started === wanted && ended === wanted && evicted === wanted && twice === 0 && parked === 0;
  console.log(
    `\n${wanted} runs wanted: ${started} started, ${ended} ended, ${evicted} evicted, ${twice} twice; ${parked} events put aside`,
  );
  console.log(grows ? 'memory grows' : 'memory does not grow');
  return isWhole && !grows ? 0 : 1;
}

function rowOf({ name, from, to, perHour, noise, grows }: Growth): Row {
  return {
    what: name,
    measured: `${from.toFixed(0)} to ${to.toFixed(0)} MB, ${perHour.toFixed(0)} MB/h`,
    beside: `noise ${noise.toFixed(1)} MB`,
    ...(name === 'Kafka' ? {} : { target: 'no growth', met: !grows }),
  };
}
