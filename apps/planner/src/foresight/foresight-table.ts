import type { DataSource } from 'typeorm';
import { chainFromRoot, clockKind, type DomainEvent } from '#contracts';
import { catalog } from '#contracts/events';
import {
  type CalledOff,
  type ClockState,
  cancelledClock,
  type Foreseen,
  type Foresight,
  type ModeSettings,
  nothingForeseen,
} from '#enforcement';
import { appendNext, clockStream, foresightStream, type Tx } from '#event-store';
import { HOLDS_OF, type Holds, isObserved, MODE_OF } from '#holds';

/*
 * `foresights` has a row for each clock that is checked, with the time of its next check; `foreseen_owners` has what each application
 * has been told. Any number of planners share them: a check belongs to the process that has taken its row last (`taken`), and only
 * that one records its result. A process that ends in the middle of a check leaves a row that is due again a while later.
 */

/** The advisory lock under which one process compares clocks and rows. */
const lock = 730_161;
/** A check that takes longer is made by another process too; then the later one counts. */
const checkLeaseSeconds = 300;

/** A clock that a process has taken to check. */
export interface TakenClock {
  partition: string;
  queue: string;
  taken: number;
}

/** Checks of clocks that are new, changed or ended are due before all others. */
const first = `timestamptz 'epoch'`;

/** Then those where an operator, or the settings of a process, have changed something. */
const again = `timestamptz '1970-01-02 00:00Z'`;

/** The next checks of clocks of both kinds that a look left to be planned. Only checks that are due later are due by the interval. */
const looked = `timestamptz '1970-01-01 00:00:01Z'`;
const lookedAgain = `timestamptz '1970-01-02 00:00:01Z'`;

/** Why a look checks clocks together: the clocks are new, changed or ended; or something else has changed. */
export type Changed = 'clock' | 'other';
const dueOf = { clock: { before: first, after: looked }, other: { before: again, after: lookedAgain } };

/** Checks that are due at their own time, not because something has changed. SQL, of a column `next_check_at`. */
const isDueByInterval = `next_check_at <= now() AND next_check_at > ${lookedAgain}`;

/**
 * The version of all commands of operators in a partition: freezes, stops, modes and settings. A check that saw an older one is due.
 * SQL, of a column `partition`.
 */
const commandsOf = (partition: string) => `
  (SELECT coalesce(sum(version), 0) FROM stream_heads
   WHERE stream IN ('control-' || ${partition}, 'settings-' || ${partition}))`;

/**
 * Makes the checks due of clocks that are new, were set again or have ended, and where an operator has changed something.
 *
 * @param leastSeconds clocks that are due sooner than that are not checked, unless they were before; null: no new clock is checked. Half of
 * it is enough for a clock whose delay is not shorter: by the time of a check, a clock with exactly this delay has a little less left.
 */
export async function syncWithClocks(db: DataSource, leastSeconds: number | null): Promise<void> {
  await db.transaction(async (tx) => {
    const [held] = await tx.query<{ held: boolean }[]>('SELECT pg_try_advisory_xact_lock($1) AS held', [
      lock,
    ]);
    if (!held!.held) return;
    await tx.query(
      `INSERT INTO foresights (partition, queue, generation, commands, next_check_at)
       SELECT t.partition, t.name, t.generation, 0, ${first}
       FROM timers t LEFT JOIN foresights f ON f.partition = t.partition AND f.queue = t.name
       WHERE t.kind = $1 AND t.state <> 'suspended'
         AND (f.generation <> t.generation OR f.queue IS NULL AND (
           t.due_at > now() + make_interval(secs => $2)
           OR t.due_at > now() + make_interval(secs => $2) / 2
              AND (SELECT (s.state -> 'values' ->> 'delayMs')::float8 >= $2::float8 * 1000 FROM clocks s
                   WHERE s.partition = t.partition AND s.queue = t.name)))
       ON CONFLICT (partition, queue) DO UPDATE SET generation = excluded.generation, next_check_at = ${first}`,
      [clockKind, leastSeconds],
    );
    await tx.query(
      `UPDATE foresights f SET generation = 0, next_check_at = ${first}
       WHERE generation <> 0 AND NOT EXISTS (
         SELECT FROM timers t WHERE t.kind = $1 AND t.partition = f.partition AND t.name = f.queue AND t.state <> 'suspended')`,
      [clockKind],
    );
    await tx.query(
      `UPDATE foresights f SET commands = heads.version, next_check_at = least(next_check_at, ${again})
       FROM (SELECT partition, ${commandsOf('partitions.partition')} AS version
             FROM (SELECT DISTINCT partition FROM foresights) AS partitions
             -- Once for each partition, not for each clock.
             OFFSET 0) AS heads
       WHERE f.partition = heads.partition AND f.commands <> heads.version`,
    );
  });
}

/** Makes all checks due. */
export async function checkAll(db: DataSource): Promise<void> {
  await db.query(`UPDATE foresights SET next_check_at = least(next_check_at, ${again})`);
}

/** A clock whose check is due by the interval, and what the check before found. */
export interface DueByInterval extends QuietClock {
  /** Another configuration has come into force since. */
  isReconfigured: boolean;
  /** What the run would evict is known: a plan was made, or was not needed. */
  isChecked: boolean;
  /** Why the check before could make no plan, a sentence. */
  fault: string | null;
  /** Of the work that was planned (`planningVersions`); null: the plan also depended on the time. */
  planned: string | null;
  /** Owners know of something, or some of them are not notified. */
  isTold: boolean;
}

/** A clock that may need no plan. */
export interface QuietClock extends TakenClock {
  enforcement: string;
  /** What the run would enforce; null: only a plan shows whether it would be needed, as for a share of the cluster. */
  max: Record<string, number> | null;
}

/**
 * Clocks whose check is due by the interval: since the check before, neither the clock nor a command has changed. Those that are due for
 * the longest time come first. A configuration, of which there may be one every few minutes, does not let its clocks overtake others.
 *
 * @param seconds between two checks.
 */
export async function dueByInterval(
  db: DataSource,
  seconds: number,
  limit: number,
): Promise<DueByInterval[]> {
  return db.query(
    `SELECT f.partition, f.queue, f.taken, f.fault, f.enforcement, f.planned, f.more > 0 OR told.queue IS NOT NULL AS "isTold",
            p.applied_at >= f.next_check_at - make_interval(secs => $2) AS "isReconfigured", f.checked_at IS NOT NULL AS "isChecked",
            CASE WHEN s.state -> 'values' ->> 'maxShare' IS NULL THEN s.state -> 'values' -> 'max' END AS max
     FROM (SELECT * FROM foresights WHERE ${isDueByInterval} ORDER BY next_check_at LIMIT $3) AS f
     JOIN clocks s ON s.partition = f.partition AND s.queue = f.queue
     JOIN timers t ON t.kind = $1 AND t.partition = f.partition AND t.name = f.queue
     JOIN partitions p ON p.partition = f.partition
     LEFT JOIN LATERAL (SELECT queue FROM foreseen_owners o WHERE o.partition = f.partition AND o.queue = f.queue LIMIT 1) AS told ON true
     WHERE t.state <> 'suspended' AND t.generation = f.generation
       AND f.enforcement = s.state -> 'pending' ->> 'enforcement'`,
    [clockKind, seconds, limit],
  );
}

/**
 * Takes a look at clocks whose check is due because something has changed, each once: those that it returns may need no plan, all others
 * are left to `takeDueCheck`.
 */
export async function lookAtChanged(
  db: DataSource,
  changed: Changed,
  limit: number,
): Promise<{ quiet: QuietClock[]; looked: number }> {
  const [rows, count] = await db.query<[QuietClock[], number]>(
    `UPDATE foresights f SET next_check_at = ${dueOf[changed].after}
     FROM (SELECT partition, queue FROM foresights WHERE next_check_at = ${dueOf[changed].before} LIMIT $2 FOR UPDATE SKIP LOCKED) AS new
     LEFT JOIN timers t ON t.kind = $1 AND t.partition = new.partition AND t.name = new.queue AND t.state <> 'suspended'
     LEFT JOIN clocks s ON s.partition = new.partition AND s.queue = new.queue
     WHERE f.partition = new.partition AND f.queue = new.queue
     RETURNING f.partition, f.queue, f.taken, s.state -> 'pending' ->> 'enforcement' AS enforcement,
       CASE WHEN t.generation = f.generation AND s.state -> 'values' ->> 'maxShare' IS NULL
         AND NOT EXISTS (SELECT FROM foreseen_owners o WHERE o.partition = f.partition AND o.queue = f.queue)
       THEN s.state -> 'values' -> 'max' END AS max`,
    [clockKind, limit],
  );
  return {
    quiet: rows.filter(({ enforcement, max }) => enforcement !== null && max !== null),
    looked: count,
  };
}

/** What decides for all clocks of a partition whether they are checked. */
export interface PartitionNow {
  mode: Holds['mode'];
  /** A queue has advance notice switched off or on, or a share of the cluster: its clocks are checked one by one. */
  hasExceptions: boolean;
}

export async function partitionNow(db: DataSource, partition: string): Promise<PartitionNow> {
  const [row] = await db.query<[PartitionNow]>(
    `SELECT ${MODE_OF('$1')} AS mode,
            EXISTS (SELECT FROM setting_overrides WHERE partition = $1 AND setting = 'foresight')
            OR EXISTS (SELECT FROM queues WHERE partition = $1
                       AND (properties::jsonb ? 'curtail.foresight' OR cluster_share IS NOT NULL)) AS "hasExceptions"`,
    [partition],
  );
  return row;
}

/** When clocks are checked next. */
export interface NextCheckOfMany {
  seconds: number;
  /** How many seconds before a clock is due a last check is made; absent: at no certain time. */
  last?: number;
}

/** Records that checks of clocks by the interval would find what the check before found. */
export async function saveSame(
  db: DataSource,
  clocks: readonly DueByInterval[],
  next: NextCheckOfMany,
): Promise<void> {
  if (clocks.length === 0) return;
  const sets = 'checked_at = CASE WHEN f.fault IS NULL THEN now() ELSE f.checked_at END';
  await db.query(
    `WITH saved AS (${saving(isDueByInterval, sets)} RETURNING f.partition, f.queue, f.fault)
     UPDATE foreseen_owners o SET checks = o.checks + 1 FROM saved
     WHERE o.partition = saved.partition AND o.queue = saved.queue AND saved.fault IS NULL`,
    valuesOf(clocks, next),
  );
}

/**
 * Records that the checks of clocks, which `lookAtChanged` or `dueByInterval` has returned, would find nothing.
 *
 * @param fault why they could make no plan, a sentence; null: they would plan no victims.
 */
export async function saveQuiet(
  db: DataSource,
  due: Changed | 'interval',
  clocks: readonly QuietClock[],
  fault: string | null,
  next: NextCheckOfMany,
): Promise<void> {
  if (clocks.length === 0) return;
  const sets = `enforcement = same.enforcement, fault = $8::text, more = 0, planned = NULL,
    checked_at = CASE WHEN $8::text IS NULL THEN now() WHEN f.enforcement = same.enforcement THEN f.checked_at END`;
  const isDue = due === 'interval' ? isDueByInterval : `next_check_at = ${dueOf[due].after}`;
  await db.query(saving(isDue, sets), [...valuesOf(clocks, next), fault]);
}

/** SQL that writes the rows of clocks unless something has changed since they were read, with `valuesOf` them. */
const saving = (isDue: string, sets: string) => `
  UPDATE foresights f SET taken = f.taken + 1, ${sets},
    next_check_at = now() + make_interval(secs => least($5::float8,
      nullif(greatest(extract(epoch FROM t.due_at - now())::float8 - $6::float8, 0), 0)))
  FROM unnest($1::text[], $2::text[], $3::int[], $4::text[]) AS same (partition, queue, taken, enforcement), timers t
  WHERE f.partition = same.partition AND f.queue = same.queue AND f.taken = same.taken AND ${isDue}
    AND t.kind = $7 AND t.partition = f.partition AND t.name = f.queue AND t.generation = f.generation AND t.state <> 'suspended'`;

const valuesOf = (clocks: readonly QuietClock[], { seconds, last }: NextCheckOfMany) => [
  clocks.map(({ partition }) => partition),
  clocks.map(({ queue }) => queue),
  clocks.map(({ taken }) => taken),
  clocks.map(({ enforcement }) => enforcement),
  ...[seconds, last ?? null, clockKind],
];

/**
 * The clock whose check is due for the longest time; undefined: none is due. Any one of those that are due since the same moment: there may
 * be ten thousand, and the index has the first.
 */
export async function takeDueCheck(db: DataSource): Promise<TakenClock | undefined> {
  const [rows] = await db.query<[TakenClock[], number]>(
    `UPDATE foresights f SET taken = f.taken + 1, next_check_at = now() + make_interval(secs => $1)
     FROM (SELECT partition, queue FROM foresights WHERE next_check_at <= now()
           ORDER BY next_check_at LIMIT 1 FOR UPDATE SKIP LOCKED) due
     WHERE f.partition = due.partition AND f.queue = due.queue
     RETURNING f.partition, f.queue, f.taken`,
    [checkLeaseSeconds],
  );
  return rows[0];
}

type KnownRow = { enforcement: string; owner: Omit<Foreseen, 'dueAt' | 'since'>; dueAt: Date; since: Date };

/** What the owners of a queue know. */
export async function readForesight(db: DataSource, { partition, queue }: TakenClock): Promise<Foresight> {
  const rows = await db.query<KnownRow[]>(
    `SELECT f.enforcement, o.due_at AS "dueAt", o.since,
            json_strip_nulls(json_build_object(
              'application', application, 'user', owner, 'victims', victims, 'allocations', allocations, 'digest', digest,
              'resources', resources, 'rule', rule, 'facts', facts, 'reason', reason, 'checks', checks,
              'needsApproval', needs_approval)) AS owner
     FROM foresights f JOIN foreseen_owners o ON o.partition = f.partition AND o.queue = f.queue
     WHERE f.partition = $1 AND f.queue = $2 ORDER BY o.application`,
    [partition, queue],
  );
  const [first] = rows;
  if (!first) return nothingForeseen;
  const owners = rows.map(({ owner, dueAt, since }): [string, Foreseen] => [
    owner.application,
    { ...owner, dueAt: dueAt.toISOString(), since: since.toISOString() },
  ]);
  return { enforcement: first.enforcement, owners: new Map(owners) };
}

/** The result of a check: the events to append, and what owners know after them. */
export interface CheckResult {
  events: readonly DomainEvent[];
  after: Foresight;
  /** Applications that are not notified; absent: as before. */
  more?: number;
}

/** When a clock is checked next; undefined: it has ended, or is held, and another clock is a new row. */
export interface NextCheck {
  enforcement: string;
  /** Of the view that was planned; null: nothing is, so that what the run would evict is not known; absent: the last plan of this run stays. */
  checkedAt?: string | null;
  /** Why no plan could be made, a sentence. */
  fault?: string;
  /** As `DueByInterval.planned`. */
  planned?: string | undefined;
  inSeconds: number;
}

/**
 * Records the result of a check, as events and rows in one transaction.
 *
 * @returns false if another process has taken the clock meanwhile; then nothing is recorded.
 */
export async function saveCheck(
  db: DataSource,
  taken: TakenClock,
  { events, after, more }: CheckResult,
  next: NextCheck | undefined,
): Promise<boolean> {
  const { partition, queue } = taken;
  return db.transaction(async (tx) => {
    const held = await tx.query<unknown[]>(
      'SELECT FROM foresights WHERE partition = $1 AND queue = $2 AND taken = $3 FOR UPDATE',
      [partition, queue, taken.taken],
    );
    if (held.length === 0) return false;
    if (events.length > 0) {
      await appendNext(tx, {
        stream: foresightStream(partition, queue),
        partition,
        events: events.map((event) => ({ event, key: queue })),
      });
    }
    await saveOwners(tx, taken, after, events);
    await saveNext(tx, taken, next, more);
    return true;
  });
}

async function saveNext(
  tx: Tx,
  { partition, queue }: TakenClock,
  next: NextCheck | undefined,
  more: number | undefined,
): Promise<void> {
  if (!next) {
    await tx.query('DELETE FROM foresights WHERE partition = $1 AND queue = $2', [partition, queue]);
    return;
  }
  const { enforcement, checkedAt, fault, planned, inSeconds } = next;
  await tx.query(
    `UPDATE foresights SET enforcement = $3, fault = $5, more = coalesce($6, more), next_check_at = now() + make_interval(secs => $7), planned = $9,
       checked_at = CASE WHEN $8 AND enforcement = $3 THEN checked_at ELSE $4::timestamptz END
     WHERE partition = $1 AND queue = $2`,
    [
      ...[partition, queue, enforcement, checkedAt ?? null, fault ?? null, more ?? null, inSeconds],
      checkedAt === undefined,
      planned ?? null,
    ],
  );
}

async function saveOwners(
  tx: Tx,
  { partition, queue }: TakenClock,
  { owners }: Foresight,
  events: readonly DomainEvent[],
): Promise<void> {
  const known = [...owners.values()];
  const applications = known.map(({ application }) => application);
  await tx.query(
    'DELETE FROM foreseen_owners WHERE partition = $1 AND queue = $2 AND application <> ALL ($3::text[])',
    [partition, queue, applications],
  );
  if (known.length === 0) return;
  const notified = events.flatMap(({ name, data }) => (name === 'VictimForeseen' ? [data.application] : []));
  await tx.query(
    `INSERT INTO foreseen_owners AS known (partition, queue, application, owner, victims, allocations, digest, resources, rule, facts, reason,
                                  due_at, since, notified_at, checks, needs_approval)
     SELECT $1, $2, o.application, o."user", o.victims, o.allocations, o.digest, o.resources, o.rule, o.facts, o.reason,
            o."dueAt", o.since, now(), o.checks, o."needsApproval"
     FROM jsonb_to_recordset($3::jsonb) AS o (
       application text, "user" text, victims int, allocations jsonb, digest text, resources jsonb, rule text, facts jsonb, reason text,
       "dueAt" timestamptz, since timestamptz, checks int, "needsApproval" boolean)
     ON CONFLICT (partition, queue, application) DO UPDATE SET
       owner = excluded.owner, victims = excluded.victims, allocations = excluded.allocations, digest = excluded.digest,
       resources = excluded.resources, rule = excluded.rule, facts = excluded.facts, reason = excluded.reason,
       due_at = excluded.due_at, since = excluded.since, checks = excluded.checks, needs_approval = excluded.needs_approval,
       notified_at = CASE WHEN excluded.application = ANY ($4::text[]) THEN excluded.notified_at ELSE known.notified_at END`,
    [partition, queue, JSON.stringify(known), notified],
  );
}

/** The clock of a queue and what holds it, by the clock of the database. */
export interface ClockNow {
  now: Date;
  holds: Holds;
  observed: boolean;
  /** null: the queue has never had a clock. */
  state: ClockState | null;
  /** The queue and those above it, with the properties that hold. */
  chain: { path: string; properties: Record<string, unknown> | null }[];
}

/** $1 partition, $2 queue, $3 the paths of its chain. */
const CLOCK = () => `
  SELECT date_trunc('milliseconds', clock_timestamp()) AS now,
         ${HOLDS_OF('$1')} AS holds,
         (SELECT state FROM clocks WHERE partition = $1 AND queue = $2) AS state,
         (SELECT coalesce(json_agg(json_build_object('path', path, 'properties', coalesce(properties::jsonb, '{}') || coalesce(
                   (SELECT jsonb_object_agg('curtail.' || setting, value) FROM setting_overrides o
                    WHERE o.partition = $1 AND o.queue = path), '{}'))), '[]')
          FROM queues WHERE partition = $1 AND path = ANY ($3::text[])) AS chain`;

export async function clockNow(
  db: DataSource,
  { partition, queue }: TakenClock,
  settings: ModeSettings,
): Promise<ClockNow> {
  const [row] = await db.query<[Omit<ClockNow, 'observed'>]>(CLOCK(), [
    partition,
    queue,
    chainFromRoot(queue),
  ]);
  return { ...row, observed: isObserved(row.holds, settings) };
}

/** Why a clock has ended: undefined if its run has started, or its events are no longer in the database. */
export async function endOfClock(
  db: DataSource,
  { partition, queue }: TakenClock,
  enforcement: string,
): Promise<CalledOff | undefined> {
  const [end] = await db.query<{ type: string; cause: string | null; by: string | null }[]>(
    `SELECT type, data ->> 'cause' AS cause, data ->> 'by' AS by FROM events
     WHERE stream = $1 AND type = ANY ($2::text[]) AND data ->> 'enforcement' = $3 ORDER BY version DESC LIMIT 1`,
    [
      clockStream(partition, queue),
      [catalog.EnforcementStarted.type, catalog.EnforcementCancelled.type],
      enforcement,
    ],
  );
  if (end?.type !== catalog.EnforcementCancelled.type) return undefined;
  return cancelledClock(queue, end.cause ?? '', end.by ?? undefined);
}
