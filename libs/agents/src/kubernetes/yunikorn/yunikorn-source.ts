import { setTimeout as delay } from 'node:timers/promises';
import { counted } from '@curtail/contracts';
import { Wakeable } from '@curtail/waiting';
import type { ConfigurationOutcome, SourceConfiguration } from '../../port.js';
import {
  readApplications,
  readNodes,
  readPartitions,
  readQueues,
  type YunikornApplication,
  type YunikornPartition,
} from '../../yunikorn/answers.js';
import { type YunikornApi, YunikornError } from '../../yunikorn/yunikorn-api.js';
import { keepNamespace } from '../kept-objects.js';
import { KubernetesError } from '../kubernetes-error.js';
import type { ConfigMap, PriorityClass } from '../objects.js';
import type { PodWork } from '../pod-work.js';
import type { Finding, Place, QueueListener, QueueSource, SharedWatches } from '../queue-source.js';
import { Replica } from '../replica.js';
import {
  type ConfigurationInForce,
  isInForce,
  readInForce,
  type SavedConfiguration,
  type ToSubmit,
  toSubmit,
} from './configuration-in-force.js';
import { Places } from './places.js';
import { preemptionTwice } from './preemption-twice.js';
import { configurationKey, keepConfiguration, SavedConfigurationMirror } from './saved-configuration.js';

export interface YunikornSourceOptions {
  api: YunikornApi;
  /** The namespace of the ConfigMap with `queues.yaml`. */
  namespace: string;
  configMap: string;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

export const allowPreemptionAnnotation = 'yunikorn.apache.org/allow-preemption';
const schedulerName = 'yunikorn';

/** Bounds of the interval between two polls. Large answers lengthen it; with a stream of events it is the longest. */
const pollMs = { shortest: 100, withoutEvents: 1000, longest: 10_000 };
/** The rest after a poll, as a multiple of its duration: minimum before an event may end it, and without events. */
const restFactor = { woken: 4, unwoken: 50 };
const streamAgainMs = 30_000;
/** YuniKorn applies a save within milliseconds. */
const settleMs = { check: 50, whole: 5000 };
const shownCharacters = 800;

/**
 * Queues and places of pods in YuniKorn: the configuration from its ConfigMap, the places from its REST API.
 *
 *     ConfigMap saved --> in force (checksum of /ws/v1/config)? --yes--> submitted
 *                              +--no, for some seconds--> reason (validate-conf) on the ConfigMap; the old one stays in force
 *
 * It reads everything again at each event of YuniKorn, and every few seconds. While YuniKorn does not answer, has registered no
 * partition, or does not know a pod that it has started, the partition is not synced, so nothing is planned.
 */
export class YunikornSource implements QueueSource {
  private readonly places = new Places();
  private readonly saved: SavedConfigurationMirror;
  private readonly priorityClasses: Replica<PriorityClass>;
  private readonly stopping = new AbortController();
  private listener: QueueListener | undefined;
  private running: Promise<unknown> | undefined;
  private settling: Promise<void> = Promise.resolve();
  private lastReading: Promise<unknown> = Promise.resolve();
  private known: YunikornPartition[] = [];
  private nodePartitions: ReadonlyMap<string, string> | undefined;
  private answers = false;
  private hasEvents = false;
  /** Running pods of YuniKorn that it does not list. */
  private unknownPods: string[] = [];
  private last: ToSubmit | undefined;
  private configurations: ReadonlyMap<string, SourceConfiguration> = new Map();
  /** The submission that Curtail has refused in each partition, and its errors. */
  private readonly refused = new Map<string, { submission: string; message: string }>();
  /** The resourceVersion of the save whose refusal was explained. */
  private explained: string | undefined;
  private readonly waker = new Wakeable();

  constructor(
    private readonly shared: SharedWatches,
    private readonly options: YunikornSourceOptions,
  ) {
    const { namespace, configMap } = options;
    this.saved = new SavedConfigurationMirror(configMap, () => this.settle());
    this.priorityClasses = new Replica(() => this.listener?.moved());
    shared.watch<ConfigMap>(`/api/v1/namespaces/${namespace}/configmaps`, keepConfiguration, this.saved, {
      fieldSelector: `metadata.name=${configMap}`,
    });
    shared.watch<PriorityClass>(
      '/apis/scheduling.k8s.io/v1/priorityclasses',
      keepNamespace,
      this.priorityClasses,
    );
  }

  get partitions(): readonly string[] {
    return this.known.map(({ name }) => name);
  }

  async start(listener: QueueListener): Promise<void> {
    this.listener = listener;
    await new Promise<void>((resolve) => {
      this.stopping.signal.addEventListener('abort', () => resolve(), { once: true });
      this.running = Promise.all([this.poll(resolve), this.listen()]);
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.running, this.settling]);
    this.listener = undefined;
  }

  place(pod: PodWork): Place | undefined {
    const place = this.places.get(pod.uid);
    return place && { ...place, allowPreemption: this.allowsPreemption(pod) };
  }

  partitionOfNode(node: string): string | undefined {
    return this.nodePartitions ? this.nodePartitions.get(node) : this.known[0]?.name;
  }

  configuration(partition: string): SourceConfiguration | undefined {
    return this.configurations.get(partition);
  }

  async recordOutcome(partition: string, outcome: ConfigurationOutcome): Promise<void> {
    const { submission } = outcome.data;
    if (submission === undefined || submission !== this.configurations.get(partition)?.submission) return;
    if (outcome.kind === 'refused') {
      this.refused.set(partition, { submission, message: listed(outcome.data.errors) });
    } else {
      this.refused.delete(partition);
    }
    this.report(
      'ConfigurationRefused',
      'refused-by-curtail',
      [...this.refused].map(
        ([name, { message }]) =>
          `Curtail refuses this configuration, and enforces nothing in the partition ${name} until it is fixed: ${message}`,
      ),
    );
    if (outcome.kind === 'applied') this.reportBareDelays(outcome.data.notices);
    this.listener?.changed();
  }

  isSynced(partition: string): boolean {
    const isRefused =
      this.refused.has(partition) &&
      this.refused.get(partition)?.submission === this.configurations.get(partition)?.submission;
    return (
      this.answers &&
      this.unknownPods.length === 0 &&
      !isRefused &&
      this.known.some(({ name }) => name === partition)
    );
  }

  async isCurrent(partition: string): Promise<boolean> {
    try {
      const there = await this.readPartitions();
      return this.isSynced(partition) && there.some(({ name }) => name === partition);
    } catch (error) {
      this.answers = false;
      throw error;
    }
  }

  private async poll(onFirst: () => void): Promise<void> {
    const { signal } = this.stopping;
    const { now = () => performance.now() } = this.options;
    while (!signal.aborted) {
      const began = now();
      this.waker.forget();
      try {
        await this.readAll();
        onFirst();
      } catch (error) {
        if (signal.aborted) return;
        this.answers = false;
        this.shared.onTrouble('Could not read YuniKorn; nothing is planned until it answers', error as Error);
      }
      await this.rest(now() - began);
    }
  }

  private async readAll(): Promise<void> {
    const { api } = this.options;
    const { signal } = this.stopping;
    // Read before YuniKorn is asked: it knows every pod that it had started by then.
    const running = [...this.shared.unplaced()].filter(
      ({ scheduler, bound }) => scheduler === schedulerName && bound?.state === 'running',
    );
    const partitions = await this.readPartitions();
    if (partitions.length === 0) {
      throw new YunikornError(
        'it has no partition yet: right after its start it has not registered with Kubernetes',
      );
    }
    const applications = new Map<string, YunikornApplication[]>();
    for (const { name } of partitions) {
      const path = `/ws/v1/partition/${encodeURIComponent(name)}/applications/active`;
      applications.set(name, readApplications(await api.json(path, signal), name));
    }
    const nodes = await this.readNodes(partitions);
    const isSettled = await this.readConfiguration(partitions);
    const changed = JSON.stringify([...(nodes ?? [])]) !== JSON.stringify([...(this.nodePartitions ?? [])]);
    const isNew = JSON.stringify(partitions) !== JSON.stringify(this.known);
    this.known = partitions;
    this.nodePartitions = nodes;
    const moved = this.places.take(applications, this.shared.isThere);
    if (changed || isNew) this.listener?.moved();
    else if (moved.length > 0) this.listener?.moved(moved);
    const wasSynced = this.answers && this.unknownPods.length === 0;
    this.answers = true;
    this.unknownPods = running
      .filter(({ uid }) => this.places.get(uid) === undefined && this.shared.isThere(uid))
      .map(({ id }) => id);
    this.reportUnknownPods();
    if (isNew || !wasSynced) this.listener?.changed();
    if (!isSettled) this.settle();
  }

  private async readPartitions(): Promise<YunikornPartition[]> {
    const answer = await this.options.api.json('/ws/v1/partitions', this.stopping.signal);
    return readPartitions(answer, 'partitions');
  }

  /** Undefined with one partition: all nodes are in it. */
  private async readNodes(
    partitions: readonly YunikornPartition[],
  ): Promise<ReadonlyMap<string, string> | undefined> {
    if (partitions.length < 2) return undefined;
    const partitionOf = new Map<string, string>();
    for (const { name } of partitions) {
      const path = `/ws/v1/partition/${encodeURIComponent(name)}/nodes`;
      const answer = await this.options.api.json(path, this.stopping.signal);
      for (const { id } of readNodes(answer, `${name}.nodes`)) partitionOf.set(id, name);
    }
    return partitionOf;
  }

  /**
   * Reads run one after the other, so that an earlier answer cannot replace a newer one.
   *
   * @returns whether the configuration of the ConfigMap is in force.
   */
  private readConfiguration(partitions?: readonly YunikornPartition[]): Promise<boolean> {
    const reading = this.lastReading.then(async () => {
      const { signal } = this.stopping;
      const inForce = readInForce(await this.options.api.text('/ws/v1/config', { signal }));
      await this.takeConfiguration(inForce, partitions ?? (await this.readPartitions()));
      const saved = this.saved.configuration;
      if (saved && !isInForce(saved, inForce)) return false;
      this.explained = undefined;
      this.report('ConfigurationNotInForce', 'refused-by-yunikorn', []);
      return true;
    });
    this.lastReading = reading.catch(() => undefined);
    return reading;
  }

  /** Stores the configuration in force for the agents. */
  private async takeConfiguration(
    inForce: ConfigurationInForce,
    partitions: readonly YunikornPartition[],
  ): Promise<void> {
    const next = toSubmit(this.saved.configuration, inForce, this.last);
    const isKnown = partitions.every(({ name }) => this.configurations.has(name));
    if (next.submission === this.last?.submission && isKnown) return;
    const { submission, configuration } = next;
    const found = new Map<string, SourceConfiguration>();
    const warnings: string[] = [];
    for (const partition of partitions) {
      const warning = await this.preemptionTwice(partition);
      if (warning) warnings.push(warning.message);
      found.set(partition.name, {
        submission,
        format: 'yunikorn',
        configuration,
        // The switch in the text is for YuniKorn itself.
        quotaPreemptionEnabled: true,
        ...(warning && { senderNotices: [warning] }),
      });
    }
    this.last = next;
    this.configurations = found;
    this.report('QuotaPreemptionTwice', 'scheduler-preempts-too', warnings);
    this.listener?.changed();
  }

  private async preemptionTwice(partition: YunikornPartition) {
    if (!partition.quotaPreemptionEnabled) return undefined;
    const path = `/ws/v1/partition/${encodeURIComponent(partition.name)}/queues`;
    const answer = await this.options.api.json(path, this.stopping.signal);
    return preemptionTwice(partition, readQueues(answer, 'queues'));
  }

  /** Follows a save until it is in force, or the time for it is over. Saves are followed one after the other; the newest counts. */
  private settle(): void {
    if (this.listener === undefined) return;
    this.settling = this.settling
      .then(() => this.follow(this.saved.configuration))
      .catch((error: Error) => {
        if (this.stopping.signal.aborted) return;
        this.shared.onTrouble('Could not check whether a configuration is in force', error);
      });
  }

  private async follow(saved: SavedConfiguration | undefined): Promise<void> {
    const { signal } = this.stopping;
    const version = () => this.saved.configuration?.resourceVersion;
    for (let waited = 0; waited < settleMs.whole; waited += settleMs.check) {
      if (version() !== saved?.resourceVersion || signal.aborted || isExplained(this.explained, saved))
        return;
      if (await this.readConfiguration()) return;
      await delay(settleMs.check, undefined, { signal });
    }
    if (saved) await this.explain(saved);
  }

  private async explain({ resourceVersion, text }: SavedConfiguration): Promise<void> {
    const reason = await this.options.api.refusal(text, this.stopping.signal);
    const message =
      reason === undefined
        ? 'YuniKorn has another configuration in force, though it finds no error in this one: check whether ' +
          'service.enableConfigHotRefresh is false, or another ConfigMap has its queues, or restart YuniKorn'
        : `YuniKorn refuses this configuration, and the one before stays in force: ${reason}`;
    this.explained = resourceVersion;
    this.report('ConfigurationNotInForce', 'refused-by-yunikorn', [message]);
  }

  private async listen(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.options.api.follow(() => {
          this.hasEvents = true;
          this.waker.wake();
        }, signal);
      } catch {
        // Without events it polls, only less often.
      }
      // YuniKorn may have stopped.
      this.hasEvents = false;
      this.waker.wake();
      await delay(streamAgainMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async rest(tookMs: number): Promise<void> {
    const pause = (ms: number) =>
      delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    await pause(Math.max(pollMs.shortest, restFactor.woken * tookMs));
    const isUsual = this.answers && this.unknownPods.length === 0;
    const longest =
      this.hasEvents && isUsual
        ? pollMs.longest
        : Math.max(pollMs.withoutEvents, restFactor.unwoken * tookMs);
    await this.waker.sleep(Math.min(longest, pollMs.longest), this.stopping.signal);
  }

  /** The pod overrides its priority class, of which only `false` counts. */
  private allowsPreemption({ annotations, priorityClass }: PodWork): boolean {
    const own = annotations?.[allowPreemptionAnnotation];
    if (own === 'true' || own === 'false') return own === 'true';
    const ofClass = this.priorityClasses.get(priorityClass ?? '')?.metadata.annotations;
    return ofClass?.[allowPreemptionAnnotation] !== 'false';
  }

  private reportUnknownPods(): void {
    const { length } = this.unknownPods;
    if (length === 0) return;
    const some = this.unknownPods.slice(0, 5).join(', ');
    this.shared.onTrouble(
      'YuniKorn does not list pods that it has started; nothing is planned until it does',
      new KubernetesError('pods-not-listed', `${counted(length, 'pod')}: ${some}`),
    );
  }

  private reportBareDelays(notices: readonly { code: string; path?: string | undefined }[]): void {
    const bare = notices.filter(({ code }) => code === 'delay-bare-number');
    this.report(
      'DelayWithoutUnit',
      'delay-without-unit',
      bare.map(
        ({ path = configurationKey }) =>
          `${path}: YuniKorn reads a number without a unit as no delay (0s), Curtail as seconds: write the ` +
          'unit, such as 30s',
      ),
    );
  }

  /** Reports on the ConfigMap, and to the operator of the agent. */
  private report(reason: string, code: string, messages: readonly string[]): void {
    const { namespace, configMap } = this.options;
    const uid = this.saved.object?.metadata.uid ?? '';
    const object = { kind: 'ConfigMap' as const, namespace, name: configMap, uid };
    this.shared.reportFindings(
      reason,
      messages.map(
        (message): Finding => ({
          severity: 'warning',
          object,
          field: `data["${configurationKey}"]`,
          code,
          message,
        }),
      ),
    );
  }
}

const isExplained = (explained: string | undefined, saved: SavedConfiguration | undefined): boolean =>
  explained !== undefined && explained === saved?.resourceVersion;

/** The first errors, as many as fit. */
function listed(errors: readonly { path: string; message: string; line?: number | undefined }[]): string {
  const texts = errors.map(
    ({ path, message, line }) => `${line === undefined ? '' : `line ${line}: `}${path}: ${message}`,
  );
  let length = 0;
  const shown = texts.filter((text) => {
    length += text.length + 2;
    return length <= shownCharacters;
  });
  const rest = texts.length - shown.length;
  return rest > 0 ? `${shown.join('; ')}; and ${rest} more (curtail validate lists all)` : shown.join('; ');
}
