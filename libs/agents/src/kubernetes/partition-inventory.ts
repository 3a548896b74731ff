import type { Resources } from '#contracts';
import { type BudgetReport, type InventoryChanges, ReportedInventory } from '../inventory-changes.js';
import type { AnswerOfOwner } from '../port.js';
import { ownerAnswerOf } from './owner-answer.js';
import type { PodWork } from './pod-work.js';
import type { FieldOfObject } from './queue-source.js';

/** A pod in its place. */
export interface Member {
  work: PodWork;
  place: FieldOfObject;
  application: string;
  /** Never to be evicted. */
  isProtected: boolean;
  /** The ids of the disruption budgets that it counts in. */
  budgets: readonly string[];
}

/** The inventory of one partition. The id of an allocation is `namespace/name`: a new pod of that name ends the previous one. */
export class PartitionInventory extends ReportedInventory {
  private hasOldBudgets = true;
  /** The id of the answer that each pod gives. */
  private readonly answered = new Map<string, string>();
  private readonly unsentAnswers: AnswerOfOwner[] = [];
  private readonly members = new Map<string, Map<string, Member>>();
  private readonly stale = new Set<string>();

  /** @param allBudgets the disruption budgets of the cluster: they are few, so each partition has all of them. */
  constructor(private readonly allBudgets: () => Iterable<BudgetReport>) {
    super();
  }

  budgetsChanged(): void {
    this.hasOldBudgets = true;
  }

  put(member: Member): void {
    const { work, place, application, isProtected, budgets } = member;
    const members = this.members.get(application) ?? new Map<string, Member>();
    this.members.set(application, members.set(work.id, member));
    this.stale.add(application);
    const { id, uid, priority, resources } = work;
    const bound = boundOf(member);
    if (bound === undefined) {
      this.allocations.delete(id);
      return;
    }
    this.takeAnswer(member);
    this.allocations.set({
      id,
      uid,
      application,
      queue: place.queue,
      priority,
      resources,
      ...bound,
      ...(budgets.length > 0 && { budgets: [...budgets] }),
      ...(isProtected && { protected: true }),
    });
  }

  drop({ work, application }: Member): void {
    this.allocations.delete(work.id);
    this.answered.delete(work.id);
    this.stale.add(application);
    const members = this.members.get(application);
    members?.delete(work.id);
    if (members?.size === 0) this.members.delete(application);
  }

  override changes(): InventoryChanges {
    for (const id of this.stale) this.placeApplication(id);
    this.stale.clear();
    if (this.hasOldBudgets) this.takeBudgets();
    return super.changes();
  }

  /** Returns the answers of owners since the last call: each when it is given, and again after it was withdrawn. */
  newAnswers(): AnswerOfOwner[] {
    return this.unsentAnswers.splice(0);
  }

  private takeAnswer({ work, place }: Member): void {
    const by = place.application?.user ?? work.user ?? 'owner';
    const answer = ownerAnswerOf(work, { allocation: work.id, by });
    if (answer === undefined) this.answered.delete(work.id);
    else if (this.answered.get(work.id) !== answer.id) {
      this.answered.set(work.id, answer.id);
      this.unsentAnswers.push(answer);
    }
  }

  private takeBudgets(): void {
    const all = [...this.allBudgets()];
    const there = new Set(all.map(({ id }) => id));
    for (const { id } of [...this.budgets.values()]) if (!there.has(id)) this.budgets.delete(id);
    for (const budget of all) this.budgets.set(budget);
    this.hasOldBudgets = false;
  }

  private placeApplication(id: string): void {
    const members = [...(this.members.get(id)?.values() ?? [])];
    const [first] = members;
    if (first === undefined) {
      this.applications.delete(id);
      return;
    }
    const { queue, application } = first.place;
    const earliest = members.map(({ work }) => work.submittedAt).sort()[0] ?? first.work.submittedAt;
    const user = application?.user ?? members.find(({ work }) => work.user !== undefined)?.work.user;
    const minMembers = Math.max(0, ...members.map(({ work }) => work.minMembers ?? 0));
    this.applications.set({
      id,
      queue,
      ...(user !== undefined && { user }),
      priority: Math.max(...members.map(({ work }) => work.priority)),
      submittedAt: application?.submittedAt ?? earliest,
      pending: pendingOf(members),
      ...(minMembers > 0 && { gang: { minMembers } }),
    });
  }
}

/** Values of the scheduler override those of the pod's labels. */
function boundOf({ work, place }: Member): PodWork['bound'] {
  const { role, allowPreemption, node } = place;
  const bound =
    work.bound ??
    (node === undefined
      ? undefined
      : {
          node,
          startedAt: work.submittedAt,
          role: 'task' as const,
          state: 'running' as const,
          allowPreemption: true,
        });
  if (bound === undefined) return undefined;
  return {
    ...bound,
    // A daemon belongs to its node, whatever its other roles.
    ...(role !== undefined && bound.role !== 'daemon' && { role }),
    ...(allowPreemption !== undefined && { allowPreemption }),
  };
}

/** Pods without a node, grouped by size. */
function pendingOf(members: readonly Member[]): { resources: Resources; count: number }[] {
  const sizes = new Map<string, { resources: Resources; count: number }>();
  for (const member of members) {
    if (boundOf(member) !== undefined) continue;
    const { resources } = member.work;
    const key = JSON.stringify(resources);
    const size = sizes.get(key) ?? { resources, count: 0 };
    size.count++;
    sizes.set(key, size);
  }
  return [...sizes.values()].slice(0, 1000);
}
