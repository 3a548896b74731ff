import { inboundLimits } from '#contracts/events';
import type { ConfigurationOutcome, SourceConfiguration } from '../../port.js';
import { keepQuota } from '../kept-objects.js';
import { KubernetesError } from '../kubernetes-error.js';
import type { ResourceQuota } from '../objects.js';
import type { PodWork } from '../pod-work.js';
import {
  type FieldOfObject,
  type Finding,
  placeOfObject,
  type QueueListener,
  type QueueSource,
  type SharedWatches,
} from '../queue-source.js';
import { Replica } from '../replica.js';
import { type NamespaceQueues, namespaceQueues } from './namespace-queues.js';

export interface NamespaceSourceOptions {
  partition: string;
  /** The delay of namespaces without their own, a duration; `0` enforces nothing there. */
  delay: string;
}

/** The most that one submission may carry. */
const mostNotices = 100;

/** Each namespace is a queue, for clusters without a batch scheduler. */
export class NamespaceSource implements QueueSource {
  readonly partitions: readonly string[];
  private readonly quotas: Replica<ResourceQuota>;
  private queues: NamespaceQueues | undefined;
  private listener: QueueListener | undefined;

  constructor(
    private readonly shared: SharedWatches,
    private readonly options: NamespaceSourceOptions,
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

  place({ namespace }: PodWork): FieldOfObject | undefined {
    const queue = this.queues?.queueOf.get(namespace);
    return queue === undefined ? undefined : { partition: this.options.partition, queue };
  }

  partitionOfNode(): string {
    return this.options.partition;
  }

  isSpared(namespace: string): boolean {
    return this.queues?.spared.has(namespace) === true;
  }

  configuration(): SourceConfiguration | undefined {
    if (this.queues === undefined) return undefined;
    const { configuration, ignored } = this.queues;
    return {
      format: 'yunikorn',
      configuration: configuration as Record<string, unknown>,
      ...(ignored.length > 0 && { senderNotices: noticesOf(ignored) }),
    };
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
    const before = this.queues;
    this.queues = namespaceQueues([...namespaces.values()], [...this.quotas.values()], this.options);
    const { findings, queueOf, spared } = this.queues;
    // Pods are placed again only if the queues of namespaces, or what is spared, have changed: a quota does not move a pod.
    const stay = before && isSame(before.queueOf, queueOf) && isSame(mapOf(before.spared), mapOf(spared));
    if (stay) this.listener.changed();
    else this.listener.moved();
    reportFindings('QuotaNotEnforced', ofSeverity(findings, 'error'));
    reportFindings('QuotaNotice', ofSeverity(findings, 'warning'));
  }
}

const ofSeverity = (findings: readonly Finding[], severity: Finding['severity']): Finding[] =>
  findings.filter((finding) => finding.severity === severity);

const mapOf = (names: ReadonlySet<string>): ReadonlyMap<string, string> => new Map(names.entries());

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}

/** What needs attention in Curtail's status as long as the configuration is in force. */
function noticesOf(ignored: NamespaceQueues['ignored']): NonNullable<SourceConfiguration['senderNotices']> {
  const notices = ignored.map(({ queue, finding: { object, field, code, message } }) => ({
    code,
    message: `${placeOfObject(object)}: ${field}: ${message}`.slice(0, inboundLimits.messageCharacters),
    queue,
    needsAttention: true,
  }));
  if (notices.length <= mostNotices) return notices;
  const rest = notices.length - mostNotices + 1;
  const message = `${rest} more fields of quotas and namespaces are ignored: the log of the agent lists them`;
  return [
    ...notices.slice(0, mostNotices - 1),
    { code: 'quotas-ignored', message, queue: 'root', needsAttention: true },
  ];
}
