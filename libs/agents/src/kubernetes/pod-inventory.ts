import type { Resources } from '@curtail/contracts';
import {
  type AllocationReport,
  type ApplicationReport,
  type InventoryChanges,
  type InventoryListing,
  type NodeReport,
  Reported,
} from '../inventory-changes.js';
import type { Node, Pod } from './objects.js';
import { allocatable } from './pod-requests.js';
import { type LabelMatch, type PodWork, podId, podWork } from './pod-work.js';
import type { Mirror } from './reflector.js';

export interface PodInventoryOptions {
  originators: readonly LabelMatch[];
  /** The queue of a namespace; undefined while that is not known. */
  queueOf: (namespace: string) => string | undefined;
  /** Whether the pods of a namespace are never to be evicted. */
  isProtected: (namespace: string) => boolean;
  /** Something has changed. */
  onChange: () => void;
  /** A pod that cannot be read; it is left out. */
  onUnreadable: (pod: string, error: Error) => void;
}

/** The pods and nodes of a cluster as an inventory: what is reported of them, and what has changed since. */
export class PodInventory {
  private readonly work = new Map<string, PodWork>();
  private readonly ofApplication = new Map<string, Set<string>>();
  private readonly nodes = new Reported<NodeReport>();
  private readonly applications = new Reported<ApplicationReport>();
  /** Under `namespace/name`: a pod that follows another one under its name ends that one. */
  private readonly allocations = new Reported<AllocationReport>();
  /** Of what was reported: the uid and the queue under which each allocation is known. */
  private readonly known = new Map<string, { uid: string; queue: string }>();
  private readonly stale = new Set<string>();

  constructor(private readonly options: PodInventoryOptions) {}

  readonly pods: Mirror<Pod> = {
    replace: (all) => {
      const there = new Set(all.map(({ metadata }) => podId(metadata)));
      for (const id of this.work.keys()) if (!there.has(id)) this.forget(id);
      for (const pod of all) this.take(pod);
      this.options.onChange();
    },
    set: (pod) => {
      this.take(pod);
      this.options.onChange();
    },
    remove: ({ metadata }) => {
      // The end of a pod may come after the beginning of the next one under its name.
      if (this.work.get(podId(metadata))?.uid !== metadata.uid) return;
      this.forget(podId(metadata));
      this.options.onChange();
    },
  };

  readonly nodeMirror: Mirror<Node> = {
    replace: (all) => {
      const there = new Set(all.map(({ metadata }) => metadata.name));
      for (const { id } of [...this.nodes.values()]) if (!there.has(id)) this.nodes.delete(id);
      for (const node of all) this.nodes.set(nodeReport(node));
      this.options.onChange();
    },
    set: (node) => {
      this.nodes.set(nodeReport(node));
      this.options.onChange();
    },
    remove: ({ metadata }) => {
      this.nodes.delete(metadata.name);
      this.options.onChange();
    },
  };

  /** What is known of a pod: it waits or runs. */
  find(id: string): PodWork | undefined {
    return this.work.get(id);
  }

  get size(): number {
    return this.work.size;
  }

  /** The queues of namespaces have changed: everything stands where it belongs now. */
  moveQueues(): void {
    for (const { application } of this.work.values()) this.stale.add(application);
    for (const work of this.work.values()) this.placeAllocation(work);
    this.options.onChange();
  }

  /** What has changed since the last call, or since the last listing. */
  changes(): InventoryChanges {
    for (const id of this.stale) this.placeApplication(id);
    this.stale.clear();
    const nodes = this.nodes.take();
    const applications = this.applications.take();
    const allocations = this.allocations.take();
    const allocationsGone = allocations.gone.map((id) => ({ id, ...this.known.get(id)! }));
    for (const { id } of allocationsGone) this.known.delete(id);
    for (const { id, uid, queue } of allocations.changed) {
      const before = this.known.get(id);
      if (before && before.uid !== uid) allocationsGone.push({ id, ...before });
      this.known.set(id, { uid, queue });
    }
    return {
      nodes: nodes.changed,
      nodesGone: nodes.gone,
      applications: applications.changed,
      applicationsGone: applications.gone,
      allocations: allocations.changed,
      allocationsGone,
    };
  }

  /** Everything that there is; what has changed until now counts as reported with it. */
  listing(): InventoryListing {
    this.changes();
    return {
      nodes: [...this.nodes.values()],
      applications: [...this.applications.values()],
      allocations: [...this.allocations.values()],
    };
  }

  private take(pod: Pod): void {
    const id = podId(pod.metadata);
    let work: PodWork | undefined;
    try {
      work = podWork(pod, this.options.originators);
    } catch (error) {
      this.options.onUnreadable(id, error as Error);
    }
    if (work === undefined) {
      this.forget(id);
      return;
    }
    const before = this.work.get(id);
    if (before && before.application !== work.application) this.forget(id);
    this.work.set(id, work);
    const members = this.ofApplication.get(work.application) ?? new Set();
    this.ofApplication.set(work.application, members.add(id));
    this.stale.add(work.application);
    this.placeAllocation(work);
  }

  private forget(id: string): void {
    const work = this.work.get(id);
    if (work === undefined) return;
    this.work.delete(id);
    this.allocations.delete(id);
    this.stale.add(work.application);
    const members = this.ofApplication.get(work.application);
    members?.delete(id);
    if (members?.size === 0) this.ofApplication.delete(work.application);
  }

  private placeAllocation({
    id,
    uid,
    application,
    namespace,
    priority,
    resources,
    bound,
    ...pod
  }: PodWork): void {
    const isProtected = pod.isProtected || this.options.isProtected(namespace);
    const queue = this.options.queueOf(namespace);
    if (bound === undefined || queue === undefined) {
      this.allocations.delete(id);
      return;
    }
    this.allocations.set({
      id,
      uid,
      application,
      queue,
      priority,
      resources,
      ...bound,
      ...(isProtected && { protected: true }),
    });
  }

  private placeApplication(id: string): void {
    const members = [...(this.ofApplication.get(id) ?? [])].map((member) => this.work.get(member)!);
    const [first] = members;
    const queue = first && this.options.queueOf(first.namespace);
    if (first === undefined || queue === undefined) {
      this.applications.delete(id);
      return;
    }
    const submittedAt = members.map((one) => one.submittedAt).sort()[0] ?? first.submittedAt;
    const priority = Math.max(...members.map((one) => one.priority));
    const user = members.find((one) => one.user !== undefined)?.user;
    this.applications.set({
      id,
      queue,
      ...(user !== undefined && { user }),
      priority,
      submittedAt,
      pending: pendingOf(members),
    });
  }
}

/** Pods without a node, those of one size together. */
function pendingOf(members: readonly PodWork[]): { resources: Resources; count: number }[] {
  const sizes = new Map<string, { resources: Resources; count: number }>();
  for (const { bound, resources } of members) {
    if (bound !== undefined) continue;
    const key = JSON.stringify(resources);
    const size = sizes.get(key) ?? { resources, count: 0 };
    size.count++;
    sizes.set(key, size);
  }
  return [...sizes.values()].slice(0, 1000);
}

function nodeReport({ metadata, spec, status }: Node): NodeReport {
  return {
    id: metadata.name,
    capacity: allocatable(status?.allocatable),
    ...(spec?.unschedulable && { schedulable: false }),
  };
}
