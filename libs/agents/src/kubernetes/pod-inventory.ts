import { AgentError } from '../agent-error.js';
import type { NodeReport } from '../inventory-changes.js';
import type { KubernetesNode, Pod } from './objects.js';
import { unreadableAnswer } from './owner-answer.js';
import { type Member, PartitionInventory } from './partition-inventory.js';
import { PodBudgets } from './pod-budgets.js';
import { allocatable } from './pod-requests.js';
import { type LabelMatch, type PodWork, podId, podWork } from './pod-work.js';
import type { FieldOfObject } from './queue-source.js';
import type { Mirror } from './reflector.js';

export interface PodInventoryOptions {
  originators: readonly LabelMatch[];
  /** The place of a pod; undefined: it has none, or it is unknown. */
  place: (pod: PodWork) => FieldOfObject | undefined;
  partitionOfNode: (node: string) => string | undefined;
  /** Whether the pods of a namespace are never to be evicted. */
  isProtected: (namespace: string) => boolean;
  /** The disruption budgets of the cluster; absent: there are none. */
  budgets?: () => PodBudgets;
  /** Called at every change. */
  onChange: () => void;
  /** Called for a pod that cannot be read, which is skipped, and for an answer of its owner that cannot be read. */
  onUnreadable: (pod: string, error: Error) => void;
}

/** The pods and nodes of a cluster, each in the inventory of its partition. */
export class PodInventory {
  /** By `namespace/name`, including pods without a place. */
  private readonly works = new Map<string, PodWork>();
  private readonly members = new Map<string, Member>();
  private readonly nowhere = new Set<string>();
  private readonly idOf = new Map<string, string>();
  private readonly nodes = new Map<string, { report: NodeReport; partition: string | undefined }>();
  private readonly partitions = new Map<string, PartitionInventory>();
  /** By which the pods were looked up last. */
  private budgets = new PodBudgets();

  constructor(private readonly options: PodInventoryOptions) {}

  readonly pods: Mirror<Pod> = {
    replace: (all) => {
      const there = new Set(all.map(({ metadata }) => podId(metadata)));
      for (const id of [...this.works.keys()]) if (!there.has(id)) this.forget(id);
      for (const pod of all) this.take(pod);
      this.options.onChange();
    },
    set: (pod) => {
      this.take(pod);
      this.options.onChange();
    },
    remove: ({ metadata }) => {
      // The deletion of a pod may arrive after the creation of the next one with its name.
      if (this.works.get(podId(metadata))?.uid !== metadata.uid) return;
      this.forget(podId(metadata));
      this.options.onChange();
    },
  };

  readonly nodeMirror: Mirror<KubernetesNode> = {
    replace: (all) => {
      const there = new Set(all.map(({ metadata }) => metadata.name));
      for (const id of [...this.nodes.keys()]) if (!there.has(id)) this.forgetNode(id);
      for (const node of all) this.takeNode(nodeReport(node));
      this.options.onChange();
    },
    set: (node) => {
      this.takeNode(nodeReport(node));
      this.options.onChange();
    },
    remove: ({ metadata }) => {
      this.forgetNode(metadata.name);
      this.options.onChange();
    },
  };

  /** A running or pending pod. */
  find(id: string): PodWork | undefined {
    return this.works.get(id);
  }

  *unplaced(): Generator<PodWork> {
    for (const id of this.nowhere) yield this.works.get(id)!;
  }

  isThere(uid: string): boolean {
    return this.idOf.has(uid);
  }

  get size(): number {
    return this.works.size;
  }

  partition(name: string): PartitionInventory {
    const known =
      this.partitions.get(name) ?? new PartitionInventory(() => this.options.budgets?.().reports() ?? []);
    this.partitions.set(name, known);
    return known;
  }

  /**
   * Disruption budgets have changed. What one allows changes with every pod that becomes ready, so the pods are looked up again only where
   * others may be charged to it.
   */
  budgetsChanged(): void {
    const budgets = this.options.budgets?.() ?? new PodBudgets();
    const namespaces = budgets.membersChanged(this.budgets);
    this.budgets = budgets;
    const members = namespaces.size === 0 ? [] : this.members.values();
    for (const member of members) {
      if (!namespaces.has(member.work.namespace)) continue;
      const now = this.budgetsOf(member.work);
      if (now.length !== member.budgets.length || now.some((id, i) => id !== member.budgets[i]))
        this.place(member.work);
    }
    for (const partition of this.partitions.values()) partition.budgetsChanged();
    this.options.onChange();
  }

  /** Places these pods again; without uids, all pods and nodes. */
  moved(uids?: Iterable<string>): void {
    if (uids === undefined) {
      for (const work of this.works.values()) this.place(work);
      for (const { report } of this.nodes.values()) this.takeNode(report);
    } else {
      for (const uid of uids) {
        const work = this.works.get(this.idOf.get(uid) ?? '');
        if (work?.uid === uid) this.place(work);
      }
    }
    this.options.onChange();
  }

  private take(pod: Pod): void {
    const id = podId(pod.metadata);
    let work: PodWork | undefined;
    try {
      work = podWork(pod, this.options.originators);
    } catch (error) {
      this.options.onUnreadable(id, error as Error);
      // It still exists, so its known state stays.
      if (this.works.get(id)?.uid === pod.metadata.uid) return;
    }
    if (work === undefined) {
      this.forget(id);
      return;
    }
    const before = this.works.get(id);
    this.checkAnswer(work, before);
    if (before && before.uid !== work.uid) this.idOf.delete(before.uid);
    this.works.set(id, work);
    this.idOf.set(work.uid, id);
    this.place(work);
  }

  /** Reports an answer that cannot be read, once. */
  private checkAnswer(work: PodWork, before: PodWork | undefined): void {
    const fault = unreadableAnswer(work);
    if (fault === undefined || (before && unreadableAnswer(before) === fault)) return;
    this.options.onUnreadable(work.id, new AgentError('answer-unreadable', fault));
  }

  private forget(id: string): void {
    const work = this.works.get(id);
    if (work === undefined) return;
    this.works.delete(id);
    this.idOf.delete(work.uid);
    this.nowhere.delete(id);
    this.leave(id);
  }

  private place(work: PodWork): void {
    const place = this.options.place(work);
    if (place === undefined) {
      this.leave(work.id);
      this.nowhere.add(work.id);
      return;
    }
    this.nowhere.delete(work.id);
    const isProtected = work.isProtected || this.options.isProtected(work.namespace);
    const budgets = this.budgetsOf(work);
    const application = place.application?.id ?? work.application;
    const member = { work, place, application, isProtected, budgets };
    const before = this.members.get(work.id);
    const stays = before?.place.partition === place.partition && before.application === member.application;
    if (!stays) this.leave(work.id);
    this.members.set(work.id, member);
    this.partition(place.partition).put(member);
  }

  /** A pod that leaves is not ready any more, but was charged as it was when its eviction was requested. */
  private budgetsOf(work: PodWork): readonly string[] {
    const before = this.members.get(work.id);
    if (work.bound?.state === 'releasing' && before?.work.uid === work.uid) return before.budgets;
    return this.options.budgets?.().of(work) ?? [];
  }

  private leave(id: string): void {
    const member = this.members.get(id);
    if (member === undefined) return;
    this.members.delete(id);
    this.partition(member.place.partition).drop(member);
  }

  private takeNode(report: NodeReport): void {
    const partition = this.options.partitionOfNode(report.id);
    const before = this.nodes.get(report.id)?.partition;
    if (before !== undefined && before !== partition) this.partition(before).nodes.delete(report.id);
    this.nodes.set(report.id, { report, partition });
    if (partition !== undefined) this.partition(partition).nodes.set(report);
  }

  private forgetNode(id: string): void {
    const partition = this.nodes.get(id)?.partition;
    this.nodes.delete(id);
    if (partition !== undefined) this.partition(partition).nodes.delete(id);
  }
}

function nodeReport({ metadata, spec, status }: KubernetesNode): NodeReport {
  return {
    id: metadata.name,
    capacity: allocatable(status?.allocatable),
    ...(spec?.unschedulable && { schedulable: false }),
  };
}
