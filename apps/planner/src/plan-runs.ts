import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader } from '#clusters';
import { catalog, topics } from '#contracts/events';
import { type Mode, tooLarge } from '#enforcement';
import { append, type KnownEvent, known, planStream, storeSnapshots, type Tx } from '#event-store';
import { type ConsumerOptions, type Effects, EVENT_BUS_TRANSPORT, type GivenUp, givenUpBy } from '#messaging';
import { addPlannedVictims, renewLocks, turnOfOwnerBudgets } from '#runs';
import { whileRenewing } from '#waiting';
import { planFailedEvent } from './record/plan-computed.js';
import { holdingLocks, isPlanned, locksOf, type StartedRun } from './runs/locks.js';
import { Leaving, planRun, type RunWithPlan } from './runs/plan-run.js';
import { Views } from './runs/views.js';
import { PLANNER_SETTINGS, type PlannerSettings } from './settings/planner-settings.js';

/**
 * Plans each run that started and still holds the lock of its queue, and records snapshot and plan. A run that lost its
 * lock, since all planners were away, is ignored: the run after it plans. A run that fired earlier, further down in the
 * same subtree, is planned first: its victims count as leaving. A plan that cannot be made is recorded as failed, with
 * the reason: the run ends, and the timer schedules another one, unless the plan is too large, since the next one would
 * be too.
 */
@Controller()
export class PlanRuns {
  private readonly views: Views;

  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) cluster: ClusterReader,
    @Inject(PLANNER_SETTINGS) private readonly settings: PlannerSettings,
  ) {
    this.views = new Views(db, cluster, settings);
  }

  @EventPattern(topics.enforcement, EVENT_BUS_TRANSPORT, {
    name: 'planner',
    events: ['EnforcementStarted'],
    batchSize: 50,
    patienceMs: 25,
  } satisfies ConsumerOptions)
  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const all = events.filter((event): event is StartedRun => event.name === 'EnforcementStarted');
    if (all.length === 0) return undefined;
    const { db, views, settings } = this;
    const { started, modes } = await locksOf(db, all, settings);
    const runs = started.map(({ data }) => data);
    // A plan that takes longer than a lease must not be made again and again. If the lock is lost after all, nothing is
    // recorded.
    const planned = await whileRenewing(
      settings.leaseMs / 4,
      () => renewLocks(db, runs, settings.leaseMs),
      () => planBatch(started, modes, views, settings),
    );
    return async (tx) => {
      const holding = new Set(await holdingLocks(tx, started));
      await this.record(
        tx,
        planned.filter((run) => holding.has(run.started)),
        modes,
      );
      return undefined;
    };
  }

  private async record(
    tx: Tx,
    planned: readonly RunWithPlan[],
    modes: ReadonlyMap<string, Mode>,
  ): Promise<void> {
    const counting = planned.filter(({ ownerBudgets = [] }) => ownerBudgets.length > 0);
    await turnOfOwnerBudgets(
      tx,
      counting.map(({ started: { data } }) => data.partition),
    );
    const enforced = planned.filter(({ started: { data } }) => modes.get(data.partition) === 'enforce');
    await addPlannedVictims(
      tx,
      enforced.map(({ started: { data }, victims, owners, ownerBudgets }) => ({
        enforcement: data.enforcement,
        partition: data.partition,
        victims,
        owners,
        ...(ownerBudgets && { ownerBudgets }),
      })),
      // The database stores the victims while this process packs and writes the records.
      { areNew: true, meanwhile: () => this.addRecords(tx, planned) },
    );
  }

  private async addRecords(tx: Tx, planned: readonly RunWithPlan[]): Promise<void> {
    const records = await Promise.all(planned.map(({ record }) => record.made()));
    const appending = append(
      tx,
      records.map(({ event }) => ({
        stream: planStream(event.data.enforcement),
        partition: event.data.partition,
        expectedVersion: 0,
        events: [{ event, key: event.data.queue }],
      })),
    );
    const snapshots = records.flatMap(({ snapshot }) => snapshot ?? []);
    // After the events, because threads compress the snapshots until then.
    await Promise.all([appending, storeSnapshots(tx, snapshots, this.settings.snapshotRetentionDays)]);
  }

  /** The run ends with the reason, and no other follows: it would crash planners too. */
  @EventPattern<string>(givenUpBy('planner'), EVENT_BUS_TRANSPORT)
  async givenUp({ tx, event: stored, reason }: GivenUp): Promise<void> {
    if (stored.type !== catalog.EnforcementStarted.type) return;
    const event = known(stored) as StartedRun;
    const [held] = await holdingLocks(tx, [event]);
    if (!held) return;
    const { partition, queue, enforcement } = held.data;
    const stream = planStream(enforcement);
    // A plan may not fit into memory, so only its existence is queried.
    if (await isPlanned(tx, enforcement)) return;
    const message = `${reason}: lower the quota of ${queue} in steps, split the queue, or raise the memory of the planner`;
    const failed = planFailedEvent(held.data, { code: tooLarge, message });
    await append(tx, [{ stream, partition, expectedVersion: 0, events: [{ event: failed, key: queue }] }]);
  }
}

/**
 * Plans runs in their order: the victims of earlier runs of the batch are not in the database yet, and count as leaving for the later ones.
 *
 * @param modes of their partitions.
 */
async function planBatch(
  started: readonly StartedRun[],
  modes: ReadonlyMap<string, Mode>,
  views: Views,
  settings: PlannerSettings,
): Promise<RunWithPlan[]> {
  const leaving = new Map([...modes.keys()].map((partition) => [partition, new Leaving()]));
  const planned: RunWithPlan[] = [];
  while (planned.length < started.length) {
    // All of them are packed before the next snapshots are taken, which bounds those in memory.
    await Promise.all(planned.map(({ record }) => record.made()));
    for (const view of await views.ofFirst(started.slice(planned.length))) {
      const { partition } = view.started.data;
      const mode = modes.get(partition)!;
      const run = planRun(view, leaving.get(partition)!, mode, settings);
      planned.push(run);
      // Nothing is planned after the last one, which may have a hundred thousand victims.
      const hasNext = planned.length < started.length;
      if (mode === 'enforce' && hasNext) leaving.get(partition)!.add(run.victims, run.owners);
    }
  }
  return planned;
}
