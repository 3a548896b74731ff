import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestYarn, xmlOf } from '../../test/support/yarn.js';
import { buildYarn } from '../infra/index.js';
import { type Demo, secondsSince } from './run-demo.js';

const monitor = 'yarn.resourcemanager.monitor.capacity.preemption.';
const tasks = 100;
const wanted = 50;
const shownVictims = 2;

/**
 * A real ResourceManager with two nodes, which is built with Maven the first time. A more important application gets the room of another one;
 * then the quota of their queue is lowered.
 */
export const demo: Demo = {
  cluster: 'YARN',
  build: async (progress) => void (await buildYarn(progress)),
  show: async (stage) => {
    const { folder, progress } = stage;
    progress('starting a ResourceManager of Hadoop, and two NodeManagers whose containers are played');
    const begun = performance.now();
    const started = await startYarn();
    stage.atEnd(() => started.remove());
    progress(`YARN is ready after ${secondsSince(begun)}`);
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
    const settings = join(folder, 'settings.xml');
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
    await stage.startCurtail(
      [
        ...['--cluster', 'yarn', '--yarn-url', started.url],
        ...['--yarn-user', 'curtail', '--yarn-settings', settings],
      ],
      // The plan takes more than half of the queue, and would wait for an operator.
      { CURTAIL_GRACE_SECONDS: '2', CURTAIL_APPROVE_ABOVE_PERCENT: '100' },
    );
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
    await stage.until('the application of priority 5 to run', async () => {
      return (await started.app(high)).runningContainers === wanted + 1;
    });
    const first = await signalled(started);
    const masters = first.filter((container) => container.endsWith('_000001')).length;
    progress(
      `after ${secondsSince(asked)}: it has its ${wanted} containers; ${first.length} others were signalled, ${masters} masters among them`,
    );
    progress('the maximum-capacity of root.prod is lowered from 100 % to 60 %. YARN itself ends nothing');
    const lowered = performance.now();
    await started.setQueues({ 'root.prod': { 'maximum-capacity': 60 } });
    await stage.until('the queue to be within its quota', async () => {
      const [one, other] = await Promise.all([started.app(low), started.app(high)]);
      return one.runningContainers + other.runningContainers <= 61;
    });
    const further = (await signalled(started)).slice(first.length);
    const counts = await Promise.all(
      [low, high].map(async (id) => (await started.app(id)).runningContainers),
    );
    progress(
      `after ${secondsSince(lowered)}: ${further.length} further containers have ended, the lower priority first:`,
    );
    for (const container of further.slice(0, shownVictims)) progress(`  ${container}`);
    progress(`  ... and ${further.length - shownVictims} more`);
    progress(
      `with their masters, ${counts[0]} containers of priority 1 and ${counts[1]} of priority 5 run on`,
    );
  },
};

/** Each container once, however often it was signalled. */
const signalled = async (yarn: TestYarn): Promise<string[]> => [
  ...new Set((await yarn.signals()).map(({ container }) => container)),
];

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
