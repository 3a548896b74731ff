import { catalog, topics } from '#contracts/events';
import { openDatabase } from '#event-store';
import { startEmbeddedPostgres } from '#platform';
import { milliseconds, quantile, seconds } from '../measure.js';
import { cpuSeconds, peakMemory } from '../processes.js';
import { count, type Row, report } from '../report.js';
import { withFolder } from '../temporary-folder.js';
import { benchWakeUps } from '../timers.js';
import { type Application, startApplication } from './application.js';
import { configuration, type Load, placeWork, submit } from './load.js';
import { watchLog } from './watch.js';

const ROUNDS = 3;
/** Code is compiled on first use, and statements are planned once for each connection: not measured. */
const WARM_UP_SECONDS = 20;
const MEASURED_SECONDS = 15;
/** The rate of the target, and one that leaves the machine time to spare. */
const LOADS: Load[] = [100, 20].map((perSecond) => ({
  pending: 10_000,
  due: (WARM_UP_SECONDS + MEASURED_SECONDS) * perSecond,
  perSecond,
  leadMs: 8000,
}));
const TARGET_MS = 20;

/** The measurements of one round, in milliseconds. */
interface Round {
  submitted: number;
  allScheduled: number;
  /** Due time to the moment in EnforcementStarted. */
  started: number[];
  /** Due time to the moment when a subscriber saw it, committed. */
  visible: number[];
  /** Due time to the moment when the first kill was recorded. */
  killed: number[];
  /** First due time that is measured to the end of the last run. */
  allEnded: number;
  /** Seconds of a core meanwhile. */
  cpu: { process: number; database: number } | undefined;
  peakBytes: number | undefined;
}

/**
 * Measures the way of a timer through the whole application, each round on a new one: clocks that become due one after the
 * other, each with a run that plans, takes one victim and ends, while ten thousand other clocks run.
 */
export async function benchTimers(): Promise<void> {
  for (const load of LOADS) await benchLoad(load);
  report('The wake-up queue alone, p50 / p99', [await wakeUpsAlone()]);
}

async function benchLoad(load: Load): Promise<void> {
  let best: Round | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const measured = await withFolder(async (folder) => {
      const application = await startApplication(folder);
      return measure(application, load).finally(() => application.stop());
    });
    if (!best || quantile(measured.visible, 0.99) < quantile(best.visible, 0.99)) best = measured;
  }
  const title = `Timers: ${load.perSecond}/s beside ${count(load.pending)} pending, best of ${ROUNDS} rounds, p50 / p99`;
  if (best) report(title, rowsOf(best, load));
}

/** The part of the way that is BullMQ's. */
function wakeUpsAlone(): Promise<Row> {
  return withFolder(async (folder) => {
    const server = await startEmbeddedPostgres({ dataDir: folder });
    return benchWakeUps(server.url).finally(() => server.stop());
  });
}

async function measure(application: Application, load: Load): Promise<Round> {
  await placeWork(application, load);
  const watch = await watchLog(application.databaseUrl, [topics.enforcement]);
  try {
    const began = performance.now();
    const submitted = await submit(application, configuration(load, false));
    await watch.until(catalog.EnforcementScheduled.type, load.pending, 120_000);
    const allScheduled = performance.now() - began;

    await submit(application, configuration(load, true));
    const warm = WARM_UP_SECONDS * load.perSecond;
    await watch.until(catalog.EnforcementStarted.type, warm, 120_000);
    const before = await cpuSeconds(application.pid, application.databasePid);
    await watch.until(catalog.EnforcementEnded.type, load.due, 120_000);
    const after = await cpuSeconds(application.pid, application.databasePid);
    const ended = Date.now();
    const all = watch.seen(catalog.EnforcementStarted.type).map(({ event, at }) => {
      const { enforcement, dueAt, startedAt } = event.data as {
        enforcement: string;
        dueAt: string;
        startedAt: string;
      };
      return { enforcement, dueAt: Date.parse(dueAt), startedAt: Date.parse(startedAt), seenAt: at };
    });
    const begun = all.sort((a, b) => a.dueAt - b.dueAt).slice(warm);
    const kills = await firstKills(application.databaseUrl);
    return {
      submitted,
      allScheduled,
      started: begun.map((run) => run.startedAt - run.dueAt),
      visible: begun.map((run) => run.seenAt - run.dueAt),
      killed: begun.flatMap((run) => {
        const at = kills.get(run.enforcement);
        return at === undefined ? [] : [at - run.dueAt];
      }),
      peakBytes: await peakMemory(application.pid),
      allEnded: ended - Math.min(...begun.map((run) => run.dueAt)),
      cpu: before &&
        after && {
          process: after.process - before.process,
          database: after.database - before.database,
        },
    };
  } finally {
    await watch.stop();
  }
}

/** When the first victim of each run was on record as evicted. */
async function firstKills(databaseUrl: string): Promise<Map<string, number>> {
  const database = await openDatabase(databaseUrl, { poolSize: 1 });
  try {
    const rows = await database.query<{ enforcement: string; at: Date }[]>(
      `SELECT data ->> 'enforcement' AS enforcement, min(time) AS at FROM events WHERE type = $1 GROUP BY 1`,
      [catalog.VictimEvicted.type],
    );
    return new Map(rows.map(({ enforcement, at }) => [enforcement, at.getTime()]));
  } finally {
    await database.destroy();
  }
}

function rowsOf(round: Round, { pending, perSecond }: Load): Row[] {
  const due = MEASURED_SECONDS * perSecond;
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  const late = (what: string, times: number[], targetMs?: number): Row => ({
    what,
    measured: `${milliseconds(quantile(times, 0.5))} / ${milliseconds(quantile(times, 0.99))}`,
    ...(targetMs === undefined
      ? {}
      : { target: `p99 <= ${targetMs} ms`, met: quantile(times, 0.99) <= targetMs }),
  });
  return [
    late('due to EnforcementStarted, as it says', round.started, TARGET_MS),
    late('due to EnforcementStarted, at a subscriber', round.visible, TARGET_MS),
    late(`due to first kill, ${count(round.killed.length)} of ${count(due)} runs`, round.killed),
    { what: `${count(pending)} quotas: the answer to PUT`, measured: seconds(round.submitted) },
    { what: `${count(pending)} quotas: PUT to all scheduled`, measured: seconds(round.allScheduled) },
    ...(round.peakBytes
      ? [{ what: 'memory of the process, at most', measured: megabytes(round.peakBytes) }]
      : []),
    {
      what: `${count(due)} runs due within ${MEASURED_SECONDS} s: all ended after`,
      measured: seconds(round.allEnded),
    },
    ...(round.cpu
      ? [
          {
            what: 'CPU a run: process, database',
            measured: `${milliseconds((1000 * round.cpu.process) / due)}, ${milliseconds((1000 * round.cpu.database) / due)}`,
          },
        ]
      : []),
  ];
}
