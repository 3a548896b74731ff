import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ancestors, type Resources, sentenceOf } from '#contracts';
import type { HistoryMark, QueueHistory, QueueView } from '#contracts/api';
import { type EventName, eventName, typesOf, upcast } from '#contracts/events';
import { configStream, databaseTime, OUTLINE } from '#event-store';
import { READER_DATABASE } from '#runtime';

/** Events that are marked, by the kind of their mark. */
const kinds = new Map<EventName, HistoryMark['kind']>([
  ...each('quota', 'QuotaChanged', 'QueueRemoved', 'QuotaNotMet', 'QuotaMet'),
  ...each(
    'clock',
    'EnforcementScheduled',
    'EnforcementRescheduled',
    'EnforcementCancelled',
    'EnforcementSkipped',
  ),
  ...each(
    'run',
    'EnforcementRequested',
    'EnforcementStarted',
    'EnforcementEnded',
    'PlanApproved',
    'PlanRejected',
  ),
  ...each('run', 'CancelRequested', 'PlanFailed'),
  ...each('stop', 'KillSwitchSet', 'KillSwitchCleared', 'FreezeSet', 'FreezeCleared', 'ModeChanged'),
  ...each('setting', 'SettingsChanged'),
]);

/** Those that concern the queues below the one that they name too, or a whole partition. */
const inherited: EventName[] = [...kinds].flatMap(([name, kind]) =>
  kind === 'stop' || kind === 'setting' ? [name] : [],
);

function each(kind: HistoryMark['kind'], ...names: EventName[]) {
  return names.map((name): [EventName, HistoryMark['kind']] => [name, kind]);
}

const mostMarks = 2000;

/**
 * Events of the last hour stand for themselves; older ones are grouped by age, a group being a 40th of it long, so that a year has some
 * 500 groups. $3 is the moment of the answer.
 */
const group = `CASE WHEN time > $3::timestamptz - interval '1 hour' THEN -position
  ELSE floor(40 * ln(extract(epoch FROM $3::timestamptz - time) / 60)) END`;

/** $1 partition, $2 queue, $4 since, $5 types of the queue, $6 it and what covers it, $7 inherited types, $8 at most, $9 stream of configurations. */
const MARKS = `
  WITH grouped AS (
    SELECT DISTINCT ON (type, "group") position, "group", count(*) OVER (PARTITION BY type, "group")::int AS count
    FROM (SELECT position, type, ${group} AS "group" FROM events
          WHERE partition = $1 AND time >= $4 AND ((key = $2 AND type = ANY ($5)) OR (key = ANY ($6) AND type = ANY ($7)))) AS found
    ORDER BY type, "group", position DESC)
  SELECT position::text, e.time, e.type, e.schema_version AS "schemaVersion", e.data, latest.count, c.version AS configuration, c.sent_by AS "sentBy"
  FROM (SELECT * FROM grouped ORDER BY position DESC LIMIT $8) AS latest
  JOIN events e USING (position)
  LEFT JOIN LATERAL (SELECT version, sent_by FROM configurations
                     WHERE e.stream = $9 AND partition = $1 AND version >= e.version ORDER BY version LIMIT 1) AS c ON true
  ORDER BY latest.position DESC`;

/** The last quota before the time. */
const QUOTA_BEFORE = `
  SELECT time, data -> 'current' AS current FROM events
  WHERE partition = $1 AND key = $2 AND time < $3 AND type = ANY ($4) ORDER BY position DESC LIMIT 1`;

/** Usage in plans; of a time, the last one. */
const PLANS = `
  SELECT DISTINCT ON (${group}) ${OUTLINE} ->> 'enforcement' AS enforcement, ${OUTLINE} ->> 'takenAt' AS at, ${OUTLINE} -> 'queueUsage' AS usage
  FROM events WHERE partition = $1 AND key = $2 AND time >= $4 AND type = ANY ($5)
  ORDER BY ${group}, position DESC`;

/** What runs of the queue evicted, by time. */
const EVICTED = `
  SELECT enforcement, max(at) AS at, json_object_agg(type, amount) AS amounts
  FROM (SELECT data ->> 'enforcement' AS enforcement, ${group} AS "group", max(time) AS at, r.key AS type, sum(r.value::numeric)::float8 AS amount
        FROM events, json_each_text(data -> 'resources') AS r
        WHERE partition = $1 AND events.key = $2 AND time >= $4 AND events.type = ANY ($5)
        GROUP BY 1, 2, r.key) AS evicted
  GROUP BY enforcement, "group" ORDER BY 2`;

/** Usage of a queue that was found above its quota. */
const FOUND = `
  SELECT time AS at, data -> 'used' AS usage FROM events
  WHERE partition = $1 AND key = $2 AND time >= $3 AND type = ANY ($4) ORDER BY position DESC LIMIT 500`;

type MarkRow = Pick<HistoryMark, 'position' | 'count' | 'configuration'> & {
  time: Date;
  type: string;
  schemaVersion: number;
  data: unknown;
  sentBy: string | null;
};

/** The quota and the usage of a queue over time, with what changed them, from the log. docs/how-to/page.md */
@Injectable()
export class QueueHistories {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  /** @param since the beginning of the shown time; undefined: 30 days ago. */
  async of(queue: QueueView, since: string | undefined): Promise<QueueHistory> {
    const { partition, queue: path } = queue;
    const at = (await databaseTime(this.db)).toISOString();
    const from = since ?? new Date(Date.parse(at) - defaultMs).toISOString();
    const [marks, before, usage] = await Promise.all([
      this.marks(partition, path, at, from),
      this.quotaBefore(partition, path, from),
      this.usage(partition, path, at, from),
    ]);
    return {
      partition,
      queue: path,
      since: from,
      at,
      quotas: quotasOf(before, marks, from),
      usage: [...usage, { at, amounts: queue.usage }],
      marks: marks.map(markOf),
      isWhole: marks.length < mostMarks,
    };
  }

  private marks(partition: string, path: string, at: string, since: string): Promise<MarkRow[]> {
    return this.db.query<MarkRow[]>(MARKS, [
      ...[partition, path, at, since, typesNamed([...kinds.keys()])],
      ...[[path, ...ancestors(path), partition], typesNamed(inherited)],
      ...[mostMarks, configStream(partition)],
    ]);
  }

  private async quotaBefore(partition: string, path: string, since: string): Promise<Quota | undefined> {
    const types = typesNamed(['QuotaChanged', 'QueueRemoved']);
    const rows = await this.db.query<{ current: Values | null }[]>(QUOTA_BEFORE, [
      partition,
      path,
      since,
      types,
    ]);
    return rows[0] && quotaAt(since, rows[0].current);
  }

  private async usage(
    partition: string,
    path: string,
    at: string,
    since: string,
  ): Promise<QueueHistory['usage']> {
    const of = [partition, path];
    const [plans, evicted, found] = await Promise.all([
      this.db.query<PlanInHistory[]>(PLANS, [...of, at, since, typesNamed(['PlanComputed'])]),
      this.db.query<{ enforcement: string; at: Date; amounts: Resources }[]>(EVICTED, [
        ...[...of, at, since],
        typesNamed(['VictimEvicted']),
      ]),
      this.db.query<{ at: Date; usage: Resources }[]>(FOUND, [...of, since, typesNamed(['QuotaNotMet'])]),
    ]);
    const written = <T extends { at: Date }>(row: T) => ({ ...row, at: row.at.toISOString() });
    return usageInHistory(plans, evicted.map(written), found.map(written) as RecordedUsage[]);
  }
}

const defaultMs = 30 * 86_400_000;

const typesNamed = (names: readonly EventName[]) => names.flatMap((name) => [...typesOf(name)]);

type Quota = QueueHistory['quotas'][number];
interface Values {
  max: Resources | null;
  delayMs: number;
}

const quotaAt = (at: string, values: Values | null): Quota => ({
  at,
  max: values?.max ?? null,
  delaySeconds: (values?.delayMs ?? 0) / 1000,
});

/** The quotas in force from the beginning on. Before its first change in the log, a queue had the quota that this one replaced. */
function quotasOf(before: Quota | undefined, marks: readonly MarkRow[], since: string): Quota[] {
  const changes = marks
    .filter(({ type }) => eventName(type) === 'QuotaChanged' || eventName(type) === 'QueueRemoved')
    .toReversed();
  const first = changes[0]?.data as { previous?: Values } | undefined;
  const start = before ?? (first?.previous && quotaAt(since, first.previous));
  return [
    ...(start ? [start] : []),
    ...changes.map(({ time, data }) =>
      quotaAt(time.toISOString(), (data as { current?: Values }).current ?? null),
    ),
  ];
}

function markOf({
  position,
  time,
  type,
  schemaVersion,
  data,
  count,
  configuration,
  sentBy,
}: MarkRow): HistoryMark {
  const event = eventName(type)!;
  const recorded = upcast(event, schemaVersion, data) as { by?: string; enforcement?: string };
  return {
    position,
    at: time.toISOString(),
    event,
    kind: kinds.get(event)!,
    sentence: sentenceOf(event, recorded),
    by: recorded.by ?? sentBy,
    enforcement: recorded.enforcement ?? null,
    configuration,
    count,
  };
}

/** Usage of a queue in the snapshot of a plan. */
interface PlanInHistory {
  enforcement: string;
  at: string;
  usage: Resources;
}

/** What a run evicted until then, since the entry of the same run before. */
export interface RecordedEvictions {
  enforcement: string;
  at: string;
  amounts: Resources;
}

interface RecordedUsage {
  at: string;
  usage: Resources;
}

/**
 * The usage of a queue at the moments at which the log states it: that of each plan, less what its run evicted from then on.
 *
 * @param evicted of each run by time; evictions of a run without a plan here are left out.
 * @param found usage that was stated otherwise.
 * @returns by time.
 */
export function usageInHistory(
  plans: readonly PlanInHistory[],
  evicted: readonly RecordedEvictions[],
  found: readonly RecordedUsage[],
): QueueHistory['usage'] {
  const left = new Map(plans.map(({ enforcement, usage }) => [enforcement, usage]));
  const points = [...plans, ...found].map(({ at, usage }) => ({ at, amounts: usage }));
  for (const { enforcement, at, amounts } of evicted) {
    const before = left.get(enforcement);
    if (!before) continue;
    const after = Object.fromEntries(
      Object.entries(before).map(([type, amount]) => [type, Math.max(0, amount - (amounts[type] ?? 0))]),
    );
    left.set(enforcement, after);
    points.push({ at, amounts: after });
  }
  return points.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
