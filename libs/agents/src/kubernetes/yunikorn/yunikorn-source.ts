import { setTimeout as delay } from 'node:timers/promises';
import { counted } from '#contracts';
import { Wakeable } from '#waiting';
import type { ConfigurationOutcome, SourceConfiguration } from '../../port.js';
import type { YunikornPartition } from '../../yunikorn/answers.js';
import { type YunikornApi, YunikornError } from '../../yunikorn/yunikorn-api.js';
import { keepNamespace } from '../kept-objects.js';
import { KubernetesError } from '../kubernetes-error.js';
import type { PriorityClass } from '../objects.js';
import type { PodWork } from '../pod-work.js';
import type { FieldOfObject, QueueListener, QueueSource, SharedWatches } from '../queue-source.js';
import { Replica } from '../replica.js';
import { QueuePlaces } from './places.js';
import { applicationsIn, partitionsIn, partitionsOfNodes } from './read-yunikorn.js';
import { SubmittedConfigurations } from './submitted-configurations.js';

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

/**
 * Queues and places of pods in YuniKorn: the configuration from its ConfigMap (`SubmittedConfigurations`), the places from its REST API.
 *
 * It reads everything again at each event of YuniKorn, and every few seconds. While YuniKorn does not answer, has registered no
 * partition, or does not know a pod that it has started, the partition is not synced, so nothing is planned.
 */
export class YunikornSource implements QueueSource {
  private readonly places = new QueuePlaces();
  private readonly configurations: SubmittedConfigurations;
  private readonly priorityClasses: Replica<PriorityClass>;
  private readonly stopping = new AbortController();
  private listener: QueueListener | undefined;
  private running: Promise<unknown> | undefined;
  private known: YunikornPartition[] = [];
  private nodePartitions: ReadonlyMap<string, string> | undefined;
  private answers = false;
  private hasEvents = false;
  /** Running pods of YuniKorn that it does not list. */
  private unknownPods: string[] = [];
  private readonly waker = new Wakeable();

  constructor(
    private readonly shared: SharedWatches,
    private readonly options: YunikornSourceOptions,
  ) {
    const { api, namespace, configMap } = options;
    this.configurations = new SubmittedConfigurations(shared, {
      api,
      namespace,
      configMap,
      signal: this.stopping.signal,
      onChange: () => this.listener?.changed(),
    });
    this.priorityClasses = new Replica(() => this.listener?.moved());
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
    this.configurations.start();
    await new Promise<void>((resolve) => {
      this.stopping.signal.addEventListener('abort', () => resolve(), { once: true });
      this.running = Promise.all([this.poll(resolve), this.listen()]);
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.running, this.configurations.stop()]);
    this.listener = undefined;
  }

  place(pod: PodWork): FieldOfObject | undefined {
    const place = this.places.get(pod.uid);
    return place && { ...place, allowPreemption: this.allowsPreemption(pod) };
  }

  partitionOfNode(node: string): string | undefined {
    return this.nodePartitions ? this.nodePartitions.get(node) : this.known[0]?.name;
  }

  configuration(partition: string): SourceConfiguration | undefined {
    return this.configurations.of(partition);
  }

  recordOutcome(partition: string, outcome: ConfigurationOutcome): Promise<void> {
    return this.configurations.recordOutcome(partition, outcome);
  }

  isSynced(partition: string): boolean {
    return (
      this.answers &&
      this.unknownPods.length === 0 &&
      !this.configurations.isRefused(partition) &&
      this.known.some(({ name }) => name === partition)
    );
  }

  async isCurrent(partition: string): Promise<boolean> {
    try {
      const there = await partitionsIn(this.options.api, this.stopping.signal);
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
    const partitions = await partitionsIn(api, signal);
    if (partitions.length === 0) {
      throw new YunikornError(
        'it has no partition yet: right after its start it has not registered with Kubernetes',
      );
    }
    const applications = await applicationsIn(api, partitions, signal);
    const nodes = await partitionsOfNodes(api, partitions, signal);
    const isSettled = await this.configurations.read(partitions);
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
    if (!isSettled) this.configurations.settle();
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
}
