import { randomUUID } from 'node:crypto';
import { sourceOfCluster } from '#contracts';
import type { AgentParts } from '../agent.js';
import type { PartitionedCluster } from '../partition-agents.js';
import type { ConfigurationOutcome, ConfigurationSource, ReportSource } from '../port.js';
import type { KubernetesApi } from './api.js';
import { PodEvictor } from './evictor.js';
import { keepBudget, keepNamespace, keepNode, keepPod } from './kept-objects.js';
import type { KubernetesNode, KubernetesObject, Namespace, Pod, PodDisruptionBudget } from './objects.js';
import { answerAnnotation } from './owner-answer.js';
import { PodBudgets } from './pod-budgets.js';
import { PodInventory } from './pod-inventory.js';
import {
  checkpointedAtAnnotation,
  gangAnnotation,
  isOn,
  type LabelMatch,
  protectLabel,
  readyToGoAnnotation,
  taskGroupsAnnotation,
  userAnnotation,
} from './pod-work.js';
import { type Finding, ObjectFindings, type QueueSource, type SharedWatches } from './queue-source.js';
import { type Mirror, Reflector } from './reflector.js';
import { Replica } from './replica.js';

export interface KubernetesClusterOptions {
  api: KubernetesApi;
  /** `observe`: nothing is written to the cluster, and no pod is evicted. */
  mode: () => 'observe' | 'enforce';
  /** Whether to write findings as Events on their objects; default true. `mode` must allow writes as well. */
  writesFindingEvents?: boolean;
  /** The source of queues and quotas; it may watch objects of its own. */
  queues: (shared: SharedWatches) => QueueSource;
  originators: readonly LabelMatch[];
  /** Annotations of pods that the source of queues reads. */
  annotations?: readonly string[];
  /** Namespaces whose pods are never evicted. */
  protectedNamespaces: ReadonlySet<string>;
  now: () => Date;
  onTrouble: AgentParts['onTrouble'];
  /** Called for a problem that an administrator should fix. */
  onFinding: (finding: Finding) => void;
}

/** Limit for the check that the API server answers. */
const answersWithinMs = 3000;

/** The pods of a cluster, the source of its queues, and the Eviction API. */
export class KubernetesCluster implements PartitionedCluster {
  readonly evictor: PodEvictor;
  private readonly inventory: PodInventory;
  private readonly namespaces = new Replica<Namespace>();
  private budgets = new PodBudgets();
  private readonly budgetWatch: Reflector<PodDisruptionBudget>;
  private readonly source: QueueSource;
  private readonly reflectors: Reflector<never>[] = [];
  private readonly listeners = new Set<() => void>();

  constructor(private readonly options: KubernetesClusterOptions) {
    const { api, originators, onTrouble } = options;
    const onChange = () => this.stir();
    this.inventory = new PodInventory({
      originators,
      place: (pod) => this.source.place(pod),
      partitionOfNode: (node) => this.source.partitionOfNode(node),
      isProtected: (namespace) => this.isProtected(namespace),
      budgets: () => this.budgets,
      onChange,
      onUnreadable: (pod, error) => onTrouble(`Could not read pod ${pod}`, error),
    });
    this.namespaces.follow(() => this.inventory.moved());
    this.evictor = new PodEvictor(api, {
      mode: options.mode,
      find: (id) => this.inventory.find(id),
      isProtected: (namespace) => this.isProtected(namespace),
      hasBudget: (namespace) => !this.budgetWatch.isCurrent || this.budgets.has(namespace),
      onNotifyFailed: (error) => onTrouble('Could not notify an owner', error),
      newName: () => randomUUID().slice(0, 13),
      now: options.now,
    });
    const findings = new ObjectFindings({
      onFinding: options.onFinding,
      event: (reason, finding) => {
        if (options.writesFindingEvents !== false) this.writeEvent(reason, finding);
      },
    });
    const watch = <T extends KubernetesObject>(
      path: string,
      keep: (object: T) => T,
      mirror: Mirror<T>,
      query?: Readonly<Record<string, string>>,
    ): Reflector<T> => {
      const failed = (error: Error) => onTrouble(`Could not watch ${path}; retrying`, error);
      const reflector = new Reflector(api, {
        path,
        keep,
        mirror,
        onTrouble: failed,
        ...(query && { query }),
      });
      this.reflectors.push(reflector as unknown as Reflector<never>);
      return reflector;
    };
    const keys = {
      annotations: new Set([
        userAnnotation,
        readyToGoAnnotation,
        answerAnnotation,
        checkpointedAtAnnotation,
        gangAnnotation,
        taskGroupsAnnotation,
        'kubernetes.io/config.mirror',
        ...(options.annotations ?? []),
      ]),
    };
    watch<KubernetesObject>('/api/v1/namespaces', keepNamespace, this.namespaces);
    watch<KubernetesNode>('/api/v1/nodes', keepNode, this.inventory.nodeMirror);
    watch<Pod>('/api/v1/pods', (pod) => keepPod(pod, keys), this.inventory.pods);
    const budgets = new Replica<PodDisruptionBudget>(() => {
      this.budgets = new PodBudgets(budgets.values());
      this.inventory.budgetsChanged();
    });
    this.budgetWatch = watch('/apis/policy/v1/poddisruptionbudgets', keepBudget, budgets);
    this.source = options.queues({
      namespaces: this.namespaces,
      unplaced: () => this.inventory.unplaced(),
      isThere: (uid) => this.inventory.isThere(uid),
      watch,
      reportFindings: (reason, found) => findings.report(reason, found),
      onTrouble,
    });
  }

  get partitions(): readonly string[] {
    return this.source.partitions;
  }

  /**
   * The CloudEvents source of a sender for this cluster. The uid of the namespace kube-system identifies the cluster: it lives as long
   * as the cluster does.
   */
  speaksAs(sender: string): string {
    const cluster = this.namespaces.get('kube-system')?.metadata.uid;
    const name = `agents/${encodeURIComponent(sender)}`;
    return cluster === undefined ? `/${name}` : sourceOfCluster(cluster, name);
  }

  /** Resolves when pods, nodes and queues are known. */
  async start(onChange: () => void): Promise<void> {
    this.listeners.add(onChange);
    await Promise.all(this.reflectors.map((reflector) => reflector.start()));
    let isPlaced = false;
    await this.source.start({
      moved: (uids) => {
        if (isPlaced) this.inventory.moved(uids);
      },
      changed: () => this.stir(),
    });
    isPlaced = true;
    this.inventory.moved();
  }

  async stop(): Promise<void> {
    this.listeners.clear();
    await this.source.stop();
    await Promise.all(this.reflectors.map((reflector) => reflector.stop()));
  }

  /** The number of running and pending pods, and the longest time for which a watch has received nothing. */
  status(): { pods: number; silentMs: number } {
    const silentMs = Math.max(...this.reflectors.map((reflector) => reflector.silentMs));
    return { pods: this.inventory.size, silentMs };
  }

  /** One partition as an agent sees it. */
  partition(name: string): ReportSource & ConfigurationSource {
    const { source } = this;
    const inventory = this.inventory.partition(name);
    const isSynced = () => this.reflectors.every(({ isCurrent }) => isCurrent) && source.isSynced(name);
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
      changes: () => inventory.changes(),
      listing: () => inventory.listing(),
      ownerAnswers: () => inventory.newAnswers(),
      get isSynced() {
        return isSynced();
      },
      isCurrent: async () => {
        if (!isSynced()) return false;
        // A connection may be lost silently, and the watches notice it late.
        const [answers, isCurrent] = await Promise.all([this.answers(), source.isCurrent(name)]);
        return answers && isCurrent;
      },
      configuration: () => source.configuration(name),
      recordOutcome: (outcome: ConfigurationOutcome) => source.recordOutcome(name, outcome),
    };
  }

  /** Whether the API server answers now. */
  private async answers(): Promise<boolean> {
    try {
      // With resourceVersion 0 the API server would ignore the limit.
      const query = { limit: 1 };
      await this.options.api.get('/api/v1/pods', { query, signal: AbortSignal.timeout(answersWithinMs) });
      return true;
    } catch (error) {
      this.options.onTrouble('The API server of Kubernetes does not answer', error as Error);
      return false;
    }
  }

  private isProtected(namespace: string): boolean {
    const { labels } = this.namespaces.get(namespace)?.metadata ?? {};
    const isProtected = this.options.protectedNamespaces.has(namespace) || isOn(labels?.[protectLabel]);
    return isProtected || this.source.isSpared?.(namespace) === true;
  }

  private stir(): void {
    for (const listener of this.listeners) listener();
  }

  private writeEvent(reason: string, { object, field, message }: Finding): void {
    const on = { ...object, apiVersion: 'v1' };
    void this.evictor.event(object.namespace, on, reason, `${field}: ${message}`, 'Warning');
  }
}
