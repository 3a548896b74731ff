import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
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
    const socketPath = join(folder, 'curtail.sock');
    const application = await startApplication(join(folder, 'data'), {
      CURTAIL_SOCKET: socketPath,
      CURTAIL_TOKEN: tokens.operator,
      CURTAIL_TEAMS_FILE: teams,
    });
    try {
      await configure(application);
      const place = { url: application.url, socketPath };
      const quiet = await timed(place, 10_000);
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
      const loaded = await timed(place, measuredMs);
      harm.postMessage('end');
      const [sent] = (await once(harm, 'message')) as [Row[]];
      await harm.terminate();
      flood.process.kill('SIGKILL');
      report(`The brake, ${count(partitions)} partitions`, [...rowsOf(quiet, loaded), ...sent]);
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

interface Place {
  url: string;
  socketPath: string;
}

interface Measured {
  what: string;
  targetMs?: number;
  /** @returns whether it succeeded. */
  act: (place: Place) => Promise<boolean>;
}

const stop: Sent = {
  ...{ who: 'operator', method: 'POST', path: '/v1/kill-switch' },
  ...{ type: 'application/json', body: '{"queue":"root.research","by":"ann"}' },
};
const status: Sent = { who: 'operator', method: 'GET', path: '/v1/status' };

const isAnswered = ({ status }: { status: number }): boolean => status === 200;
const commanded = async (words: string[], server: string): Promise<boolean> => {
  const environment = { CURTAIL_TOKEN: tokens.operator };
  // 1: a status with something that needs attention, such as a stop.
  await startProgram(['bin/curtail.mjs', ...words, '--server', server], environment, [0, 1]).ended;
  return true;
};
const page = new Agent({ keepAlive: true });

/** As operators send them: each over a connection of its own, which is opened under the load, and as whole processes. */
const measured: readonly Measured[] = [
  { what: 'stop', targetMs: stopTargetMs, act: async ({ url }) => isAnswered(await send(url, stop)) },
  {
    what: 'stop over the Unix socket',
    targetMs: stopTargetMs,
    act: async ({ socketPath }) => isAnswered(await send({ socketPath }, stop)),
  },
  {
    what: 'curtail stop, the whole process',
    targetMs: stopTargetMs,
    act: ({ url }) => commanded(['stop', 'root.research'], url),
  },
  { what: 'status', targetMs: statusTargetMs, act: async ({ url }) => isAnswered(await send(url, status)) },
  {
    what: 'status over the Unix socket',
    targetMs: statusTargetMs,
    act: async ({ socketPath }) => isAnswered(await send({ socketPath }, status)),
  },
  {
    what: 'status over a kept connection, as the page',
    targetMs: statusTargetMs,
    act: async ({ url }) => isAnswered(await send(url, status, { agent: page })),
  },
  {
    what: 'curtail status, the whole process',
    targetMs: statusTargetMs,
    act: ({ url }) => commanded(['status'], url),
  },
  {
    what: 'curtail stop --help, a process that sends nothing',
    act: ({ url }) => commanded(['stop', '--help'], url),
  },
];

/** The times of each, in milliseconds, each in its turn; one that is refused counts as one that never ended. */
async function timed(place: Place, forMs: number): Promise<number[][]> {
  const times: number[][] = measured.map(() => []);
  for (const until = performance.now() + forMs; performance.now() < until; await delay(betweenMs)) {
    for (const [index, { act }] of measured.entries()) {
      const began = performance.now();
      const isDone = await act(place).catch(() => false);
      times[index]!.push(isDone ? performance.now() - began : Number.POSITIVE_INFINITY);
    }
  }
  return times;
}

function rowsOf(quiet: number[][], loaded: number[][]): Row[] {
  return measured.map(({ what, targetMs }, index) => {
    const times = loaded[index]!;
    const slowest = Math.max(...times);
    return {
      what: `${what}, the slowest of ${times.length} (median ${seconds(quantile(times, 0.5))})`,
      measured: seconds(slowest),
      beside: seconds(Math.max(...quiet[index]!)),
      ...(targetMs !== undefined && { target: `<= ${seconds(targetMs)}`, met: slowest <= targetMs }),
    };
  });
}
