import { setTimeout as delay } from 'node:timers/promises';
import { pauseAfter, sourceOfCluster } from '#contracts';
import type {
  ConfigurationOutcome,
  ConfigurationSource,
  ReportSource,
  SourceConfiguration,
} from '../port.js';
import type { YarnSettings } from './agent-options.js';
import {
  type ConfigurationParts,
  makeConfiguration,
  managerKeys,
  monitorKey,
  readingOnce,
  schedulerProperties,
} from './configuration.js';
import { ContainerEvictor } from './evictor.js';
import { type Look, takeLook } from './look.js';
import { Recovery } from './recovery.js';
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
  /** Milliseconds of a monotonic clock; default: that of the process. */
  elapsed?: () => number;
  /** From the beginning of one look to that of the next; default 5 s. */
  everyMs?: number;
  onTrouble: (what: string, error: Error) => void;
}

const usualEveryMs = 5000;
const listAgainMs = 30_000;
/** The view is not current if the last look began longer ago, in looks. */
const staleLooks = 3;
const retryMs = { first: 1000, longest: 10_000 };

/**
 * Polls one YARN cluster, because its REST API reports no changes. A look that fails changes nothing, and confirms nothing that was known
 * before.
 */
export class YarnCluster {
  readonly partitions: readonly string[];
  readonly evictor: ContainerEvictor;
  private readonly inventory: YarnInventory;
  private readonly recovery = new Recovery();
  private readonly listeners = new Set<() => void>();
  private readonly stopping = new AbortController();
  private readonly elapsed: () => number;
  private readonly everyMs: number;
  private running: Promise<void> | undefined;
  /** The last look that may be believed. */
  private look: Look | undefined;
  private settings: YarnSettings | undefined;
  private submission: SourceConfiguration | undefined;
  private schedulerVersion: string | undefined;
  private readonly read: ReturnType<typeof readingOnce>;
  private parts: Pick<ConfigurationParts, 'scheduler' | 'manager' | 'isMonitorOn'> | undefined;
  /** Those who wait for the next look, with the time from which on it must have begun. */
  private awaiting: { since: number; resolve: (is: boolean) => void }[] = [];

  constructor(private readonly options: YarnClusterOptions) {
    this.partitions = [options.partition];
    this.read = readingOnce(options.partition);
    this.elapsed = options.elapsed ?? (() => performance.now());
    this.everyMs = options.everyMs ?? usualEveryMs;
    const evictsMasters = () => this.settings?.evictsMasters ?? false;
    this.evictor = new ContainerEvictor(options.api, {
      mode: options.mode,
      evictsMasters,
      queueOf: (container) => this.inventory.queueOf(container),
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
  async start(onChange: () => void): Promise<void> {
    this.listeners.add(onChange);
    for (let failures = 0; this.look === undefined && !this.stopping.signal.aborted; ) {
      if (await this.tryToLook()) break;
      await this.pause(pauseAfter(++failures, retryMs));
    }
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.listeners.clear();
    await this.running;
    for (const { resolve } of this.awaiting.splice(0)) resolve(false);
  }

  /** The number of known containers, and how long ago the state was current that they are known from. */
  status(): { containers: number; ageMs: number } {
    return { containers: this.inventory.size, ageMs: this.ageMs() };
  }

  partition(_name: string): ReportSource & ConfigurationSource {
    const isSynced = () => this.ageMs() < staleLooks * this.everyMs;
    let listener = () => {};
    return {
      start: async (onChange) => {
        // Reports and configuration have one listener.
        listener = onChange;
        this.listeners.add(onChange);
      },
      stop: async () => {
        this.listeners.delete(listener);
      },
      changes: () => this.inventory.changes(),
      listing: () => this.inventory.listing(),
      get isSynced() {
        return isSynced();
      },
      // A confirmation is of a look that began after it was asked for: the view is as old as that look took.
      isCurrent: () => this.nextLook(),
      configuration: () => this.submission,
      recordOutcome: async (outcome: ConfigurationOutcome) => {
        if (outcome.kind !== 'refused') return;
        const [first] = outcome.data.errors;
        const message = first ? `${first.path}: ${first.message}` : 'without a reason';
        this.options.onTrouble(
          'Curtail refused the configuration of YARN',
          new YarnError('configuration-refused', message),
        );
      },
    };
  }

  private ageMs(): number {
    return this.look === undefined ? Number.POSITIVE_INFINITY : this.elapsed() - this.look.begunAt;
  }

  private nextLook(): Promise<boolean> {
    if (this.stopping.signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => this.awaiting.push({ since: this.elapsed(), resolve }));
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let began = this.look?.begunAt ?? this.elapsed();
    while (!signal.aborted) {
      await this.pause(began + this.everyMs - this.elapsed());
      if (signal.aborted) break;
      began = this.elapsed();
      const isFine = await this.tryToLook();
      for (const { since, resolve } of this.awaiting.filter((one) => one.since <= began)) {
        resolve(isFine && since <= began);
      }
      this.awaiting = this.awaiting.filter((one) => one.since > began);
      for (const listener of this.listeners) listener();
    }
  }

  /** @returns whether the cluster is known as it was when this began. */
  private async tryToLook(): Promise<boolean> {
    try {
      return await this.lookOnce();
    } catch (error) {
      if (!this.stopping.signal.aborted) {
        this.options.onTrouble('Could not read YARN; nothing is concluded from that', error as Error);
      }
      return false;
    }
  }

  private async lookOnce(): Promise<boolean> {
    const { api, onTrouble } = this.options;
    await this.readSettings();
    // Refused to who is no administrator, and so might see zeros instead of the work of others.
    const version = await schedulerVersion(api);
    const look = await takeLook(api, this.look, { elapsed: this.elapsed, listAgainMs });
    if (!this.recovery.take(look)) {
      onTrouble(
        'YARN was started again and does not show all of its work yet',
        new YarnError('recovering', `${look.nodes.length} nodes are back`),
      );
      return false;
    }
    const running = new Set(
      [...look.apps.values()].flatMap(({ containers }) => containers.map(({ id }) => id)),
    );
    await this.evictor.followUp(running);
    const before = this.look;
    this.look = look;
    this.inventory.show(look, before);
    await this.readConfiguration(look, version);
    return true;
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
          'The queues of YARN are not submitted; those submitted before stay in force',
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

  private async pause(ms: number): Promise<void> {
    if (ms <= 0) return;
    await delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
