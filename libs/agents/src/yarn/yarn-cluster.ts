import { sourceOfCluster } from '#contracts';
import { ClusterPoll } from '../cluster-poll.js';
import type { PastEvictions } from '../past-evictions.js';
import { polledPartition } from '../polled-inventory.js';
import type { ConfigurationSource, ReportSource, SourceConfiguration } from '../port.js';
import type { YarnSettings } from './agent-options.js';
import { readInfo } from './answers.js';
import {
  type ConfigurationParts,
  comparedAmounts,
  makeConfiguration,
  managerKeys,
  monitorKey,
  readingOnce,
  schedulerProperties,
} from './configuration.js';
import { ContainerEvictor } from './evictor.js';
import { type Look, takeLook } from './look.js';
import { hasOlderWork, Recovery } from './recovery.js';
import { schedulerVersion } from './scheduler-version.js';
import type { YarnApi } from './yarn-api.js';
import { YarnError } from './yarn-error.js';
import { YarnInventory } from './yarn-inventory.js';

export interface YarnClusterOptions {
  api: YarnApi;
  partition: string;
  /** Read again before each look. @throws InputError if they cannot be read: the last ones then hold. */
  settings: () => Promise<YarnSettings>;
  mode: () => 'observe' | 'enforce';
  /** Those of agents before this one, which YARN does not tell: their notice may not be over. */
  pastEvictions: PastEvictions;
  /** Milliseconds of a monotonic clock; default: that of the process. */
  elapsed?: () => number;
  /** From the beginning of one look to that of the next; default 5 s. */
  everyMs?: number;
  onTrouble: (what: string, error: Error) => void;
}

const listAgainMs = 30_000;

/**
 * Polls one YARN cluster, because its REST API reports no changes. A look that fails changes nothing, and confirms nothing that was known
 * before.
 */
export class YarnCluster {
  readonly partitions: readonly string[];
  readonly evictor: ContainerEvictor;
  private readonly inventory: YarnInventory;
  private readonly recovery = new Recovery();
  private readonly poll: ClusterPoll;
  private readonly elapsed: () => number;
  /** The last look that may be believed. */
  private look: Look | undefined;
  private settings: YarnSettings | undefined;
  private submission: SourceConfiguration | undefined;
  private schedulerVersion: string | undefined;
  private readonly read: ReturnType<typeof readingOnce>;
  private parts: Pick<ConfigurationParts, 'scheduler' | 'manager' | 'isMonitorOn'> | undefined;

  constructor(private readonly options: YarnClusterOptions) {
    this.partitions = [options.partition];
    this.read = readingOnce(options.partition);
    this.elapsed = options.elapsed ?? (() => performance.now());
    this.poll = new ClusterPoll({
      look: () => this.lookOnce(),
      elapsed: options.elapsed,
      everyMs: options.everyMs,
      onFailure: (error) => options.onTrouble('Could not read YARN; nothing is concluded from that', error),
    });
    const evictsMasters = () => this.settings?.evictsMasters ?? false;
    this.evictor = new ContainerEvictor(options.api, {
      mode: options.mode,
      evictsMasters,
      killsApplications: () => this.settings?.killsApplications ?? false,
      queueOf: (container) => this.inventory.queueOf(container),
      // The last look that may be believed is of the manager before until the work of the new one is complete.
      isRecovered: async () =>
        readInfo(await options.api.get('/info')).startedOn === this.look?.info.startedOn,
      attemptOf: (app) => this.look?.apps.get(app)?.app.attempt,
      elapsed: this.elapsed,
      onTrouble: options.onTrouble,
    });
    this.inventory = new YarnInventory({
      evictsMasters,
      isEnding: (container) => this.evictor.signals.has(container),
    });
  }

  /** The CloudEvents source of a sender for this cluster: the addresses of its managers identify it. */
  speaksAs(sender: string): string {
    const cluster = this.options.api.urls.map((url) => new URL(url).host).sort();
    return sourceOfCluster(cluster.join(','), `agents/${encodeURIComponent(sender)}`);
  }

  /** Resolves when the cluster is known. Tries until then. */
  start(onChange: () => void): Promise<void> {
    return this.poll.start(onChange);
  }

  stop(): Promise<void> {
    return this.poll.stop();
  }

  /** The number of known containers, and how long ago the state was current that they are known from. */
  status(): { containers: number; ageMs: number } {
    return { containers: this.inventory.size, ageMs: this.poll.ageMs() };
  }

  partition(_name: string): ReportSource & ConfigurationSource {
    return polledPartition(this.poll, this.inventory, {
      configuration: () => this.submission,
      onRefused: (message) =>
        this.options.onTrouble(
          'Curtail refused the configuration of YARN',
          new YarnError('configuration-refused', message),
        ),
    });
  }

  /** @returns whether the cluster is known as it was when this began. */
  private async lookOnce(): Promise<boolean> {
    const { api, onTrouble } = this.options;
    await this.readSettings();
    // Refused to who is no administrator, and so might see zeros instead of the work of others.
    const version = await schedulerVersion(api);
    const look = await takeLook(api, this.look, {
      ...{ elapsed: this.elapsed, listAgainMs },
      onListed: (view, queues) => this.inventory.prepare(view, queues),
    });
    const isDoubtful = this.look === undefined && hasOlderWork(look);
    if (!this.recovery.take(look, isDoubtful ? await this.uptimeMs(look) : undefined)) {
      onTrouble(
        'YARN was started again and does not show all of its work yet',
        new YarnError('recovering', `${look.nodes.length} nodes are back`),
      );
      return false;
    }
    await this.recall();
    if (this.evictor.hasSignalled) {
      const running = new Set(
        [...look.apps.values()].flatMap(({ containers }) => containers.map(({ id }) => id)),
      );
      await this.evictor.followUp(running, (app) => look.apps.get(app)?.isSettled === false);
    }
    this.look = look;
    await this.readConfiguration(look, version);
    const properties = new Map([...(this.settings?.properties ?? []), ...(this.parts?.scheduler ?? [])]);
    this.inventory.show(look, comparedAmounts(properties));
    return true;
  }

  /** How long the manager has run, by its own clock. */
  private async uptimeMs({ info }: Look): Promise<number | undefined> {
    const date = await this.options.api.date();
    return date === undefined ? undefined : Date.parse(date) - info.startedOn;
  }

  private async recall(): Promise<void> {
    try {
      for (const eviction of await this.options.pastEvictions()) this.evictor.recall(eviction);
    } catch (error) {
      this.options.onTrouble('Could not read the evictions of agents before; retrying', error as Error);
    }
  }

  private async readSettings(): Promise<void> {
    try {
      this.settings = await this.options.settings();
    } catch (error) {
      if (this.settings === undefined) throw error;
      this.options.onTrouble('Could not read the settings for YARN; the last ones hold', error as Error);
    }
  }

  private async readConfiguration(look: Look, version: string | undefined): Promise<void> {
    const { api, partition, onTrouble } = this.options;
    try {
      const parts = await this.readParts(
        version === undefined ? undefined : `${look.info.startedOn} ${version}`,
      );
      const made = makeConfiguration(
        partition,
        { ...parts, settings: this.settings?.properties ?? new Map() },
        look,
        this.read,
      );
      if (made.kind === 'made') this.submission = made.data;
      else
        onTrouble(
          `The queues of ${api.url} are not submitted; those submitted before stay in force`,
          new YarnError('not-in-force', made.message),
        );
    } catch (error) {
      onTrouble(
        `Could not read the queues of ${api.url}; those submitted before stay in force`,
        error as Error,
      );
    }
  }

  /** Reads the scheduler's properties again when their version has changed. @param version of the scheduler's properties, with the start time of its manager, which counts from 1 again. */
  private async readParts(version: string | undefined): Promise<NonNullable<typeof this.parts>> {
    const { api } = this.options;
    if (this.parts !== undefined && version === this.schedulerVersion && version !== undefined)
      return this.parts;
    const [scheduler, monitor, ...values] = await Promise.all([
      version === undefined ? undefined : api.get('/scheduler-conf').then(schedulerProperties),
      api.property(monitorKey),
      ...managerKeys.map((key) => api.property(key)),
    ]);
    const manager = managerKeys.flatMap((key, index) => {
      const value = values[index];
      return value === undefined ? [] : [[key, value] as const];
    });
    this.schedulerVersion = version;
    this.parts = { scheduler, manager: new Map(manager), isMonitorOn: monitor === 'true' };
    return this.parts;
  }
}
