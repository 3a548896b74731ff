import type { ConfigurationOutcome, SourceConfiguration } from '../../port.js';
import { keepQuota } from '../kept-objects.js';
import { KubernetesError } from '../kubernetes-error.js';
import type { ResourceQuota } from '../objects.js';
import type { PodWork } from '../pod-work.js';
import {
  type Finding,
  type Place,
  type QueueListener,
  type QueueSource,
  quotaNotEnforced,
  type SharedWatches,
} from '../queue-source.js';
import { Replica } from '../replica.js';
import { type NamespaceQueues, type NamespaceQueuesOptions, namespaceQueues } from './namespace-queues.js';

/** Each namespace is a queue, for clusters without a batch scheduler. */
export class NamespaceSource implements QueueSource {
  readonly partitions: readonly string[];
  private readonly quotas: Replica<ResourceQuota>;
  private queues: NamespaceQueues | undefined;
  private listener: QueueListener | undefined;

  constructor(
    private readonly shared: SharedWatches,
    private readonly options: NamespaceQueuesOptions,
  ) {
    this.partitions = [options.partition];
    const requeue = () => this.requeue();
    this.quotas = new Replica(requeue);
    shared.namespaces.follow(requeue);
    shared.watch<ResourceQuota>('/api/v1/resourcequotas', keepQuota, this.quotas);
  }

  async start(listener: QueueListener): Promise<void> {
    this.listener = listener;
    this.requeue();
  }

  async stop(): Promise<void> {
    this.listener = undefined;
  }

  place({ namespace }: PodWork): Place | undefined {
    const queue = this.queues?.queueOf.get(namespace);
    return queue === undefined ? undefined : { partition: this.options.partition, queue };
  }

  partitionOfNode(): string {
    return this.options.partition;
  }

  configuration(): SourceConfiguration | undefined {
    return (
      this.queues && {
        format: 'yunikorn',
        configuration: this.queues.configuration as Record<string, unknown>,
      }
    );
  }

  async recordOutcome(_partition: string, outcome: ConfigurationOutcome): Promise<void> {
    if (outcome.kind === 'applied') return;
    const errors = outcome.data.errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
    this.shared.onTrouble(
      'Curtail refused the quotas of the cluster',
      new KubernetesError('quotas-refused', errors),
    );
  }

  isSynced(): boolean {
    return true;
  }

  async isCurrent(): Promise<boolean> {
    return true;
  }

  private requeue(): void {
    if (this.listener === undefined) return;
    const { namespaces, reportFindings } = this.shared;
    const before = this.queues?.queueOf;
    this.queues = namespaceQueues([...namespaces.values()], [...this.quotas.values()], this.options);
    // Pods are placed again only if the queues of namespaces have changed: a quota does not move a pod.
    if (before && isSame(before, this.queues.queueOf)) this.listener.changed();
    else this.listener.moved();
    const { findings } = this.queues;
    reportFindings(quotaNotEnforced, ofSeverity(findings, 'error'));
    reportFindings('QuotaNotice', ofSeverity(findings, 'warning'));
  }
}

const ofSeverity = (findings: readonly Finding[], severity: Finding['severity']): Finding[] =>
  findings.filter((finding) => finding.severity === severity);

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}
