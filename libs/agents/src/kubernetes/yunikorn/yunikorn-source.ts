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
  /** Of the ConfigMap with `queues.yaml`. */
  namespace: string;
  configMap: string;
  /** Milliseconds of a clock that only goes forward. */
  now?: () => number;
}

export const allowPreemptionAnnotation = 'yunikorn.apache.org/allow-preemption';
const schedulerName = 'yunikorn';

/** Between two looks at everything: with a stream of events the longest, without one the shortest; large answers take part in it. */
const lookMs = { shortest: 100, withoutEvents: 1000, longest: 10_000 };
/** Of the time of a look, what is waited after it: for events, and without them. */
const restFactor = { woken: 4, unwoken: 50 };
const streamAgainMs = 30_000;
/** YuniKorn takes a save over within milliseconds. */
const settleMs = { look: 50, whole: 5000 };
const toldErrors = 800;

/**
 * Queues and places of pods as YuniKorn has them: the configuration from its ConfigMap, the places from its REST API.
 *
 *     ConfigMap saved --> in force (checksum of /ws/v1/config)? --yes--> submitted
 *                              +--no, for some seconds--> why (validate-conf), told on the ConfigMap; what is in force stays
 *
 * Everything is read again when something happens there, and every few seconds. While it does not answer, has registered no
 * partition, or does not know a pod that it has started, the partition is not heard, so that nothing is planned.
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
  /** Pods that run by YuniKorn, and that it does not name. */
  private unknownPods: string[] = [];
  private last: ToSubmit | undefined;
  private configurations: ReadonlyMap<string, SourceConfiguration> = new Map();
  /** By partition, the submission that Curtail has refused, and what was wrong. */
  private readonly refused = new Map<string, { submission: string; said: string }>();
  /** The save of which was told why it is not in force. */
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
      this.running = Promise.all([this.look(resolve), this.listen()]);
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

  async heard(partition: string, outcome: ConfigurationOutcome): Promise<void> {
    const { submission } = outcome.data;
    if (submission === undefined || submission !== this.configurations.get(partition)?.submission) return;
    if (outcome.kind === 'refused') {
      this.refused.set(partition, { submission, said: listed(outcome.data.errors) });
    } else {
      this.refused.delete(partition);
    }
    this.tell(
      'ConfigurationRefused',
      'refused-by-curtail',
      [...this.refused].map(
        ([name, { said }]) =>
          `Curtail refuses this configuration, and enforces nothing in the partition ${name} until it is mended: ${said}`,
      ),
    );
    if (outcome.kind === 'applied') this.tellOfBareDelays(outcome.data.notices);
    this.listener?.changed();
  }

  isHeard(partition: string): boolean {
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
      return this.isHeard(partition) && there.some(({ name }) => name === partition);
    } catch (error) {
      this.answers = false;
      throw error;
    }
  }

  private async look(onFirst: () => void): Promise<void> {
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
        this.shared.onTrouble('YuniKorn is not known, and nothing is planned by it', error as Error);
      }
      await this.rest(now() - began);
    }
  }

  private async readAll(): Promise<void> {
    const { api } = this.options;
    const { signal } = this.stopping;
    // YuniKorn knows what it has started: whatever runs before it is asked.
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
    const wasHeard = this.answers && this.unknownPods.length === 0;
    this.answers = true;
    this.unknownPods = running
      .filter(({ uid }) => this.places.get(uid) === undefined && this.shared.isThere(uid))
      .map(({ id }) => id);
    this.tellOfUnknown();
    if (isNew || !wasHeard) this.listener?.changed();
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
   * One after the other, so that what was asked for earlier is not taken for newer.
   *
   * @returns whether what the ConfigMap says is in force.
   */
  private readConfiguration(partitions?: readonly YunikornPartition[]): Promise<boolean> {
    const reading = this.lastReading.then(async () => {
      const { signal } = this.stopping;
      const inForce = readInForce(await this.options.api.text('/ws/v1/config', { signal }));
      await this.takeConfiguration(inForce, partitions ?? (await this.readPartitions()));
      const saved = this.saved.configuration;
      if (saved && !isInForce(saved, inForce)) return false;
      this.explained = undefined;
      this.tell('ConfigurationNotInForce', 'refused-by-yunikorn', []);
      return true;
    });
    this.lastReading = reading.catch(() => undefined);
    return reading;
  }

  /** Puts what is in force where the agents find it. */
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
        // The switch of the text is YuniKorn's own.
        quotaPreemptionEnabled: true,
        ...(warning && { senderNotices: [warning] }),
      });
    }
    this.last = next;
    this.configurations = found;
    this.tell('QuotaPreemptionTwice', 'scheduler-preempts-too', warnings);
    this.listener?.changed();
  }

  private async preemptionTwice(partition: YunikornPartition) {
    if (!partition.quotaPreemptionEnabled) return undefined;
    const path = `/ws/v1/partition/${encodeURIComponent(partition.name)}/queues`;
    const answer = await this.options.api.json(path, this.stopping.signal);
    return preemptionTwice(partition, readQueues(answer, 'queues'));
  }

  /** Follows a save until it is in force, or YuniKorn has had its time. One after the other; the newest counts. */
  private settle(): void {
    if (this.listener === undefined) return;
    this.settling = this.settling
      .then(() => this.follow(this.saved.configuration))
      .catch((error: Error) => {
        if (this.stopping.signal.aborted) return;
        this.shared.onTrouble('whether a configuration is in force is not known', error);
      });
  }

  private async follow(saved: SavedConfiguration | undefined): Promise<void> {
    const { signal } = this.stopping;
    const version = () => this.saved.configuration?.resourceVersion;
    for (let waited = 0; waited < settleMs.whole; waited += settleMs.look) {
      if (version() !== saved?.resourceVersion || signal.aborted || isExplained(this.explained, saved))
        return;
      if (await this.readConfiguration()) return;
      await delay(settleMs.look, undefined, { signal });
    }
    if (saved) await this.explain(saved);
  }

  private async explain({ resourceVersion, text }: SavedConfiguration): Promise<void> {
    const reason = await this.options.api.refusal(text, this.stopping.signal);
    const said =
      reason === undefined
        ? 'YuniKorn has another configuration in force, though it finds nothing wrong with this one: look whether ' +
          'service.enableConfigHotRefresh is false, or another ConfigMap has its queues, or restart YuniKorn'
        : `YuniKorn refuses this configuration, and the one before stays in force: ${reason}`;
    this.explained = resourceVersion;
    this.tell('ConfigurationNotInForce', 'refused-by-yunikorn', [said]);
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
        // It is looked at without events as well, only less often.
      }
      // It may be the end of YuniKorn.
      this.hasEvents = false;
      this.waker.wake();
      await delay(streamAgainMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async rest(tookMs: number): Promise<void> {
    const pause = (ms: number) =>
      delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    await pause(Math.max(lookMs.shortest, restFactor.woken * tookMs));
    const isUsual = this.answers && this.unknownPods.length === 0;
    const longest =
      this.hasEvents && isUsual
        ? lookMs.longest
        : Math.max(lookMs.withoutEvents, restFactor.unwoken * tookMs);
    await this.waker.sleep(Math.min(longest, lookMs.longest), this.stopping.signal);
  }

  /** The pod goes before its priority class, of which only `false` counts. */
  private allowsPreemption({ annotations, priorityClass }: PodWork): boolean {
    const own = annotations?.[allowPreemptionAnnotation];
    if (own === 'true' || own === 'false') return own === 'true';
    const ofClass = this.priorityClasses.get(priorityClass ?? '')?.metadata.annotations;
    return ofClass?.[allowPreemptionAnnotation] !== 'false';
  }

  private tellOfUnknown(): void {
    const { length } = this.unknownPods;
    if (length === 0) return;
    const some = this.unknownPods.slice(0, 5).join(', ');
    this.shared.onTrouble(
      'YuniKorn does not name pods that it has started, and nothing is planned meanwhile',
      new Error(`${counted(length, 'pod')}: ${some}`),
    );
  }

  private tellOfBareDelays(notices: readonly { code: string; path?: string | undefined }[]): void {
    const bare = notices.filter(({ code }) => code === 'delay-bare-number');
    this.tell(
      'DelayWithoutUnit',
      'delay-without-unit',
      bare.map(
        ({ path = configurationKey }) =>
          `${path}: YuniKorn reads a number without a unit as no delay (0s), Curtail as seconds: write the ` +
          'unit, such as 30s',
      ),
    );
  }

  /** On the ConfigMap, and to who runs the agent. */
  private tell(reason: string, code: string, messages: readonly string[]): void {
    const { namespace, configMap } = this.options;
    const uid = this.saved.object?.metadata.uid ?? '';
    const object = { kind: 'ConfigMap' as const, namespace, name: configMap, uid };
    this.shared.tell(
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

/** As many as a person reads. */
function listed(errors: readonly { path: string; message: string; line?: number | undefined }[]): string {
  const texts = errors.map(
    ({ path, message, line }) => `${line === undefined ? '' : `line ${line}: `}${path}: ${message}`,
  );
  let length = 0;
  const told = texts.filter((text) => {
    length += text.length + 2;
    return length <= toldErrors;
  });
  const rest = texts.length - told.length;
  return rest > 0 ? `${told.join('; ')}; and ${rest} more (curtail validate lists all)` : told.join('; ');
}
