import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isYarnBuilt } from '../../scripts/infra/index.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { TestPartition } from '../support/test-partition.js';
import { TestYarn, xmlOf } from '../support/yarn.js';

/** Reported as skipped without YARN. */
const onYarn = isYarnBuilt() ? describe : describe.skip;

/** Two nodes; 20 % of their 40,960 MB are 8192 MB. */
const lowered = { 'root.dev': { capacity: 10, 'maximum-capacity': 20 }, 'root.prod': { capacity: 90 } };
const usual = { 'root.dev': { capacity: 40, 'maximum-capacity': 100 }, 'root.prod': { capacity: 60 } };
/** Of 1024 MB each, beside a master of 256 MB. */
const tasks = 20;
const leftTasks = 7;

/** What the manager's own request log shows after faults: no container signalled twice, none too many, none forgotten. */
onYarn('faults of YARN', () => {
  let yarn: TestYarn;
  let system: EmbeddedSystem;
  let curtail: TestPartition;
  let folder: string;
  let database: TestDatabase;
  let restart: () => Promise<void>;
  /** Curtail's way to the manager. */
  let way: Server;
  /** The next signal is lost on that way, with its connection. */
  let losesNextSignal = false;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'curtail-test-yarn-'));
    const settings = join(folder, 'settings.xml');
    await writeFile(settings, xmlOf({ 'yarn.scheduler.capacity.root.quota-preemption-delay': '1s' }));
    yarn = await TestYarn.start({
      queues: {
        'root.queues': 'prod,dev',
        'root.acl_submit_applications': '*',
        'root.prod.capacity': 60,
        'root.dev.capacity': 40,
        'root.dev.maximum-capacity': 100,
        'root.dev.user-limit-factor': 10,
        'maximum-am-resource-percent': 0.5,
        'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator',
        'per-node-heartbeat.maximum-offswitch-assignments': 100,
      },
      site: {
        'yarn.nodemanager.resource.memory-mb': 20_480,
        'yarn.nm.liveness-monitor.expiry-interval-ms': 3000,
      },
    });
    way = createServer((asked, answer) => {
      const isLost = losesNextSignal && asked.url?.includes('/signal/');
      if (isLost) {
        losesNextSignal = false;
        asked.destroy();
        return;
      }
      const { method, headers } = asked;
      const on = request(new URL(asked.url ?? '', yarn.url), { method, headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 0, answered.headers);
        answered.pipe(answer);
      });
      asked.pipe(on.on('error', () => asked.destroy()));
    });
    await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
    const yarnUrl = `http://127.0.0.1:${(way.address() as AddressInfo).port}`;
    database = await createMigratedDatabase();
    restart = async () => {
      await system?.stop();
      system = await EmbeddedSystem.start(
        {
          cluster: 'yarn',
          yarnUrl,
          yarnUser: 'curtail',
          yarnSettings: settings,
          defaultMode: 'enforce',
          graceSeconds: 2,
          // So that faults come in the middle of a run.
          victimsPerSecond: 1,
        },
        database,
      );
      curtail = new TestPartition(system, 'default');
    };
    await restart();
  });
  afterAll(async () => {
    await system?.stop();
    way?.close();
    await database?.drop();
    await yarn?.remove();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    await yarn.killAll();
    await yarn.setQueues(usual);
    await noneKnown();
  });

  /** An application whose containers Curtail knows. */
  const filled = async (stopsAfterMs = 0) => {
    const app = await yarn.submit({
      ...{ user: 'alice', queue: 'root.dev' },
      ...{ tasks: `${tasks}x1024:1`, stopsAfterMs },
    });
    await yarn.runs(app, tasks + 1);
    const containers = await yarn.containers(app);
    await system.until('the containers to be known', async () => {
      return (await curtail.remaining('root.dev')).join() === containers.join();
    });
    return app;
  };
  const noneKnown = () =>
    system.until('the containers to be gone', async () => (await curtail.remaining('root.dev')).length === 0);
  const signalsOf = async (app: string) =>
    (await yarn.signals()).filter(({ container }) => container.includes(app.slice('application_'.length)));

  it('a manager that is started again in the middle of a run is waited for, and nothing is signalled twice', async () => {
    const ended = (await curtail.events('EnforcementEnded', 'root.dev')).length;
    const app = await filled();
    await yarn.setQueues(lowered);
    await yarn.until('some signals', async () => (await signalsOf(app)).length >= 3);
    await yarn.yarn.manager.kill();
    await yarn.yarn.start();
    await curtail.ended('root.dev', ended + 1);
    // A run that was cut short is followed by one for the rest.
    await yarn.runs(app, leftTasks + 1);
    const signals = await signalsOf(app);
    // SIGTERM is lost with a manager that has not passed it on: SIGKILL follows after the notice.
    const kinds = signals.map(({ container, signal }) => `${container} ${signal}`);
    expect(new Set(kinds).size).toBe(kinds.length);
    const signalled = [...new Set(signals.map(({ container }) => container))];
    expect(signalled).toHaveLength(tasks - leftTasks);
    const left = await yarn.containers(app);
    expect(left.filter((container) => signalled.includes(container))).toEqual([]);
    expect(left.filter((container) => container.endsWith('_000001'))).toHaveLength(1);
    await system.until('the same containers to be known', async () => {
      return (await curtail.remaining('root.dev')).join() === left.join();
    });
  });

  it('a container that ignores SIGTERM is killed after its notice by the Curtail that is started after the one that signalled it', async () => {
    const app = await filled(-1);
    await yarn.setQueues(lowered);
    await yarn.until('some signals', async () => (await signalsOf(app)).length >= 3);
    await restart();
    await yarn.runs(app, leftTasks + 1);
    const left = await yarn.containers(app);
    const signals = await signalsOf(app);
    for (const signal of ['GRACEFUL_SHUTDOWN', 'FORCEFUL_SHUTDOWN']) {
      const own = signals.filter((one) => one.signal === signal).map(({ container }) => container);
      expect(new Set(own).size).toBe(tasks - leftTasks);
      expect(own).toHaveLength(tasks - leftTasks);
      expect(own.filter((container) => left.includes(container))).toEqual([]);
    }
  });

  it('a signal that was lost on its way is sent again, and SIGKILL follows once the notice after that is over', async () => {
    const ended = (await curtail.events('EnforcementEnded', 'root.dev')).length;
    const app = await filled(-1);
    losesNextSignal = true;
    await yarn.setQueues(lowered);
    await curtail.ended('root.dev', ended + 1);
    await yarn.runs(app, leftTasks + 1);
    const signals = await signalsOf(app);
    const signalled = [...new Set(signals.map(({ container }) => container))];
    expect(signalled).toHaveLength(tasks - leftTasks);
    for (const container of signalled) {
      const own = signals.filter((one) => one.container === container).map(({ signal }) => signal);
      expect(own).toEqual(['GRACEFUL_SHUTDOWN', 'FORCEFUL_SHUTDOWN']);
    }
    const evicted = (await curtail.events('VictimEvicted')).map(({ data }) => data.allocation);
    expect(evicted).toEqual(expect.arrayContaining(signalled));
  });

  it('an application that ends between the plan and its evictions is gone, and is not signalled', async () => {
    const app = await filled();
    const { cluster } = system;
    const evict = cluster.evict.bind(cluster);
    cluster.evict = async (...request) => {
      cluster.evict = evict;
      await yarn.kill(app);
      return evict(...request);
    };
    const ended = (await curtail.events('EnforcementEnded', 'root.dev')).length;
    await yarn.setQueues(lowered);
    await curtail.ended('root.dev', ended + 1);
    expect(await signalsOf(app)).toEqual([]);
    const evicted = (await curtail.events('VictimEvicted')).map(({ data }) => data.allocation);
    expect(evicted.filter((container) => container.includes(app.slice('application_'.length)))).toEqual([]);
  });

  it('nodes that are lost lower no quota: nothing is planned or signalled', async () => {
    const app = await filled();
    const begun = (await curtail.events('EnforcementStarted')).length;
    const active = async () => (await yarn.ask('GET', '/metrics')).clusterMetrics.activeNodes;
    await yarn.yarn.nodes.freeze();
    await yarn.until('the nodes to be lost', async () => (await active()) === 0);
    await yarn.yarn.nodes.thaw();
    await yarn.until('the nodes to be back', async () => (await active()) === 2);
    // Its containers were lost with the nodes, and are seen to be.
    await noneKnown();
    expect(await signalsOf(app)).toEqual([]);
    expect(await curtail.events('EnforcementStarted')).toHaveLength(begun);
  });
});
