import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TestYarn, xmlOf } from '../../test/support/yarn.js';
import { Ending } from '../distributed/ending.js';
import { root } from '../infra/folders.js';
import { buildYarn, InfraError, ownFolder } from '../infra/index.js';

type Progress = (line: string) => void;

const monitor = 'yarn.resourcemanager.monitor.capacity.preemption.';
const tasks = 100;
const wanted = 50;
const shownVictims = 2;
const waitMs = 120_000;

/** Resolves to the exit status, when everything it has started has ended. */
export async function demoYarn(progress: Progress): Promise<number> {
  const ending = new Ending();
  ending.listen();
  const folder = ownFolder();
  let yarn: TestYarn | undefined;
  let curtail: ChildProcess | undefined;
  const show = async () => {
    progress('starting a ResourceManager of Hadoop, and two NodeManagers whose containers are played');
    const begun = performance.now();
    const started = await startYarn();
    yarn = started;
    progress(`YARN is ready after ${seconds(begun)}`);
    const low = await started.submit({
      user: 'alice',
      queue: 'root.prod',
      tasks: `${tasks}x1024:1`,
      priority: 1,
    });
    await started.runs(low, tasks + 1);
    progress(
      `an application of priority 1 runs ${tasks} containers of 1 GiB in root.prod, the whole cluster`,
    );
    const log = join(folder, 'curtail.log');
    curtail = await startCurtail({ folder, log, url: started.url });
    await addressOf(curtail, log).then((url) => progress(`Curtail runs beside it, mode enforce: ${url}`));
    const high = await started.submit({
      user: 'alice',
      queue: 'root.prod',
      tasks: `${wanted}x1024:1`,
      priority: 5,
    });
    progress(
      `another one, of priority 5, asks for ${wanted}: there is no room, and YARN's own preemption is off`,
    );
    const asked = performance.now();
    await until('the application of priority 5 to run', curtail, log, async () => {
      return (await started.app(high)).runningContainers === wanted + 1;
    });
    const inverted = (await started.signals()).length;
    progress(
      `after ${seconds(asked)}: it has its ${wanted} containers, by ${inverted} signals; no master was touched`,
    );
    progress('the maximum-capacity of root.prod is lowered from 100 % to 60 %. YARN itself ends nothing');
    const lowered = performance.now();
    await started.setQueues({ 'root.prod': { 'maximum-capacity': 60 } });
    await until('the queue to be within its quota', curtail, log, async () => {
      const [one, other] = await Promise.all([started.app(low), started.app(high)]);
      return one.runningContainers + other.runningContainers <= 61;
    });
    const all = await started.signals();
    const counts = await Promise.all(
      [low, high].map(async (id) => (await started.app(id)).runningContainers),
    );
    progress(
      `after ${seconds(lowered)}: ${all.length - inverted} further containers have ended, the lower priority first:`,
    );
    for (const { container, signal } of all.slice(inverted, inverted + shownVictims))
      progress(`  ${container} ${signal}`);
    progress(`  ... and ${all.length - inverted - shownVictims} more`);
    progress(
      `with their masters, ${counts[0]} containers of priority 1 and ${counts[1]} of priority 5 run on`,
    );
  };
  try {
    progress('about a minute, once YARN is built; Ctrl-C ends it at any time');
    await Promise.race([buildYarn(progress), ending.asked]);
    if (!ending.reason) await Promise.race([show(), ending.asked]);
    return ending.reason && 'signal' in ending.reason ? 128 + constants.signals[ending.reason.signal] : 0;
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    console.error(error.message);
    return 1;
  } finally {
    if (curtail && curtail.exitCode === null) {
      curtail.kill('SIGTERM');
      await once(curtail, 'exit');
    }
    await yarn?.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

const startYarn = (): Promise<TestYarn> =>
  TestYarn.start({
    queues: {
      'root.queues': 'prod,dev',
      'root.acl_submit_applications': '*',
      // Less than the lowered quota: nothing is evicted that a queue is guaranteed.
      'root.prod.capacity': 40,
      'root.prod.maximum-capacity': 100,
      'root.prod.user-limit-factor': 10,
      'root.dev.capacity': 60,
      'maximum-am-resource-percent': 0.5,
      'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator',
      'per-node-heartbeat.maximum-offswitch-assignments': 100,
    },
    // Two nodes with room for all containers and two masters.
    site: { 'yarn.nodemanager.resource.memory-mb': 51_456 },
  });

async function startCurtail(of: { folder: string; log: string; url: string }): Promise<ChildProcess> {
  const settings = join(of.folder, 'settings.xml');
  await writeFile(
    settings,
    xmlOf({
      'yarn.scheduler.capacity.root.quota-preemption-delay': '5s',
      [`${monitor}intra-queue-preemption.enabled`]: 'true',
      [`${monitor}intra-queue-preemption.preemption-order-policy`]: 'priority_first',
      [`${monitor}intra-queue-preemption.max-allowable-limit`]: 1,
      [`${monitor}total_preemption_per_round`]: 1,
      [`${monitor}monitoring_interval`]: 1000,
      [`${monitor}max_wait_before_kill`]: 2000,
    }),
  );
  const file = await open(of.log, 'a', 0o600);
  const words = [
    ...['dist/apps/curtail/src/main.js', 'start', '--cluster', 'yarn', '--mode', 'enforce'],
    ...['--yarn-url', of.url, '--yarn-user', 'curtail', '--yarn-settings', settings],
  ];
  const child = spawn(process.execPath, words, {
    cwd: root,
    // Ctrl-C reaches it through us.
    detached: true,
    stdio: ['ignore', file.fd, file.fd],
    env: {
      PATH: process.env.PATH,
      CURTAIL_DATA: join(of.folder, 'data'),
      // A cluster of its own, which ends with it.
      CURTAIL_AUTH: 'none',
      CURTAIL_PORT: '0',
      CURTAIL_GRACE_SECONDS: '2',
      // The plan takes more than half of the queue, and would wait for an operator.
      CURTAIL_APPROVE_ABOVE_PERCENT: '100',
    },
  });
  await file.close();
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

const addressOf = (curtail: ChildProcess, log: string): Promise<string> =>
  until('Curtail to run', curtail, log, async () => {
    return /Curtail is running at (http:\/\/\S+)/.exec(await readFile(log, 'utf8'))?.[1];
  });

async function until<T>(
  what: string,
  curtail: ChildProcess,
  log: string,
  read: () => Promise<T | undefined | false>,
): Promise<T> {
  for (const end = performance.now() + waitMs; performance.now() < end; await delay(200)) {
    const found = await read();
    if (found !== undefined && found !== false) return found;
    if (curtail.exitCode !== null) {
      throw new InfraError(
        'Curtail has ended.',
        'Its last output:',
        (await readFile(log, 'utf8')).slice(-2000),
      );
    }
  }
  throw new InfraError(
    `${what} took longer than ${waitMs / 1000} s.`,
    'Try it again on a machine that is less busy. The last output of Curtail:',
    (await readFile(log, 'utf8')).slice(-2000),
  );
}

const seconds = (begun: number): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
