import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startYarn, type Yarn } from '../../scripts/infra/index.js';

export interface TestApp {
  user: string;
  queue: string;
  /** What its master asks for: `100x1024:1` are 100 containers of 1024 MB and one vcore. */
  tasks: string;
  /** Whether its master asks again for a container that it lost. */
  retries?: boolean;
  priority?: number;
  /** Milliseconds from SIGTERM to the end of a container; -1: it ignores it. */
  stopsAfterMs?: number;
  /** How many of the first signals for a container are lost. */
  losesSignals?: number;
}

export interface ListedApp {
  id: string;
  state: string;
  runningContainers: number;
}

const longestWaitMs = 120_000;
const pollMs = 200;
const admin = 'curtail';

/** A real YARN with the hands of its administrator and of users. */
export class TestYarn {
  private constructor(readonly yarn: Yarn) {}

  /**
   * @param site properties of yarn-site.xml, over those of test/clusters/resource-manager.
   * @param queues the whole of capacity-scheduler.xml, after `yarn.scheduler.capacity.`.
   */
  static async start(of: {
    queues: Record<string, string | number>;
    site?: Record<string, string | number>;
    nodes?: number;
  }): Promise<TestYarn> {
    const yarn = await startYarn({
      ...(of.nodes !== undefined && { nodes: of.nodes }),
      progress: (line) => console.error(`== ${line}`),
      configure: async (conf) => {
        const queues = Object.entries(of.queues).map(([key, value]) => [
          `yarn.scheduler.capacity.${key}`,
          value,
        ]);
        await writeFile(join(conf, 'capacity-scheduler.xml'), xmlOf(Object.fromEntries(queues)));
        const file = join(conf, 'yarn-site.xml');
        const site = await readFile(file, 'utf8');
        const more = propertiesOf(of.site ?? {});
        await writeFile(file, site.replace('</configuration>', `${more}</configuration>`));
      },
    });
    return new TestYarn(yarn);
  }

  get url(): string {
    return this.yarn.url;
  }

  remove(): Promise<void> {
    return this.yarn.remove();
  }

  /** A call that has to succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: any answer that a test reads
  async ask(method: string, path: string, body?: unknown, user = admin): Promise<any> {
    const url = `${this.url}/ws/v1/cluster${path}${path.includes('?') ? '&' : '?'}user.name=${user}`;
    const response = await fetch(url, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return text.startsWith('{') ? JSON.parse(text) : text;
  }

  /** @returns its id. */
  async submit(of: TestApp): Promise<string> {
    const { 'application-id': id } = await this.ask('POST', '/apps/new-application', undefined, of.user);
    const environment = {
      TEST_TASKS: of.tasks,
      TEST_RETRY: String(of.retries ?? false),
      TEST_STOPS_AFTER: String(of.stopsAfterMs ?? 0),
      TEST_LOSES: String(of.losesSignals ?? 0),
    };
    const entry = Object.entries(environment).map(([key, value]) => ({ key, value }));
    const body = {
      'application-id': id,
      'application-name': 'test',
      'application-type': 'TEST',
      'am-container-spec': { commands: { command: 'pretended' }, environment: { entry } },
      'unmanaged-AM': false,
      'max-app-attempts': 1,
      resource: { memory: 256, vCores: 1 },
      queue: of.queue,
      priority: of.priority ?? 0,
    };
    await this.ask('POST', '/apps', body, of.user);
    return id;
  }

  async app(id: string): Promise<ListedApp> {
    return (await this.ask('GET', `/apps/${id}`)).app;
  }

  /** Ids of the running containers of an application, its master's among them. */
  async containers(id: string): Promise<string[]> {
    const attempt = `${id.replace('application', 'appattempt')}_000001`;
    const { container } = await this.ask('GET', `/apps/${id}/appattempts/${attempt}/containers`);
    const list = container === undefined ? [] : Array.isArray(container) ? container : [container];
    return list.map(({ containerId }: { containerId: string }) => containerId).sort();
  }

  /** Waits until an application has so many containers, with that of its master. */
  runs(id: string, count: number): Promise<ListedApp> {
    return this.until(`${count} containers of ${id}`, async () => {
      const app = await this.app(id);
      return app.runningContainers === count && app;
    });
  }

  async kill(id: string): Promise<void> {
    await this.ask('PUT', `/apps/${id}/state`, { state: 'KILLED' });
    await this.until(`${id} to end`, async () => (await this.app(id)).state === 'KILLED');
  }

  /** Ends all applications. */
  async killAll(): Promise<void> {
    const { apps } = await this.ask('GET', '/apps?states=SUBMITTED,ACCEPTED,RUNNING');
    await Promise.all((apps.app ?? []).map(({ id }: ListedApp) => this.kill(id)));
  }

  /** Changes properties of queues, as an administrator does. */
  async setQueues(queues: Record<string, Record<string, string | number>>): Promise<void> {
    const update = Object.entries(queues).map(([name, properties]) => ({
      'queue-name': name,
      params: { entry: Object.entries(properties).map(([key, value]) => ({ key, value: String(value) })) },
    }));
    await this.ask('PUT', '/scheduler-conf', { 'update-queue': update });
  }

  /** The signals that the manager was asked for, in their order. */
  async signals(): Promise<{ container: string; signal: string; status: number }[]> {
    const log = await readFile(this.yarn.requestLog, 'utf8');
    return [
      ...log.matchAll(/POST \/ws\/v1\/cluster\/containers\/(\S+)\/signal\/(\w+)\S* HTTP\/1\.1" (\d+)/g),
    ].map(([, container = '', signal = '', status]) => ({ container, signal, status: Number(status) }));
  }

  async until<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T> {
    for (const end = Date.now() + longestWaitMs; ; ) {
      const found = await read();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > end) throw new Error(`waited too long for ${what}`);
      await delay(pollMs);
    }
  }
}

const propertiesOf = (properties: Record<string, string | number>): string =>
  Object.entries(properties)
    .map(([name, value]) => `  <property><name>${name}</name><value>${value}</value></property>\n`)
    .join('');

/** A file of Hadoop's configuration. */
export const xmlOf = (properties: Record<string, string | number>): string =>
  `<configuration>\n${propertiesOf(properties)}</configuration>\n`;
