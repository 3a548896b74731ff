import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { join } from 'node:path';
import { together } from '../../scripts/infra/kubernetes/fill.js';
import { aloneRows, beside } from '../agent-rows.js';
import { timed } from '../measure.js';
import { root } from '../processes.js';
import { count, type Row, report } from '../report.js';
import { clusterAt } from './cluster.js';

const APPS = 200;
const CONTAINERS_OF_APP = 50;
/** And as many for the bare requests. */
const SIGNALS_OF_APP = 20;
const SIGNALLED_APPS = 25;
/** As many as the agent has in flight at most. */
const AT_ONCE = 8;
const ROUNDS = 12;
const PARTS = 5;

interface Listed {
  id: string;
}

/** Measures the agent of YARN beside bare requests to the same manager, which replays recorded answers. */
export async function benchYarn(): Promise<void> {
  const manager = fork(join(root, 'dist/bench/yarn/replaying-manager.js'), [
    `${APPS}`,
    `${CONTAINERS_OF_APP}`,
  ]);
  try {
    const [port] = (await once(manager, 'message')) as [number];
    const url = `http://127.0.0.1:${port}`;
    report(`YARN: the agent with ${count(APPS * CONTAINERS_OF_APP)} containers in ${APPS} applications`, [
      ...(await aloneRows('yarn/agent-alone.js', url, { idlePercent: 2 })),
      await refreshRow(url),
      await signalsRow(url),
    ]);
  } finally {
    manager.kill();
  }
}

/** Both take turns; the best of the rounds counts. */
async function refreshRow(url: string): Promise<Row> {
  const [bare, own] = [[] as number[], [] as number[]];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await timed(() => refreshBare(url)));
    const { api, cluster } = clusterAt(url);
    own.push(await timed(() => cluster.start(() => {})));
    await cluster.stop();
    api.close();
  }
  return beside('a whole refresh', Math.min(...own), Math.min(...bare), 1.5);
}

/** The same requests in the same order, parsed: the applications are read again around the lists of their containers. */
async function refreshBare(url: string): Promise<void> {
  await withBare(url, async (ask) => {
    await ask('GET', '/scheduler-conf/version');
    const [listed] = await Promise.all(
      ['/apps', '/info', '/nodes', '/scheduler'].map((path) => ask('GET', path)),
    );
    const { app } = (listed as { apps: { app: Listed[] } }).apps;
    await together(
      app.map(({ id }) => id),
      AT_ONCE,
      (id) => ask('GET', containersOf(id)),
    );
    await ask('GET', '/apps');
    await ask('GET', '/scheduler-conf');
  });
}

/** By turns with other containers of the same applications. */
async function signalsRow(url: string): Promise<Row> {
  const { api, cluster } = clusterAt(url);
  await cluster.start(() => {});
  const { allocations } = cluster.partition('default').listing();
  const of = new Map<string, string[]>();
  for (const { id, application, role } of allocations) {
    if (role === 'task') of.set(application, [...(of.get(application) ?? []), id]);
  }
  const chosen = [...of.values()].slice(0, SIGNALLED_APPS);
  const evict = async (id: string) => {
    const outcome = await cluster.evictor.evict({
      ...{ partition: 'default', evictionId: `bench-${id}`, attempt: 1, allocation: id, uid: id },
      ...{ application: 'bench', queue: 'root.dev', graceSeconds: 30 },
      ...{ deadlineAt: '2100-01-01T00:00:00Z', reason: 'The quota of root.dev was lowered.' },
    });
    if (outcome.answer !== 'accepted') throw new Error(JSON.stringify(outcome));
  };
  let [bare, own] = [0, 0];
  for (let part = 0; part < PARTS; part++) {
    const ids = chosen.slice((part * SIGNALLED_APPS) / PARTS, ((part + 1) * SIGNALLED_APPS) / PARTS);
    const some = (from: number) => ids.flatMap((all) => all.slice(from, from + SIGNALS_OF_APP));
    bare += await timed(() =>
      withBare(url, (ask) =>
        together(some(0), AT_ONCE, (id) => ask('POST', `/containers/${id}/signal/GRACEFUL_SHUTDOWN`)),
      ),
    );
    own += await timed(() => together(some(SIGNALS_OF_APP), 2 * AT_ONCE, evict));
  }
  await cluster.stop();
  api.close();
  const rate = (time: number, of: number) => (1000 * of) / time;
  const signals = SIGNALLED_APPS * SIGNALS_OF_APP;
  const [measured, other] = [rate(own, signals), rate(bare, signals)];
  return {
    what: `${signals} signals in ${SIGNALLED_APPS} applications, each looked up before`,
    measured: `${measured.toFixed(0)}/s`,
    beside: `${other.toFixed(0)}/s`,
    ratio: (measured / other).toFixed(2),
    target: '>= 0.8',
    met: measured / other >= 0.8,
  };
}

const containersOf = (app: string): string =>
  `/apps/${app}/appattempts/${app.replace('application', 'appattempt')}_000001/containers`;

type Ask = (method: string, path: string) => Promise<unknown>;

/** Requests of node's own client, with as many connections as the agent. */
async function withBare(url: string, work: (ask: Ask) => Promise<unknown>): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const ask: Ask = (method, path) =>
    new Promise((resolve, reject) => {
      http
        .request(`${url}/ws/v1/cluster${path}`, { method, agent }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve(text === '' ? undefined : JSON.parse(text));
          });
        })
        .on('error', reject)
        .end();
    });
  await work(ask).finally(() => agent.destroy());
}
