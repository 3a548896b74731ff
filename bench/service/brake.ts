import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { quantile, seconds } from '../measure.js';
import { startProgram } from '../processes.js';
import { count, type Row, report } from '../report.js';
import { withFolder } from '../temporary-folder.js';
import { type Application, startApplication } from './application.js';
import { type Sent, send, tokens } from './send.js';

const floodPerSecond = 2000;
const partitions = 44;
const stopTargetMs = 1000;
const statusTargetMs = 2000;
const measuredMs = 60_000;
const betweenMs = 500;

/**
 * The brake while everything happens at once that may starve it: 2,000 refused requests a second and 500 connections whose requests never end
 * from other addresses, and a team that sends 200 long bodies of JSON and YAML at once, asks for previews and statuses over many connections,
 * opens live pages, and asks for files of the page. Commands of an operator are timed meanwhile. docs/explanation/performance.md, "The brake under load"
 */
export async function benchBrake(): Promise<void> {
  await withFolder(async (folder) => {
    const teams = join(folder, 'teams.yaml');
    const sha256 = createHash('sha256').update(tokens.team).digest('hex');
    await writeFile(teams, `teams:\n  - {name: web, queue: root.web, sha256: "${sha256}"}\n`);
    const application = await startApplication(join(folder, 'data'), {
      CURTAIL_TOKEN: tokens.operator,
      CURTAIL_TEAMS_FILE: teams,
    });
    try {
      await configure(application);
      const quiet = await timed(application, 10_000);
      // In a thread of its own: its bodies must not delay what is timed here.
      const harm = new Worker(new URL('./harm.js', import.meta.url), { workerData: application.url });
      // Its connections are open before those of the flood wait to be accepted, in front of them.
      await delay(5000);
      const flood = startProgram(
        ['test/support/flood.mjs', application.url, String(floodPerSecond), '127.0.0.2'],
        {},
      );
      flood.ended.catch(() => {});
      await delay(2000);
      const loaded = await timed(application, measuredMs);
      harm.postMessage('end');
      const [sent] = (await once(harm, 'message')) as [Row[]];
      await harm.terminate();
      flood.process.kill('SIGKILL');
      report(`The brake, ${count(partitions)} partitions`, [
        ...rowsOf('stop', quiet.stop, loaded.stop, stopTargetMs),
        ...rowsOf('status', quiet.status, loaded.status, statusTargetMs),
        ...sent,
      ]);
    } finally {
      await application.stop();
    }
  });
}

async function configure(application: Application): Promise<void> {
  const queues = ['web', 'research'].map((name) => ({ name, resources: { max: { memory: '100G' } } }));
  for (let index = 0; index < partitions; index++) {
    const partition = index === 0 ? 'default' : `p${index}`;
    const body = { partitions: [{ name: partition, queues: [{ name: 'root', queues }] }] };
    const { status } = await send(application.url, {
      ...{ who: 'operator', method: 'PUT', path: `/v1/partitions/${partition}/config` },
      ...{ type: 'application/json', body: JSON.stringify(body) },
    });
    if (status !== 200) throw new Error(`the configuration of ${partition} was answered with ${status}`);
  }
}

interface Times {
  stop: number[];
  status: number[];
}

/** Commands of an operator, each in its turn; one that is refused counts as one that never ended. */
async function timed(application: Application, forMs: number): Promise<Times> {
  const times: Times = { stop: [], status: [] };
  const of = async (sent: Sent, kept: number[]) => {
    const answered = await send(application.url, sent).catch(() => undefined);
    kept.push(answered?.status === 200 ? answered.ms : Number.POSITIVE_INFINITY);
  };
  const place = { type: 'application/json', body: '{"queue":"root.research","by":"ann"}' };
  for (const until = performance.now() + forMs; performance.now() < until; await delay(betweenMs)) {
    await of({ who: 'operator', method: 'POST', path: '/v1/kill-switch', ...place }, times.stop);
    await of({ who: 'operator', method: 'GET', path: '/v1/status' }, times.status);
  }
  return times;
}

const rowsOf = (what: string, quiet: number[], loaded: number[], target: number): Row[] => [
  {
    what: `${what}, p50`,
    measured: seconds(quantile(loaded, 0.5)),
    beside: seconds(quantile(quiet, 0.5)),
  },
  {
    what: `${what}, the slowest of ${loaded.length}`,
    measured: seconds(Math.max(...loaded)),
    beside: seconds(Math.max(...quiet)),
    target: `<= ${seconds(target)}`,
    met: Math.max(...loaded) <= target,
  },
];
