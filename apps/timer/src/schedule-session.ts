import type { DomainEvent } from '@curtail/contracts';
import {
  decideSchedule,
  evolveSchedule,
  initialScheduleState,
  type ScheduleCommand,
  type ScheduleState,
} from '@curtail/enforcement';
import { append, type Tx } from '@curtail/event-store';
import { clearTimers, holdTimers, type Ring, setTimers, type Timer } from '@curtail/timers';

/** The kind of the timers of this policy, and so the name of its doorbell. */
export const timerKind = 'quota-decrease';

export const scheduleStream = (partition: string, queue: string) => `schedule-${partition}/${queue}`;

interface Entry {
  partition: string;
  queue: string;
  version: number;
  state: ScheduleState;
  events: { event: DomainEvent; at: Date }[];
  /** It had a timer when it was loaded. */
  hadTimer: boolean;
}

/** What else stands over the queues of a partition. */
export interface PartitionStanding {
  /** The queues that a run has. */
  running: string[];
  /** Whether the configuration in force wants quotas to be enforced. */
  enabled: boolean;
  /** Fencing tokens for new runs, ascending. */
  tokens: number[];
}

interface Row {
  partition: string;
  queue: string;
  version: number;
  state: ScheduleState;
}

/**
 * The clocks of some queues inside one transaction: decided on one after the other, saved together. Events, states, timers and
 * locks of queues commit as one. Of two transactions that change the same clock, the second has a conflict in its stream.
 */
export class ScheduleSession {
  private readonly entries = new Map<string, Entry>();
  /** Those with events, in the order of the decisions: a leaf that fires before its parent stands before it in the log. */
  private readonly changed: Entry[] = [];
  private readonly waiting: Entry[] = [];

  /** For decisions on one clock at a time, which look at no other. */
  constructor(
    private readonly tx: Tx,
    private readonly leaseMs: number,
  ) {}

  /**
   * For decisions that look at other clocks: takes the turn in the partition, before anything is read. What ends runs does not
   * take it (`stillRunning`); what starts them does.
   */
  static async withTurn(tx: Tx, partition: string, leaseMs: number): Promise<ScheduleSession> {
    await takeTurn(tx, partition);
    return new ScheduleSession(tx, leaseMs);
  }

  /** The same for a look at clocks of the partition, which are loaded behind the turn with what stands over them. */
  static async withStanding(
    tx: Tx,
    partition: string,
    queues: string[],
    leaseMs: number,
  ): Promise<{ session: ScheduleSession; standing: PartitionStanding }> {
    const session = new ScheduleSession(tx, leaseMs);
    // Statements of a transaction are carried out in the order in which they are asked for: the second one waits for the turn.
    const [, standing] = await Promise.all([
      takeTurn(tx, partition),
      session.loadStanding(partition, queues),
    ]);
    return { session, standing };
  }

  async load(keys: { partition: string; queue: string }[]): Promise<void> {
    const rows: Row[] = await this.tx.query(
      `SELECT s.partition, s.queue, s.version, s.state FROM schedules s
       JOIN unnest($1::text[], $2::text[]) AS k (partition, queue) ON s.partition = k.partition AND s.queue = k.queue`,
      [keys.map((key) => key.partition), keys.map((key) => key.queue)],
    );
    for (const row of rows) this.enter(row);
    for (const key of keys) this.enterNew(key);
  }

  /** Loads clocks of one partition, and what else a look at them needs to know, with one statement. */
  private async loadStanding(partition: string, queues: string[]): Promise<PartitionStanding> {
    const rows: (Omit<PartitionStanding, 'tokens'> & { tokens: string[]; clocks: Row[] })[] =
      await this.tx.query(
        `SELECT ARRAY(SELECT queue FROM schedules WHERE partition = $1 AND running_enforcement IS NOT NULL) AS running,
              coalesce((SELECT quota_preemption_enabled FROM partitions WHERE partition = $1), false) AS enabled,
              ARRAY(SELECT nextval('fencing_tokens')::text FROM generate_series(1, cardinality($2::text[]))) AS tokens,
              (SELECT coalesce(json_agg(json_build_object('partition', partition, 'queue', queue,
                                                          'version', version, 'state', state)), '[]')
               FROM schedules WHERE partition = $1 AND queue = ANY ($2::text[])) AS clocks`,
        [partition, queues],
      );
    const { running, enabled, tokens, clocks } = rows[0]!;
    for (const row of clocks) this.enter(row);
    for (const queue of queues) this.enterNew({ partition, queue });
    return { running, enabled, tokens: tokens.map(Number) };
  }

  /**
   * Which of some queues run for certain, until this transaction has committed: their ends wait for it, and so find what was
   * left waiting for them (letGoOn).
   */
  async stillRunning(partition: string, queues: string[]): Promise<Set<string>> {
    const rows: { queue: string }[] = await this.tx.query(
      `SELECT queue FROM schedules
       WHERE partition = $1 AND queue = ANY ($2::text[]) AND running_enforcement IS NOT NULL ORDER BY queue FOR SHARE`,
      [partition, queues],
    );
    return new Set(rows.map(({ queue }) => queue));
  }

  /** The queues of a partition whose clock runs. */
  async loadPending(partition: string): Promise<string[]> {
    const rows: Row[] = await this.tx.query(
      `SELECT s.partition, s.queue, s.version, s.state FROM schedules s
       JOIN timers t ON t.kind = $2 AND t.partition = s.partition AND t.name = s.queue
       WHERE s.partition = $1 ORDER BY s.queue`,
      [partition, timerKind],
    );
    for (const row of rows) this.enter(row);
    return rows.map((row) => row.queue);
  }

  state(partition: string, queue: string): ScheduleState {
    return this.entry(partition, queue).state;
  }

  /** @returns what followed. */
  decide(partition: string, queue: string, command: ScheduleCommand): DomainEvent[] {
    const entry = this.entry(partition, queue);
    const events = decideSchedule(command, entry.state);
    if (events.length > 0 && entry.events.length === 0) this.changed.push(entry);
    for (const event of events) {
      entry.state = evolveSchedule(entry.state, event);
      entry.events.push({ event, at: new Date(command.at) });
    }
    return events;
  }

  /** Leaves a due queue alone until the run above it has ended. */
  waitForAncestor(partition: string, queue: string): void {
    this.waiting.push(this.entry(partition, queue));
  }

  /** @returns the rings to ask for once the transaction has committed. */
  async save(): Promise<Ring[]> {
    const appended = append(
      this.tx,
      this.changed.map(({ partition, queue, version, events }) => ({
        stream: scheduleStream(partition, queue),
        partition,
        expectedVersion: version,
        events: events.map(({ event, at }) => ({ event, at, key: queue })),
      })),
    );
    // In one order everywhere: clocks are locked before their timers.
    const [, , rings] = await Promise.all([appended, this.saveStates(this.changed), this.saveTimers()]);
    return rings;
  }

  private async saveStates(changed: Entry[]): Promise<void> {
    if (changed.length === 0) return;
    await this.tx.query(
      `INSERT INTO schedules (partition, queue, version, state, running_enforcement, fencing_token, lease_until)
       SELECT partition, queue, version, state, running, token,
              CASE WHEN running IS NOT NULL THEN now() + make_interval(secs => $7) END
       FROM unnest($1::text[], $2::text[], $3::int[], $4::json[], $5::text[], $6::bigint[])
         AS s (partition, queue, version, state, running, token)
       ON CONFLICT (partition, queue) DO UPDATE SET version = excluded.version, state = excluded.state,
         lease_until = CASE WHEN excluded.running_enforcement = schedules.running_enforcement
                            THEN schedules.lease_until ELSE excluded.lease_until END,
         running_enforcement = excluded.running_enforcement, fencing_token = excluded.fencing_token`,
      [
        changed.map((entry) => entry.partition),
        changed.map((entry) => entry.queue),
        changed.map((entry) => entry.version + entry.events.length),
        changed.map((entry) => JSON.stringify(entry.state)),
        changed.map((entry) => entry.state.running?.enforcement ?? null),
        changed.map((entry) => entry.state.running?.fencingToken ?? null),
        this.leaseMs / 1000,
      ],
    );
  }

  private async saveTimers(): Promise<Ring[]> {
    const set: Timer[] = [];
    const cleared: Entry[] = [];
    for (const entry of this.changed) {
      const { pending } = entry.state;
      if (!pending) {
        if (entry.hadTimer) cleared.push(entry);
        continue;
      }
      set.push({
        kind: timerKind,
        partition: entry.partition,
        name: entry.queue,
        generation: pending.generation,
        dueAt: new Date(pending.dueAt),
        state: pending.suspended ? 'suspended' : 'pending',
      });
    }
    await Promise.all([
      setTimers(this.tx, set),
      clearTimers(
        this.tx,
        cleared.map(({ partition, queue }) => ({ kind: timerKind, partition, name: queue })),
      ),
      holdTimers(
        this.tx,
        this.waiting.flatMap(({ partition, queue, state: { pending } }) =>
          pending ? [{ kind: timerKind, partition, name: queue, generation: pending.generation }] : [],
        ),
      ),
    ]);
    return set.filter((timer) => timer.state === 'pending');
  }

  /** A queue that has no clock yet. */
  private enterNew({ partition, queue }: { partition: string; queue: string }): void {
    this.enter({ partition, queue, version: 0, state: initialScheduleState(partition, queue) });
  }

  private enter(row: Row): void {
    const key = scheduleStream(row.partition, row.queue);
    if (!this.entries.has(key))
      this.entries.set(key, { ...row, events: [], hadTimer: row.state.pending !== undefined });
  }

  private entry(partition: string, queue: string): Entry {
    const entry = this.entries.get(scheduleStream(partition, queue));
    if (!entry) throw new Error(`the schedule of ${queue} in ${partition} was not loaded`);
    return entry;
  }
}

async function takeTurn(tx: Tx, partition: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('schedule/' || $1, 0))`, [partition]);
}
