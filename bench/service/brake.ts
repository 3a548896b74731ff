import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { quantile, seconds } from '../measure.js';
import { startProgram } from '../processes.js';
import { count, type Row, report } from '../report.js';
import { withFolder } from '../temporary-folder.js';
import { type Application, startApplication } from './application.js';

const tokens = { operator: 'the-token-of-the-operators', team: 'the-token-of-a-team' };
const floodPerSecond = 2000;
const partitions = 44;
const stopTargetMs = 1000;
const statusTargetMs = 2000;
const measuredMs = 60_000;
const betweenMs = 500;

/** A request that the harmful one repeats. */
interface Sent {
  who: keyof typeof tokens | undefined;
  method: string;
  path: string;
  type?: string;
  body?: string;
}

/**
 * The brake while everything happens at once that may starve it: 2,000 refused requests a second, and a team that sends long bodies of JSON,
 * YAML that is slow to read, previews and statuses over many connections, opens live pages, and asks for files of the page. Commands of an
 * operator are timed meanwhile. docs/explanation/performance.md, "The brake under load"
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
      const end = harm(application);
      // Until all of it is under way.
      await delay(5000);
      const loaded = await timed(application, measuredMs);
      const sent = await end();
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
    const { status } = await send(application, {
      ...{ who: 'operator', method: 'PUT', path: `/v1/partitions/${partition}/config` },
      ...{ type: 'application/json', body: JSON.stringify(body) },
    });
    if (status !== 200) throw new Error(`the configuration of ${partition} was answered with ${status}`);
  }
}

async function send(
  { url }: Application,
  { who, method, path, type, body }: Sent,
  signal?: AbortSignal,
): Promise<{ status: number; ms: number }> {
  const began = performance.now();
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(who && { authorization: `Bearer ${tokens[who]}` }),
      ...(type && { 'content-type': type }),
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - began };
}

interface Times {
  stop: number[];
  status: number[];
}

/** Commands of an operator, each in its turn; one that is refused counts as one that never ended. */
async function timed(application: Application, forMs: number): Promise<Times> {
  const times: Times = { stop: [], status: [] };
  const of = async (sent: Sent, kept: number[]) => {
    const answered = await send(application, sent).catch(() => undefined);
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

const entry = '/v1/partitions/default/queues/root.web/config';
const million = 1_000_000;

/** What a team sends over so many connections, again and again. */
const harmful: readonly { what: string; connections: number; sent: Sent }[] = [
  {
    what: 'long JSON that is none',
    connections: 2,
    sent: ofTeam('PUT', entry, 'application/json', `${'\n'.repeat(30 * million)}x`),
  },
  {
    what: 'long JSON of many values',
    connections: 2,
    sent: ofTeam('PUT', entry, 'application/json', `[${'{},'.repeat(10 * million)}{}]`),
  },
  {
    what: 'a long answer of an owner',
    connections: 2,
    sent: ofTeam('POST', '/v1/answers', 'application/json', '\n'.repeat(30 * million)),
  },
  {
    what: 'YAML that is slow to read',
    connections: 4,
    sent: ofTeam('PUT', `${entry}?dryRun=true`, 'application/yaml', '"'.repeat(1.5 * million)),
  },
  {
    what: 'short YAML that is slow to read',
    connections: 4,
    sent: ofTeam('PUT', `${entry}?dryRun=true`, 'application/yaml', '& '.repeat(16_000)),
  },
  {
    what: 'dry runs',
    connections: 24,
    sent: ofTeam(
      'PUT',
      `${entry}?dryRun=true`,
      'application/yaml',
      'name: web\nresources: {max: {memory: 1G}}\n',
    ),
  },
  { what: 'statuses', connections: 24, sent: { who: 'team', method: 'GET', path: '/v1/status' } },
  { what: 'files of the page', connections: 4, sent: { who: undefined, method: 'HEAD', path: '/ui/' } },
];

function ofTeam(method: string, path: string, type: string, body: string): Sent {
  return { who: 'team', method, path, type, body };
}

/** Begins all of it. @returns a function that ends it, and says how often each was sent. */
function harm(application: Application): () => Promise<Row[]> {
  const over = new AbortController();
  const flood = startProgram(['test/support/flood.mjs', application.url, String(floodPerSecond)], {});
  flood.ended.catch(() => {});
  const answers = harmful.map(({ connections, sent }) => {
    const found = new Map<string, number>();
    const keep = async () => {
      while (!over.signal.aborted) {
        const { status } = await send(application, sent, over.signal).catch(() => ({ status: 'cut off' }));
        found.set(String(status), (found.get(String(status)) ?? 0) + 1);
        // As clients do that are told to wait, only far sooner.
        if (status !== 200) await delay(50);
      }
    };
    return { found, ended: Promise.all(Array.from({ length: connections }, keep)) };
  });
  const pages = Array.from({ length: 1010 }, () =>
    fetch(`${application.url}/v1/live`, {
      headers: { authorization: `Bearer ${tokens.team}` },
      signal: over.signal,
    }).then(
      ({ status }) => status,
      () => 0,
    ),
  );
  return async () => {
    const opened = (await Promise.all(pages)).filter((status) => status === 200).length;
    over.abort();
    await Promise.all(answers.map(({ ended }) => ended));
    flood.process.kill('SIGKILL');
    return [
      ...harmful.map(({ what, connections }, index) => ({
        what: `${what}, over ${connections} connections`,
        measured: [...answers[index]!.found]
          .map(([status, times]) => `${count(times)} x ${status}`)
          .join(', '),
      })),
      { what: 'live pages of the team, of 1,010', measured: count(opened) },
    ];
  };
}
