import { setMaxListeners } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { count, type Row } from '../report.js';
import { type Sent, send, tokens } from './send.js';

/* What a team sends at once, for the benchmark of the brake: it begins with the thread, and ends with a message to it. */

const entry = '/v1/partitions/default/queues/root.web/config';
const million = 1_000_000;

/** What a team sends over so many connections, again and again. */
const harmful: readonly { what: string; connections: number; sent: Sent }[] = [
  {
    what: 'long JSON that is none',
    connections: 50,
    sent: ofTeam('PUT', entry, 'application/json', `${'\n'.repeat(30 * million)}x`),
  },
  {
    what: 'long JSON of many values',
    connections: 50,
    sent: ofTeam('PUT', entry, 'application/json', `[${'{},'.repeat(10 * million)}{}]`),
  },
  {
    what: 'a long answer of an owner',
    connections: 50,
    sent: ofTeam('POST', '/v1/answers', 'application/json', '\n'.repeat(30 * million)),
  },
  {
    what: 'YAML that is slow to read',
    connections: 50,
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
  return { who: 'team', method, path, type, body: Buffer.from(body) };
}

const slowAtOnce = 500;

/** Requests from another address that send a byte a second: one that is cut off is opened again. @returns how many were cut off. */
function beginSlowly(url: string, over: AbortSignal): () => number {
  const { hostname: host, port } = new URL(url);
  let cutOff = 0;
  const open = () => {
    if (over.aborted) return;
    const socket = connect({ host, port: Number(port), localAddress: '127.0.0.3' });
    const dripping = setInterval(() => socket.write('x'), 1000);
    const end = () => socket.destroy();
    over.addEventListener('abort', end, { once: true });
    socket.write(`POST /v1/kill-switch HTTP/1.1\r\nHost: ${host}:${port}\r\nContent-Length: 60000\r\n\r\n`);
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.once('close', () => {
      clearInterval(dripping);
      over.removeEventListener('abort', end);
      if (over.aborted) return;
      cutOff += 1;
      setTimeout(open, 100);
    });
  };
  for (let count = 0; count < slowAtOnce; count++) open();
  return () => cutOff;
}

/** Begins all of it. @returns a function that ends it, and says how often each was sent. */
function begin(url: string): () => Promise<Row[]> {
  const over = new AbortController();
  // One for each request under way.
  setMaxListeners(0, over.signal);
  const cutOff = beginSlowly(url, over.signal);
  const answers = harmful.map(({ connections, sent }) => {
    const found = new Map<string, number>();
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const keep = async () => {
      while (!over.signal.aborted) {
        const { status } = await send(url, sent, { agent, signal: over.signal }).catch(() => ({
          status: 'cut off',
        }));
        found.set(String(status), (found.get(String(status)) ?? 0) + 1);
        // Retries as clients do after Retry-After, only far sooner.
        if (status !== 200) await delay(50);
      }
    };
    return { found, ended: Promise.all(Array.from({ length: connections }, keep)) };
  });
  const pages = Array.from({ length: 1010 }, () =>
    fetch(`${url}/v1/live`, {
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
    return [
      ...harmful.map(({ what, connections }, index) => ({
        what: `${what}, over ${connections} connections`,
        measured: [...answers[index]!.found]
          .map(([status, times]) => `${count(times)} x ${status}`)
          .join(', '),
      })),
      { what: 'live pages of the team, of 1,010', measured: count(opened) },
      { what: `slow requests, ${slowAtOnce} at once`, measured: `${count(cutOff())} cut off` },
    ];
  };
}

const end = begin(workerData as string);
parentPort?.once('message', async () => {
  parentPort?.postMessage(await end());
});
