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
  storeSnapshot,
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
    for (const event of started) {
      await this.waitForEarlierPlans(event, batch);
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
      for (const outcome of outcomes) {
        if (outcome.snapshot) await storeSnapshot(tx, outcome.snapshot, this.settings.snapshotRetentionDays);
        if (enforced.get(outcome.started.data.partition)) await markPlanned(tx, outcome);
      }
      await append(
        tx,
        outcomes.map(({ started: { data }, event, at }) => ({
          stream: planStream(data.enforcement),
          partition: data.partition,
          expectedVersion: 0,
          events: [{ event, at, key: data.queue }],
        })),
      );
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
  private async waitForEarlierPlans({ data }: Started, batch: Set<string>): Promise<void> {
    const unplanned: { enforcement: string }[] = await this.db.query(
      `SELECT s.running_enforcement AS enforcement FROM schedules s
       WHERE s.partition = $1 AND s.running_enforcement IS NOT NULL AND s.fencing_token < $3
         AND s.queue > $2 || '.' AND s.queue < $2 || '/'
         AND NOT EXISTS (SELECT 1 FROM events e WHERE e.stream = 'plan-' || s.running_enforcement)`,
      [data.partition, data.queue, data.fencingToken],
    );
    const missing = unplanned.filter(({ enforcement }) => !batch.has(enforcement));
    if (missing.length > 0) {
      throw new TryAgain(
        `${data.queue} is planned after the runs below it: ${missing[0]?.enforcement} has no plan yet`,
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
async function markPlanned(tx: Tx, { started, victims }: Outcome): Promise<void> {
  if (victims.length === 0) return;
  await tx.query(
    `INSERT INTO planned_victims (enforcement, partition, allocation, uid)
     SELECT $1, $2, * FROM unnest($3::text[], $4::text[]) ON CONFLICT DO NOTHING`,
    [
      started.data.enforcement,
      started.data.partition,
      victims.map((victim) => victim.allocation),
      victims.map((victim) => victim.uid ?? null),
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
