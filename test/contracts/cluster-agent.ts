import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Evictor, ReportSource, RequestToAgent } from '#agents';

/** The agent of one cluster without its transport, and control of the cluster that it watches. */
export interface ClusterAgentUnderTest {
  partition: string;
  /** Started. */
  reports: ReportSource;
  evictor: Evictor;
  /** Work starts in the cluster. @returns the id of its allocation. */
  begin(): Promise<string>;
  /** The allocation ends by itself. */
  end(allocation: string): Promise<void>;
  /**
   * Another incarnation takes the place of the allocation, where ids are used again.
   *
   * @returns the uid of an incarnation that is not there.
   */
  replace(allocation: string): Promise<string>;
  /** The allocations that the cluster was asked to end, each as often as it was. */
  evictions(): Promise<string[]>;
  observe(): void;
  /** The cluster carries out the next eviction, and its answer is lost; absent: the spec of its evictor shows that. */
  loseNextAnswer?(): void;
  /** The cluster is away, until `restore`. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
}

type InventoryListing = ReturnType<ReportSource['listing']>;
type InventoryChanges = ReturnType<ReportSource['changes']>;
type Allocation = InventoryListing['allocations'][number];

/** The promises of the report source and the evictor of every cluster. Run it from the spec of the cluster. */
export function clusterAgentContract(
  name: string,
  make: () => Promise<ClusterAgentUnderTest>,
  { losesAnswers = true } = {},
): void {
  describe(`agent of a cluster: ${name}`, () => {
    let stage: ClusterAgentUnderTest;
    let view: View;
    beforeEach(async () => {
      stage = await make();
      view = new View(stage.reports.listing());
    });
    afterEach(() => stage?.close());

    /** Takes what has changed, until that `holds`; a cluster that is polled is looked at meanwhile. */
    async function until(holds: () => boolean): Promise<void> {
      for (;;) {
        view.apply(stage.reports.changes());
        if (holds()) return;
        // While it is not synced, it says so at once: nothing could arrive in a loop without turns of the event loop.
        await Promise.all([stage.reports.isCurrent(), turn()]);
      }
    }
    const known = async (id: string): Promise<Allocation> => {
      await until(() => view.allocations.has(id));
      return view.allocations.get(id)!;
    };
    const begun = async () => known(await stage.begin());
    const requestFor = (
      { id, uid, queue, application }: Allocation,
      more: Partial<RequestToAgent> = {},
    ): RequestToAgent => ({
      partition: stage.partition,
      allocation: id,
      uid: uid ?? '',
      queue,
      application,
      evictionId: `eviction-${id}`,
      attempt: 1,
      graceSeconds: 30,
      deadlineAt: '2100-01-01T00:00:00.000Z',
      reason: 'The quota was lowered.',
      ...more,
    });
    const evict = (one: Allocation, more: Partial<RequestToAgent> = {}, isValid = () => true) =>
      stage.evictor.evict(requestFor(one, more), isValid);

    it('ends an allocation once, by however many requests', async () => {
      const [victim, other] = [await begun(), await begun()];
      const answers = await Promise.all([evict(victim), evict(victim)]);
      answers.push(await evict(victim, { attempt: 2 }));
      expect(answers.filter((one) => one.answer === 'accepted' && !one.repeated)).toHaveLength(1);
      expect(answers.filter((one) => one.answer === 'accepted' && one.repeated)).toHaveLength(2);
      expect(await stage.evictions()).toEqual([victim.id]);
      expect(view.allocations.has(other.id)).toBe(true);
    });

    if (losesAnswers) {
      it('ends an allocation once where the answer of the cluster is lost', async () => {
        const victim = await begun();
        stage.loseNextAnswer?.();
        await evict(victim).catch(() => undefined);
        expect(await evict(victim, { attempt: 2 })).toEqual({ answer: 'accepted', repeated: true });
        expect(await stage.evictions()).toEqual([victim.id]);
      });
    }

    it('answers that an allocation is gone that has ended by itself', async () => {
      const victim = await begun();
      await stage.end(victim.id);
      let answer = await evict(victim);
      // A cluster may show that it is leaving before it shows that it is gone.
      while (answer.answer === 'accepted' && answer.repeated) {
        await turn();
        answer = await evict(victim);
      }
      expect(answer).toEqual({ answer: 'gone' });
      expect(await stage.evictions()).toEqual([]);
    });

    it('ends no other incarnation than the one that is meant', async () => {
      const victim = await begun();
      const uid = await stage.replace(victim.id);
      expect(await evict(victim, { uid })).toMatchObject({ answer: 'other-incarnation' });
      expect(await stage.evictions()).toEqual([]);
    });

    it('ends nothing in observe', async () => {
      const victim = await begun();
      stage.observe();
      expect(await evict(victim)).toMatchObject({ answer: 'refused', retryable: false });
      expect(await stage.evictions()).toEqual([]);
    });

    it('carries out no request whose time is over', async () => {
      const victim = await begun();
      await expect(evict(victim, {}, () => false)).rejects.toThrow();
      expect(await stage.evictions()).toEqual([]);
    });

    it('reports changes that give the same as a listing anew, through beginnings, ends and evictions', async () => {
      const [ended, evicted, stays] = [await begun(), await begun(), await begun()];
      await stage.end(ended.id);
      await evict(evicted, { graceSeconds: 0 });
      await stage.end(evicted.id);
      const late = await stage.begin();
      await until(
        () =>
          view.allocations.has(late) && !view.allocations.has(ended.id) && !view.allocations.has(evicted.id),
      );
      expect(view.allocations.has(stays.id)).toBe(true);
      view.apply(stage.reports.changes());
      expect(view.sorted()).toEqual(new View(stage.reports.listing()).sorted());
    });

    it('is not current while the cluster is away, knows all that it knew, and reports later what it missed', async () => {
      const [stays, ends] = [await begun(), await begun()];
      expect(stage.reports.isSynced).toBe(true);
      await stage.cut();
      while (stage.reports.isSynced && (await stage.reports.isCurrent())) await turn();
      expect(await stage.reports.isCurrent()).toBe(false);
      view.apply(stage.reports.changes());
      expect([view.allocations.has(stays.id), view.allocations.has(ends.id)]).toEqual([true, true]);
      await stage.end(ends.id);
      expect(await stage.reports.isCurrent()).toBe(false);
      await stage.restore();
      await until(() => !view.allocations.has(ends.id));
      expect(view.allocations.has(stays.id)).toBe(true);
    });
  });
}

/** What Curtail knows of a cluster after a listing and the changes since. */
class View {
  readonly allocations: Map<string, Allocation>;
  private readonly nodes: Map<string, InventoryListing['nodes'][number]>;
  private readonly applications: Map<string, InventoryListing['applications'][number]>;

  constructor({ nodes, applications, allocations }: InventoryListing) {
    this.nodes = byId(nodes);
    this.applications = byId(applications);
    this.allocations = byId(allocations);
  }

  apply(changes: InventoryChanges): void {
    for (const id of changes.nodesGone) this.nodes.delete(id);
    for (const id of changes.applicationsGone) this.applications.delete(id);
    for (const { id, uid } of changes.allocationsGone) {
      if (this.allocations.get(id)?.uid === uid) this.allocations.delete(id);
    }
    for (const one of changes.nodes) this.nodes.set(one.id, one);
    for (const one of changes.applications) this.applications.set(one.id, one);
    for (const one of changes.allocations) this.allocations.set(one.id, one);
  }

  sorted(): object[][] {
    return [this.nodes, this.applications, this.allocations].map((all) =>
      [...(all as Map<string, { id: string }>).values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  }
}

const byId = <T extends { id: string }>(all: readonly T[]) => new Map(all.map((one) => [one.id, one]));
