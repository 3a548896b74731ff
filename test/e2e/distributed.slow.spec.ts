import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isGoneWithin } from '../../libs/platform/src/postgres/processes.js';
import { commandsOf } from '../readme/guide-commands.js';
import { assertBuilt } from '../support/curtail-process.js';
import { DistributedProcesses } from '../support/distributed-processes.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const longestMs = 120_000;
const names = [
  'config-ingest-1',
  'config-ingest-2',
  'timer',
  'planner-1',
  'planner-2',
  'executor',
  'console',
  'Kafka',
  'Redis',
  'PostgreSQL',
];

describe('npm run start:distributed', () => {
  let folder: { path: string; remove(): Promise<void> };
  const all: DistributedProcesses[] = [];
  const start = async (words = ['--planners', '2', '--config-ingests', '2']) => {
    const started = await DistributedProcesses.start(folder.path, words, { CURTAIL_GRACE_SECONDS: '0' });
    all.push(started);
    return started;
  };

  beforeAll(async () => {
    await assertBuilt();
    folder = await temporaryFolder();
  });
  afterAll(async () => {
    await Promise.all(all.map((started) => started.kill()));
    await folder.remove();
  });

  it('does the whole job with two planners, and leaves no process behind Ctrl-C', async () => {
    const curtail = await start();
    expect([...curtail.pids.keys()]).toEqual(names);

    const lowered = await readFile('examples/queues-lowered.yaml', 'utf8');
    const applied = await fetch(`${curtail.url}/v1/partitions/default/config`, {
      method: 'PUT',
      body: lowered.replace('delay: 60', 'delay: 1'),
      headers: { 'Content-Type': 'application/yaml' },
    });
    expect(applied.status).toBe(200);
    await expect(research(curtail)).resolves.toMatchObject({
      outcome: 'satisfied',
      victims: 10,
      evicted: 10,
    });

    expect(await curtail.interrupt()).toEqual({ code: 0, signal: null });
    expect(await gone(curtail)).toEqual([]);
  });

  it('continues after a kill -9, starts again what ends by itself, and leaves nothing behind a SIGTERM to npm', async () => {
    const killed = await start();
    await killed.kill();
    expect(await gone(killed)).toEqual([]);

    const curtail = await start(optionsOfTutorial());
    expect(curtail.output).not.toContain('A sample cluster is loaded');
    const { items } = (await (await fetch(`${curtail.url}/v1/queues`)).json()) as { items: object[] };
    expect(items).toContainEqual(expect.objectContaining({ queue: 'root.research' }));

    for (const [name, line] of [
      ['planner-1', /planner-1 +\| was ended by SIGKILL; restarting it in 0\.5 s/],
      ['Redis', /Redis is back/],
    ] as const) {
      process.kill(curtail.pids.get(name) as number, 'SIGKILL');
      await curtail.logged(line);
    }
    await curtail.logged(/restarting it in(.|\n)*planner-1 +\|.* The planner runs/);
    expect(await curtail.terminate()).toEqual({ code: 0, signal: null });
    expect(await gone(curtail)).toEqual([]);
  });

  it('ends with the reason where a service cannot use its settings', async () => {
    const started = DistributedProcesses.start(folder.path, [], { CURTAIL_MODE: 'evict' });
    await expect(started).rejects.toThrow(/CURTAIL_MODE = "evict" (.|\n)* cannot use its settings/);
  });
});

/** Those of the command in docs/tutorial/distributed.md. */
function optionsOfTutorial(): string[] {
  const [command] = commandsOf('docs/tutorial/distributed.md').filter(({ place }) => place === 'block');
  return command!.text.split(' -- ')[1]!.split(' ');
}

/** The names of the processes that are still there after some time. */
async function gone(curtail: DistributedProcesses): Promise<string[]> {
  const left = await Promise.all(
    [...curtail.pids].map(async ([name, pid]) => ((await isGoneWithin(pid, 15_000)) ? [] : [name])),
  );
  return left.flat();
}

/** The run in root.research, once it has ended. */
async function research({ url }: DistributedProcesses): Promise<object> {
  for (const end = Date.now() + longestMs; Date.now() < end; await delay(100)) {
    const answer = await fetch(`${url}/v1/enforcements?queue=root.research`).catch(() => undefined);
    const { items = [] } = ((await answer?.json()) ?? {}) as { items?: { state: string }[] };
    const ended = items.find((item) => item.state === 'ended' && (item as { victims?: number }).victims);
    if (ended) return ended;
  }
  throw new Error('no run has ended in root.research');
}
