import { randomUUID } from 'node:crypto';
import type { AgentParts } from '../agent.js';
import type { ConfigurationOutcome, ConfigurationSource, ReportSource } from '../port.js';
import type { KubernetesApi } from './api.js';
import { PodEvictor } from './evictor.js';
import { keepNamespace, keepNode, keepPod, keepQuota } from './kept-objects.js';
import { type NamespaceQueues, namespaceQueues } from './namespaces/namespace-queues.js';
import type { Finding } from './namespaces/quota-amounts.js';
import type { Namespace, Node, Pod, ResourceQuota } from './objects.js';
import { PodInventory } from './pod-inventory.js';
import {
  applicationLabel,
  isOn,
  type LabelMatch,
  protectLabel,
  readyToGoAnnotation,
  userAnnotation,
} from './pod-work.js';
import { type Mirror, Reflector } from './reflector.js';
import { Replica } from './replica.js';

export interface KubernetesClusterOptions {
  api: KubernetesApi;
  partition: string;
  originators: readonly LabelMatch[];
  /** Namespaces whose pods are never evicted. */
  protectedNamespaces: readonly string[];
  /** Of namespaces without a delay of their own: a duration; `0` enforces nothing there. */
  delay: string;
  now: () => Date;
  onTrouble: AgentParts['onTrouble'];
  /** Something that an administrator should mend. */
  onFinding: (finding: Finding) => void;
}

/** Of an API server that is asked whether it is there. */
const answersWithinMs = 3000;

/** The pods of a cluster, its namespaces as queues, and the Eviction API. */
export class KubernetesCluster implements ReportSource, ConfigurationSource {
  readonly evictor: PodEvictor;
  private readonly inventory: PodInventory;
  private readonly namespaces: Replica<Namespace>;
  private readonly quotas: Replica<ResourceQuota>;
  private readonly reflectors: Reflector<never>[];
  private queues: NamespaceQueues | undefined;
  private told = new Set<string>();
  private isStarted = false;
  private onChange: () => void = () => {};

  constructor(private readonly options: KubernetesClusterOptions) {
    const { api, originators } = options;
    this.inventory = new PodInventory({
      originators,
      queueOf: (namespace) => this.queues?.queueOf.get(namespace),
      isProtected: (namespace) => this.isProtected(namespace),
      onChange: () => this.onChange(),
      onUnreadable: (pod, error) => options.onTrouble(`pod ${pod} cannot be read`, error),
    });
    const requeue = () => this.requeue();
    this.namespaces = new Replica(requeue);
    this.quotas = new Replica(requeue);
    const keys = {
      labels: new Set([
        protectLabel,
        applicationLabel,
        'pod-template-hash',
        ...originators.map(({ label }) => label),
      ]),
      annotations: new Set([userAnnotation, readyToGoAnnotation, 'kubernetes.io/config.mirror']),
    };
    const mirror = <T extends Pod | Node | Namespace>(
      path: string,
      keep: (object: T) => T,
      into: Mirror<T>,
    ) =>
      new Reflector<T>(api, {
        path,
        keep,
        mirror: into,
        onTrouble: (error) => options.onTrouble(`${path} cannot be watched`, error),
      }) as unknown as Reflector<never>;
    this.reflectors = [
      mirror<Namespace>('/api/v1/namespaces', keepNamespace, this.namespaces),
      mirror<ResourceQuota>('/api/v1/resourcequotas', keepQuota, this.quotas),
      mirror<Node>('/api/v1/nodes', keepNode, this.inventory.nodeMirror),
      mirror<Pod>('/api/v1/pods', (pod) => keepPod(pod, keys), this.inventory.pods),
    ];
    this.evictor = new PodEvictor(api, {
      find: (id) => this.inventory.find(id),
      isProtected: (namespace) => this.isProtected(namespace),
      onUntold: (error) => options.onTrouble('an owner could not be told', error),
      newName: () => randomUUID().slice(0, 13),
      now: options.now,
    });
  }

  async start(onChange: () => void): Promise<void> {
    // The configuration and the reports have one cluster.
    this.onChange = onChange;
    await Promise.all(this.reflectors.map((reflector) => reflector.start()));
    if (this.isStarted) return;
    this.isStarted = true;
    this.requeue();
  }

  async stop(): Promise<void> {
    await Promise.all(this.reflectors.map((reflector) => reflector.stop()));
  }

  changes() {
    return this.inventory.changes();
  }

  listing() {
    return this.inventory.listing();
  }

  async isCurrent(): Promise<boolean> {
    if (!this.reflectors.every(({ isCurrent }) => isCurrent)) return false;
    // A connection may be gone without a word: the watches would not notice for a while.
    try {
      // With a version of 0 the limit would not count.
      const query = { limit: 1 };
      await this.options.api.get('/api/v1/pods', { query, signal: AbortSignal.timeout(answersWithinMs) });
    } catch (error) {
      this.options.onTrouble('the API server does not answer', error as Error);
      return false;
    }
    return true;
  }

  configuration() {
    return (
      this.queues && {
        format: 'yunikorn' as const,
        configuration: this.queues.configuration as Record<string, unknown>,
      }
    );
  }

  async heard(outcome: ConfigurationOutcome): Promise<void> {
    if (outcome.kind === 'applied') return;
    const said = outcome.data.errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
    this.options.onTrouble('the quotas of the cluster were refused', new Error(said));
  }

  private isProtected(namespace: string): boolean {
    const { labels } = this.namespaces.get(namespace)?.metadata ?? {};
    return this.options.protectedNamespaces.includes(namespace) || isOn(labels?.[protectLabel]);
  }

  private requeue(): void {
    if (!this.isStarted) return;
    const { partition, delay } = this.options;
    this.queues = namespaceQueues([...this.namespaces.values()], [...this.quotas.values()], {
      partition,
      delay,
    });
    this.inventory.moveQueues();
    this.tell(this.queues.findings);
  }

  /** Once each, on the object and to who runs the agent. */
  private tell(findings: readonly Finding[]): void {
    const now = new Set<string>();
    for (const finding of findings) {
      const { object, field, code, message, severity } = finding;
      const key = JSON.stringify([object.uid, field, code, message]);
      now.add(key);
      if (this.told.has(key)) continue;
      this.options.onFinding(finding);
      const note = `${field}: ${message}${severity === 'error' ? '. Curtail enforces no quota here until this is mended.' : ''}`;
      void this.evictor.event(
        object.namespace,
        { ...object, apiVersion: 'v1' },
        'QuotaNotEnforced',
        note,
        'Warning',
      );
    }
    this.told = now;
  }
}
