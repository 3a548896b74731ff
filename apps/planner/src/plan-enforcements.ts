import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import {
  CLUSTER_READER,
  type ClusterReader,
  takePlanningSnapshot,
  withFurtherVictims,
  withLeaving,
} from '#clusters';
import {
  type ClusterSnapshot,
  clockTrigger,
  type DomainEvent,
  InputError,
  type Limit,
  type Notice,
  type OwnerBudget,
  type Owners,
  ofQueue,
  type Plan,
  type QuotaDecreaseSettings,
  type RecentVictim,
  readQueueSetting,
  settingsOfPlans,
  settingsOfQueue,
  type Trigger,
  usersByApplication,
} from '#contracts';
import { catalog, topics } from '#contracts/events';
import { type Mode, modeInForce, tooLarge } from '#enforcement';
import {
  append,
  isPacked,
  type KnownEvent,
  known,
  type PackedSnapshot,
  packAhead,
  packSnapshot,
  planStream,
  storeSnapshots,
  type Tx,
} from '#event-store';
import {
  type ConsumerOptions,
  type Effects,
  EVENT_BUS_TRANSPORT,
  EventNotReady,
  type GivenUp,
  givenUpBy,
} from '#messaging';
import { DecidingRules, plan, readSnapshot } from '#planning';
import { addPlannedVictims, renewLocks, turnOfOwnerBudgets } from '#runs';
import { whileRenewing } from '#waiting';
import { failedBefore } from './failed-before.js';
import { TooManyVictims, whyUnplanned } from './failures/why-unplanned.js';
import { indexedAhead } from './indexed-ahead.js';
import { ownersOf } from './record/owners-of.js';
import { planComputed } from './record/plan-computed.js';
import { PLANNER_SETTINGS, type PlannerSettings } from './settings/planner-settings.js';

type Started = KnownEvent<'EnforcementStarted'>;
type View = { began: number } & ({ snapshot: ClusterSnapshot; avoid: string[] } | { error: InputError });

/** The maximum number of snapshots taken at once, and of the allocations in all of them: one snapshot may have a million. */
const mostViewsAtOnce = 8;
const mostAllocationsAtOnce = 20_000;

interface Outcome {
  started: Started;
  victims: Plan['victims'];
  owners?: Owners | undefined;
  /** Those by which its plan counted the victims of owners. */
  ownerBudgets?: readonly OwnerBudget[];
  /** Makes the record at the first call. For a large snapshot that takes as long as planning. */
  record: () => Promise<PlanRecord>;
}

interface PlanRecord {
  event: DomainEvent<'PlanComputed' | 'PlanFailed'>;
  snapshot?: PackedSnapshot;
}

/**
 * Plans each run that started and still holds the lock of its queue, and records snapshot and plan. A run that lost its
 * lock, since all planners were away, is ignored: the run after it plans. A run that fired earlier, further down in the
 * same subtree, is planned first: its victims count as leaving. A plan that cannot be made is recorded as failed, with
 * the reason: the run ends, and the timer schedules another one, unless the plan is too large, since the next one would
 * be too.
 */
@Controller()
export class PlanEnforcements {
  /** Allocations of the last snapshot: the next ones will be about as large. */
  private lastSize = Number.POSITIVE_INFINITY;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(PLANNER_SETTINGS) private readonly settings: PlannerSettings,
  ) {}

  @EventPattern(topics.enforcement, EVENT_BUS_TRANSPORT, {
    name: 'planner',
    events: ['EnforcementStarted'],
    batchSize: 50,
    patienceMs: 25,
  } satisfies ConsumerOptions)
  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const all = events.filter((event): event is Started => event.name === 'EnforcementStarted');
    if (all.length === 0) return undefined;
    const { started, modes } = await this.readLocks(all);
    const { leaseMs } = this.settings;
    // A plan that takes longer than a lease must not be made again and again. If the lock is lost after all, nothing is
    // recorded.
    const outcomes = await whileRenewing(
      leaseMs / 4,
      () =>
        renewLocks(
          this.db,
          started.map(({ data }) => data),
          leaseMs,
        ),
      () => this.planAll(started, modes),
    );
    return async (tx) => {
      // The lock was lost while the plan was made: nothing of it is recorded.
      const holding = new Set(await holdingLocks(tx, started));
      const held = outcomes.filter((outcome) => holding.has(outcome.started));
      const counting = held.filter(({ ownerBudgets = [] }) => ownerBudgets.length > 0);
      await turnOfOwnerBudgets(
        tx,
        counting.map(({ started: { data } }) => data.partition),
      );
      await addPlannedVictims(
        tx,
        held
          .filter(({ started: { data } }) => modes.get(data.partition) === 'enforce')
          .map(({ started: { data }, victims, owners, ownerBudgets }) => ({
            enforcement: data.enforcement,
            partition: data.partition,
            ...{ victims, owners, ...(ownerBudgets && { ownerBudgets }) },
          })),
        // The database stores the victims while this process packs and writes the record.
        { areNew: true, meanwhile: () => this.addRecords(tx, held) },
      );
      return undefined;
    };
  }

  private async addRecords(tx: Tx, outcomes: readonly Outcome[]): Promise<void> {
    const records = await Promise.all(outcomes.map(({ record }) => record()));
    const appending = append(
      tx,
      records.map(({ event }) => ({
        stream: planStream(event.data.enforcement),
        partition: event.data.partition,
        expectedVersion: 0,
        events: [{ event, key: event.data.queue }],
      })),
    );
    // A long one is sent when threads have compressed it, and the commit has to follow it.
    if (records.some(({ event }) => isPacked(event))) await appending;
    // Last, because threads compress the snapshots until then.
    const snapshots = records.flatMap(({ snapshot }) => (snapshot ? [snapshot] : []));
    await Promise.all([
      appending,
      storeSnapshots(tx, snapshots, this.settings.snapshotRetentionDays, { commits: true }),
    ]);
  }

  /** The run ends with the reason, and no other follows: it would crash planners too. */
  @EventPattern<string>(givenUpBy('planner'), EVENT_BUS_TRANSPORT)
  async givenUp({ tx, event: stored, reason }: GivenUp): Promise<void> {
    if (stored.type !== catalog.EnforcementStarted.type) return;
    const event = known(stored) as Started;
    const [held] = await holdingLocks(tx, [event]);
    const stream = planStream(event.data.enforcement);
    if (!held) return;
    // A plan may not fit into memory, so only its existence is queried.
    const [planned] = await tx.query<unknown[]>('SELECT FROM events WHERE stream = $1 LIMIT 1', [stream]);
    if (planned) return;
    const { partition, queue } = event.data;
    const message = `${reason}: lower the quota of ${queue} in steps, split the queue, or raise the memory of the planner`;
    await append(tx, [
      {
        ...{ stream, partition, expectedVersion: 0 },
        events: [{ event: planFailed(held, { code: tooLarge, message }), key: queue }],
      },
    ]);
  }

  /**
   * In their order: the victims of earlier runs of the batch are not in the database yet, and count as leaving for the
   * later ones.
   */
  private async planAll(started: Started[], modes: ReadonlyMap<string, Mode>): Promise<Outcome[]> {
    const leaving = new Map<string, Leaving>();
    const outcomes: Outcome[] = [];
    while (outcomes.length < started.length) {
      // All of them are packed before the next ones are taken, which bounds the snapshots in memory.
      await Promise.all(outcomes.map(({ record }) => record()));
      const together = started.slice(outcomes.length, outcomes.length + this.atOnce);
      const views = await Promise.all(together.map((event) => this.view(event)));
      for (const [i, view] of views.entries()) {
        const event = together[i]!;
        const { partition } = event.data;
        const mode = modes.get(partition)!;
        const ofPartition = leaving.get(partition) ?? { allocations: new Set(), victims: [] };
        leaving.set(partition, ofPartition);
        const outcome = this.plan(event, view, ofPartition, mode);
        outcomes.push(outcome);
        // Nobody else in this batch needs to know the victims of its last plan of a partition, and there may be many.
        const isFollowed = started.slice(outcomes.length).some(({ data }) => data.partition === partition);
        if (mode === 'enforce' && isFollowed) addLeaving(ofPartition, outcome);
      }
    }
    return outcomes;
  }

  /** The snapshot to plan, or the reason why there is none. */
  private async view({ data }: Started): Promise<View> {
    const { partition, queue, fencingToken, values } = data;
    const began = performance.now();
    try {
      const snapshot = await takePlanningSnapshot(this.db, this.cluster, {
        partition,
        queue,
        fencingToken,
        nodeAware: this.settings.policy.nodeAware ?? false,
        mostAllocations: this.settings.mostAllocations,
        ownerBudgets: this.settings.policy.ownerBudgets,
        fired: values,
      });
      this.lastSize = snapshot.allocations.length;
      return { began, snapshot, avoid: await failedBefore(this.db, data) };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { began, error };
    }
  }

  /** Takes this many snapshots at once, which saves round trips to the database. */
  private get atOnce(): number {
    const bySize = Math.floor(mostAllocationsAtOnce / Math.max(1, this.lastSize));
    return Math.max(1, Math.min(mostViewsAtOnce, bySize));
  }

  /** Plans at once; the record is packed afterwards. */
  private plan(started: Started, { began, ...view }: View, leaving: Leaving, mode: Mode): Outcome {
    if ('error' in view) return failed(started, view.error, began);
    const settings: QuotaDecreaseSettings = {
      ...settingsOfQueue(settingsOfPlans, this.settings.policy, view.snapshot.queues, started.data.queue),
      quotaPreemptionEnabled: true,
    };
    const ownerBudgets = readQueueSetting('ownerBudgets', settings.ownerBudgets, 'settings.ownerBudgets');
    const { takenAt } = view.snapshot;
    const snapshot = withFurtherVictims(
      withLeaving(view.snapshot, leaving.allocations),
      ownerBudgets.length > 0 ? leaving.victims.map((victim) => ({ ...victim, at: takenAt })) : [],
    );
    const planning = performance.now();
    try {
      const read = readSnapshot(snapshot, indexedAhead(snapshot));
      const { made, trigger, rules } = planAvoiding(view.avoid, (avoid) => {
        const rules = new DecidingRules();
        const trigger: Trigger = { ...clockTrigger(started.data.queue), ...(avoid && { avoid }) };
        return { made: plan(read, trigger, settings, rules), trigger, rules };
      });
      const planSeconds = Math.round((performance.now() - planning) * 1000) / 1e6;
      if (made.victims.length > this.settings.mostVictims)
        throw new TooManyVictims(started.data.queue, made.victims.length, this.settings.mostVictims);
      const owners = ownersOf(snapshot, made);
      const as = { mode, trigger, settings, rules, owners, planSeconds };
      const record = once(() => recordOf(started, snapshot, made, as));
      // A large one is made later, while the database stores the planned victims.
      if (snapshot.allocations.length <= mostAllocationsAtOnce) {
        // The effects await it, and run only if the rest of the batch does not fail.
        record().catch(() => {});
      }
      return { started, victims: made.victims, owners, ownerBudgets, record };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return failed(started, error, began);
    }
  }

  /**
   * The runs that hold the lock of their queue, in their order, and the modes of their partitions, with one statement.
   *
   * @throws EventNotReady while a run that fired earlier below the queue of one of them has no plan yet.
   */
  private async readLocks(all: Started[]): Promise<{ started: Started[]; modes: Map<string, Mode> }> {
    const rows = await this.db.query<{ holds: boolean; mode: Mode | null; unplanned: string[] }[]>(LOCKS, [
      all.map(({ data }) => data.enforcement),
      all.map(({ data }) => data.partition),
      all.map(({ data }) => data.queue),
      all.map(({ data }) => data.fencingToken),
    ]);
    const started = all.filter((_, i) => rows[i]!.holds);
    const batch = new Set(started.map(({ data }) => data.enforcement));
    for (const [i, { data }] of all.entries()) {
      const missing = rows[i]!.holds && rows[i]!.unplanned.find((enforcement) => !batch.has(enforcement));
      if (missing)
        throw new EventNotReady(
          `${data.queue} is planned after the runs below it: ${missing} has no plan yet`,
        );
    }
    const modes = new Map(
      all.map(({ data }, i) => [data.partition, modeInForce(rows[i]!.mode, this.settings).mode]),
    );
    return { started, modes };
  }
}

/** If no other allocation can go, those whose evictions failed are tried again. */
function planAvoiding<P extends { made: Plan }>(avoid: string[], make: (avoid?: string[]) => P): P {
  const others = avoid.length > 0 ? make(avoid) : undefined;
  return others && others.made.victims.length > 0 ? others : make();
}

/** The victims of a partition that earlier plans of a batch have chosen. */
interface Leaving {
  allocations: Set<string>;
  victims: Omit<RecentVictim, 'at'>[];
}

function addLeaving({ allocations, victims }: Leaving, { victims: chosen, owners }: Outcome): void {
  const users = usersByApplication(owners);
  for (const { allocation, application, queue } of chosen) {
    allocations.add(allocation);
    const user = users.get(application);
    victims.push({ ...(user === undefined ? {} : { user }), application, queue });
  }
}

/** $1 runs, $2 partitions, $3 queues, $4 tokens. One row for each run, in their order. */
const LOCKS = `
  SELECT EXISTS (SELECT FROM schedules s
                 WHERE s.running_enforcement = run.enforcement AND s.fencing_token = run.token) AS holds,
         (SELECT mode FROM partition_modes m WHERE m.partition = run.partition) AS mode,
         ARRAY(SELECT s.running_enforcement FROM schedules s
               WHERE s.partition = run.partition AND s.running_enforcement IS NOT NULL AND s.fencing_token < run.token
                 AND s.queue > run.queue || '.' AND s.queue < run.queue || '/'
                 AND NOT EXISTS (SELECT 1 FROM events e WHERE e.stream = 'plan-' || s.running_enforcement)) AS unplanned
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
    WITH ORDINALITY AS run (enforcement, partition, queue, token, nr)
  ORDER BY nr`;

/** The runs that hold the lock of their queue, by its fencing token, in their order. */
async function holdingLocks(db: Tx, started: readonly Started[]): Promise<Started[]> {
  if (started.length === 0) return [];
  const rows = await db.query<{ enforcement: string; token: string }[]>(
    `SELECT running_enforcement AS enforcement, fencing_token AS token FROM schedules
     WHERE running_enforcement = ANY ($1::text[])`,
    [started.map(({ data }) => data.enforcement)],
  );
  const tokens = new Map(rows.map(({ enforcement, token }) => [enforcement, Number(token)]));
  return started.filter(({ data }) => tokens.get(data.enforcement) === data.fencingToken);
}

async function recordOf(
  started: Started,
  snapshot: ClusterSnapshot,
  made: Plan,
  {
    mode,
    trigger,
    settings,
    rules,
    owners,
    planSeconds,
  }: {
    mode: Mode;
    trigger: Trigger;
    settings: QuotaDecreaseSettings;
    rules: DecidingRules;
    owners: Owners | undefined;
    planSeconds: number;
  },
): Promise<PlanRecord> {
  const { queue, values } = started.data;
  const below = `${queue}.`;
  // Other threads compress the plan while this one writes the snapshot.
  packAhead(made);
  const packed = await packSnapshot(snapshot);
  return {
    snapshot: packed,
    event: planComputed(started.data, {
      ...{ snapshot, snapshotDigest: packed.digest, plan: made, trigger, settings, mode, planSeconds },
      rules: rules.runs,
      ...(owners && { owners }),
      limit: plannedLimit(values, snapshot, queue),
      // As `isWithin`, which would write this prefix for each of them.
      isCounted: (of) => of === queue || of.startsWith(below),
    }),
  };
}

/** Calls `make` at the first call, and returns its result at each. What `make` needs may be collected from then on. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let unmade: (() => Promise<T>) | undefined = make;
  let made: Promise<T> | undefined;
  return () => {
    made ??= unmade!();
    unmade = undefined;
    return made;
  };
}

function failed(started: Started, error: InputError, began: number): Outcome {
  const { code, message } = whyUnplanned(error);
  const after = `After ${Math.round(performance.now() - began)} ms: `;
  const why = { code, message: code === tooLarge ? message : after + message };
  return { started, victims: [], record: async () => ({ event: planFailed(started, why) }) };
}

function planFailed(
  { data }: Started,
  { code, message }: Pick<Notice, 'code' | 'message'>,
): DomainEvent<'PlanFailed'> {
  const { partition, queue, enforcement, fencingToken, failures } = data;
  const attempt = (failures?.count ?? 0) + 1;
  const why = { code, message, about: ofQueue(queue) };
  return { name: 'PlanFailed', data: { partition, queue, enforcement, fencingToken, ...why, attempt } };
}

/** The limit that a run was planned with: a share of the cluster resolved with the nodes of the snapshot. */
function plannedLimit(
  { max, maxShare }: Started['data']['values'],
  { queues }: ClusterSnapshot,
  queue: string,
): Limit {
  if (maxShare === undefined) return { max };
  return { max: queues.find(({ path }) => path === queue)?.max ?? null, maxShare };
}
