import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { get, Agent as HttpAgent } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type TreeLook, takeLook, YtApi, YtInventory } from '#agents/ytsaurus';
import { together } from '../../scripts/infra/kubernetes/fill.js';
import { aloneRows, beside } from '../agent-rows.js';
import { timed } from '../measure.js';
import { root } from '../processes.js';
import { count, type Row, report } from '../report.js';

const OPERATIONS = 20_000;
const JOBS_EACH = 10;
const CHANGED = 200;
const ROUNDS = 5;
/** A tree of that size takes V8 longer to settle. */
const alone = { megabytes: 300, idlePercent: 2, settleSeconds: 10, idleSeconds: 60 };
const AT_ONCE = 8;

type Taken = { command: string; parameters: string; coding: string }[];

/** Measures the agent on a proxy with made-up work, beside the same requests without an agent. */
export async function benchYtsaurus(): Promise<void> {
  const server = fork(join(root, 'dist/bench/ytsaurus/server.js'), [`${OPERATIONS}`, `${JOBS_EACH}`]);
  try {
    const [port] = (await once(server, 'message')) as [number];
    const url = `http://127.0.0.1:${port}`;
    report(
      `YTsaurus: the agent with ${count(OPERATIONS * JOBS_EACH)} jobs in ${count(OPERATIONS)} operations`,
      [...(await refreshRows(server, url)), ...(await aloneRows('ytsaurus/agent-alone.js', url, alone))],
    );
  } finally {
    server.kill();
  }
}

/** Each look, and then its requests again without anything around them. The best of the rounds counts. */
async function refreshRows(server: ChildProcess, url: string): Promise<Row[]> {
  const tell = async (change?: number): Promise<Taken> => {
    server.send({ change });
    const [taken] = (await once(server, 'message')) as [Taken];
    return taken;
  };
  const agent = new HttpAgent({ keepAlive: true, maxSockets: AT_ONCE });
  const parts = {
    first: 'the first look',
    changed: `a look with ${CHANGED} changed operations`,
    idle: 'a look without changes',
  };
  const best = new Map<string, { own: number; bare: number; requests: number }>();
  for (let round = 0; round < ROUNDS; round++) {
    const api = new YtApi({ url });
    const inventory = new YtInventory({ hasEnding: () => false, isEnding: () => false });
    let before: TreeLook | undefined;
    for (const part of Object.keys(parts)) {
      await tell(part === 'changed' ? CHANGED : undefined);
      const own = await timed(async () => {
        const options = { tree: 'physical', elapsed: () => performance.now(), listAgainMs: 30_000 };
        before = await takeLook(api, before, options);
        inventory.show(before);
        inventory.changes();
      });
      const taken = await tell();
      const bare = await timed(() => together(taken, AT_ONCE, (one) => bareRead(url, agent, one)));
      const known = best.get(part) ?? { own, bare, requests: taken.length };
      best.set(part, { ...known, own: Math.min(known.own, own), bare: Math.min(known.bare, bare) });
    }
    api.close();
  }
  agent.destroy();
  return Object.entries(parts).map(([part, what]) => {
    const { own, bare, requests } = best.get(part)!;
    return beside(`${what}, ${count(requests)} requests`, own, bare, 1.5);
  });
}

function bareRead(
  url: string,
  agent: HttpAgent,
  { command, parameters, coding }: Taken[number],
): Promise<unknown> {
  const headers = { 'x-yt-parameters': parameters, ...(coding !== '' && { 'accept-encoding': coding }) };
  return new Promise((resolve, reject) => {
    get(`${url}/api/v4/${command}`, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = Buffer.concat(chunks);
        const text = response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
        resolve(JSON.parse(text.toString()));
      });
    }).on('error', reject);
  });
}
