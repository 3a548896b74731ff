/** A proxy of YTsaurus with made-up work, in a process of its own. Takes `change` with a number of operations, and `taken`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

const [operations, jobsEach] = process.argv.slice(2).map(Number) as [number, number];
const nodes = 2000;
const pageItems = 1000;
const scheduler = '//sys/scheduler/orchid/scheduler';
const began = Date.now() - 86_400_000;
const hex = (number: number) => number.toString(16);
const idOf = (operation: number) => `a-b-${hex(operation)}-1`;
const at = (seconds: number) => new Date(began + seconds * 1000).toISOString();
/** How many jobs of each operation have ended so far. */
const ended = new Uint32Array(operations);
const amounts = (count: number) => ({
  cpu: count,
  memory: count * 2 ** 30,
  user_slots: count,
  gpu: 0,
  network: 0,
});

const orchidOf = () =>
  Object.fromEntries(
    Array.from(ended, (_, i) => [
      idOf(i),
      {
        pool: `pool-${i % 100}`,
        weight: 1,
        resource_usage: amounts(jobsEach),
        resource_demand: amounts(jobsEach + (i % 10 === 0 ? 5 : 0)),
        is_gang: false,
        preemption_mode: 'normal',
      },
    ]),
  );
const listedOf = (i: number) => ({
  id: idOf(i),
  type: 'vanilla',
  state: 'running',
  authenticated_user: `user-${i % 300}`,
  start_time: at(i),
  suspended: false,
  brief_progress: { jobs: { running: jobsEach, pending: 0, completed: { total: ended[i] } } },
  runtime_parameters: {
    scheduling_options_per_pool_tree: { physical: { pool: `pool-${i % 100}`, weight: 1 } },
  },
});
const jobsOf = (i: number) => ({
  jobs: Array.from({ length: jobsEach }, (_, k) => {
    const job = (ended[i] as number) + k;
    return {
      id: `${hex(job)}-c-${hex(i)}-1`,
      allocation_id: `${hex(job)}-d-${hex(i)}-1`,
      state: 'running',
      address: `node-${(i * jobsEach + k) % nodes}:9012`,
      start_time: at(i + job),
      task_name: 'task',
    };
  }),
});
const nodesOf = () =>
  Object.fromEntries(
    Array.from({ length: nodes }, (_, i) => [
      `node-${i}:9012`,
      {
        resource_limits: amounts((operations * jobsEach) / nodes),
        scheduler_state: 'online',
        master_state: 'online',
        tags: ['default'],
      },
    ]),
  );
const treeOf = () => ({
  $attributes: { config: { main_resource: 'cpu' }, revision: 1 },
  $value: Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`pool-${i}`, { $attributes: { revision: 1 }, $value: {} }]),
  ),
});

/** Long answers stay the same until work changes. They are rebuilt at the moment of a change, so that no request waits for it. */
const kept = new Map<string, { make: () => unknown; plain: string; packed: Buffer }>();
const keep = (key: string, make: () => unknown) => {
  const plain = JSON.stringify(make());
  const known = { make, plain, packed: gzipSync(plain) };
  kept.set(key, known);
  return known;
};
const once = (key: string, make: () => unknown) => kept.get(key) ?? keep(key, make);

type Parameters = { path?: string; operation_id?: string; cursor_time?: string };
type Answer = string | { plain: string; packed: Buffer };

function answer(command: string, { path, operation_id: id, cursor_time: cursor }: Parameters): Answer {
  if (command === 'list_jobs')
    return JSON.stringify(jobsOf(Number.parseInt(String(id).split('-')[2] ?? '', 16)));
  if (command === 'list_operations') {
    return once(`page ${cursor}`, () => {
      const from = cursor === undefined ? operations - 1 : Math.floor((Date.parse(cursor) - began) / 1000);
      const last = Math.max(0, from - pageItems + 1);
      const page = Array.from({ length: from - last + 1 }, (_, i) => listedOf(from - i));
      return { operations: page, incomplete: last > 0 };
    });
  }
  if (command === 'list') return '["physical"]';
  switch (path) {
    case `${scheduler}/connected`:
      return 'true';
    case `${scheduler}/pool_trees/physical/operations`:
      return once('orchid', orchidOf);
    case `${scheduler}/nodes`:
      return once('nodes', nodesOf);
    case `${scheduler}/scheduling_info_per_pool_tree/physical/node_addresses`:
      return once('addresses', () => Object.keys(nodesOf()));
    default:
      return once('tree', treeOf);
  }
}

let taken: { command: string; parameters: string; coding: string }[] = [];
const server = createServer((request, response) => {
  const command = String(request.url).replace('/api/v4/', '');
  const parameters = String(request.headers['x-yt-parameters']);
  const coding = String(request.headers['accept-encoding'] ?? '');
  taken.push({ command, parameters, coding });
  const body = answer(command, JSON.parse(parameters));
  if (typeof body === 'string') response.end(body);
  else if (coding.includes('gzip')) response.setHeader('content-encoding', 'gzip').end(body.packed);
  else response.end(body.plain);
});
// Each side rests while the other is measured.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
let next = 0;
process.on('message', (message: { change?: number }) => {
  for (let i = 0; i < (message.change ?? 0); i++) ended[next++ % operations]! += 1;
  if (message.change !== undefined)
    for (const [key, { make }] of [...kept]) if (key.startsWith('page')) keep(key, make);
  process.send?.(taken);
  taken = [];
});
