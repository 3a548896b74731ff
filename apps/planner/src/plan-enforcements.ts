import { CLUSTER_READER, type ClusterReader, takePlanningSnapshot } from '@curtail/clusters';
import {
  type ClusterSnapshot,
  type DomainEvent,
  InputError,
  type Plan,
  type QuotaDecreaseSettings,
  type Resources,
  type Trigger,
  topics,
} from '@curtail/contracts';
import {
  append,
  digestOfPlan,
  type KnownEvent,
  type PackedSnapshot,
  packSnapshot,
  planStream,
  storeSnapshots,
  type Tx,
} from '@curtail/event-store';
import { type Consumer, type Effects, TryAgain } from '@curtail/messaging';
import { plan, readSnapshot } from '@curtail/planning';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PLANNER_SETTINGS, type PlannerSettings } from './planner-settings.js';

type Started = KnownEvent<'EnforcementStarted'>;

interface Outcome {
  started: Started;
  event: DomainEvent<'PlanComputed' | 'PlanFailed'>;
  at: Date;
  snapshot?: PackedSnapshot;
  victims: Plan['victims'];
}

/**
 * Plans each run that started: snapshot in, plan out, both on record. A run that fired before, further down in the same
 * subtree, is planned first: its victims count as leaving. A plan that cannot be made is recorded as failed, with the reason,
 * so that the run ends and its queue is free again.
 */
@Injectable()
export class PlanEnforcements implements Consumer {
  readonly name = 'planner';
  readonly topics = [topics.enforcement];
  readonly events = ['EnforcementStarted'] as const;
  readonly batchSize = 50;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(PLANNER_SETTINGS) private readonly settings: PlannerSettings,
  ) {}

  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const started = events.filter((event): event is Started => event.name === 'EnforcementStarted');
    if (started.length === 0) return undefined;
    const batch = new Set(started.map((event) => event.data.enforcement));
    const outcomes: Outcome[] = [];
    const enforced = new Map<string, boolean>();
    await this.waitForEarlierPlans(started, batch);
    for (const event of started) {
      const { partition } = event.data;
      if (!enforced.has(partition)) enforced.set(partition, await this.isEnforced(partition));
      // What earlier runs of the batch take is not in the database yet.
      const alsoPreempting = outcomes
        .filter((outcome) => enforced.get(partition) && outcome.started.data.partition === partition)
        .flatMap((outcome) => outcome.victims.map((victim) => victim.allocation));
      const mode = enforced.get(partition) ? 'enforce' : 'observe';
      outcomes.push(await this.plan(event, alsoPreempting, mode));
    }
    return async (tx) => {
      await Promise.all([
        storeSnapshots(
          tx,
          outcomes.flatMap(({ snapshot }) => (snapshot ? [snapshot] : [])),
          this.settings.snapshotRetentionDays,
        ),
        markPlanned(
          tx,
          outcomes.filter(({ started }) => enforced.get(started.data.partition)),
        ),
        append(
          tx,
          outcomes.map(({ started: { data }, event, at }) => ({
            stream: planStream(data.enforcement),
            partition: data.partition,
            expectedVersion: 0,
            events: [{ event, at, key: data.queue }],
          })),
        ),
      ]);
      return undefined;
    };
  }

  private async plan(
    started: Started,
    alsoPreempting: string[],
    mode: 'observe' | 'enforce',
  ): Promise<Outcome> {
    const { partition, queue, enforcement, fencingToken } = started.data;
    const run = { partition, queue, enforcement, fencingToken };
    const trigger: Trigger = { policy: 'quota-decrease', queue };
    const settings: QuotaDecreaseSettings = { ...this.settings.policy, quotaPreemptionEnabled: true };
    const began = performance.now();
    try {
      const snapshot = await takePlanningSnapshot(this.db, this.cluster, {
        partition,
        queue,
        fencingToken,
        nodeAware: settings.nodeAware ?? false,
        alsoPreempting,
        firedMax: started.data.values.max,
      });
      const planning = performance.now();
      const made = plan(readSnapshot(snapshot), trigger, settings);
      const planSeconds = (performance.now() - planning) / 1000;
      const packed = await packSnapshot(snapshot);
      return {
        started,
        snapshot: packed,
        victims: made.victims,
        at: new Date(),
        event: {
          name: 'PlanComputed',
          data: {
            ...run,
            snapshotDigest: packed.digest,
            trigger: { ...trigger },
            settings: { ...settings },
            planDigest: digestOfPlan(made),
            plan: made,
            takenAt: snapshot.takenAt,
            mode,
            max: started.data.values.max,
            ...usedBelow(snapshot, queue),
            planSeconds: Math.round(planSeconds * 1e6) / 1e6,
          },
        },
      };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return {
        started,
        victims: [],
        at: new Date(),
        event: {
          name: 'PlanFailed',
          data: {
            ...run,
            code: 'snapshot-unusable',
            message: `After ${Math.round(performance.now() - began)} ms: ${error.path}: ${error.message}`,
          },
        },
      };
    }
  }

  /** @throws TryAgain while a run that fired earlier below the same queue has no plan yet. */
  private async waitForEarlierPlans(started: Started[], batch: Set<string>): Promise<void> {
    const unplanned: { queue: string; enforcement: string }[] = await this.db.query(
      `SELECT run.queue, s.running_enforcement AS enforcement
       FROM unnest($1::text[], $2::text[], $3::bigint[]) AS run (partition, queue, token)
       JOIN schedules s ON s.partition = run.partition AND s.running_enforcement IS NOT NULL
         AND s.fencing_token < run.token AND s.queue > run.queue || '.' AND s.queue < run.queue || '/'
       WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.stream = 'plan-' || s.running_enforcement)`,
      [
        started.map(({ data }) => data.partition),
        started.map(({ data }) => data.queue),
        started.map(({ data }) => data.fencingToken),
      ],
    );
    const missing = unplanned.find(({ enforcement }) => !batch.has(enforcement));
    if (missing) {
      throw new TryAgain(
        `${missing.queue} is planned after the runs below it: ${missing.enforcement} has no plan yet`,
      );
    }
  }

  private async isEnforced(partition: string): Promise<boolean> {
    const rows: { mode: string }[] = await this.db.query(
      'SELECT mode FROM partition_modes WHERE partition = $1',
      [partition],
    );
    return (rows[0]?.mode ?? this.settings.defaultMode) === 'enforce';
  }
}

/** From here to their outcome the victims count as leaving, whoever looks. */
async function markPlanned(tx: Tx, outcomes: Outcome[]): Promise<void> {
  const planned = outcomes.flatMap(({ started, victims }) =>
    victims.map((victim) => ({ run: started.data, victim })),
  );
  if (planned.length === 0) return;
  await tx.query(
    `INSERT INTO planned_victims (enforcement, partition, allocation, uid)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING`,
    [
      planned.map(({ run }) => run.enforcement),
      planned.map(({ run }) => run.partition),
      planned.map(({ victim }) => victim.allocation),
      planned.map(({ victim }) => victim.uid ?? null),
    ],
  );
}

/** How much there is in a queue and below it: what the size of a plan is measured by. */
function usedBelow(
  snapshot: ClusterSnapshot,
  queue: string,
): { queueAllocations: number; queueUsage: Resources } {
  const within = snapshot.allocations.filter(
    (allocation) => allocation.queue === queue || allocation.queue.startsWith(`${queue}.`),
  );
  const queueUsage: Record<string, number> = {};
  for (const { resources } of within) {
    for (const [type, amount] of Object.entries(resources)) {
      queueUsage[type] = Math.min(Number.MAX_SAFE_INTEGER, (queueUsage[type] ?? 0) + amount);
    }
  }
  return { queueAllocations: within.length, queueUsage };
}
