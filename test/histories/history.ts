import { gunzipSync } from 'node:zlib';
import type { DataSource } from 'typeorm';
import { type ClusterSnapshot, type DomainEvent } from '#contracts';
import type { DigestReplay } from '#contracts/api';
import { eventName } from '#contracts/events';
import {
  evolveClock,
  foldRun,
  initialClockState,
  initialRunState,
  outcomeOfVictim,
  type RunState,
} from '#enforcement';
import {
  DATA,
  known,
  packSnapshot,
  readStreams,
  SCHEMA_VERSION,
  type StoredEvent,
  storeSnapshots,
  unpackData,
} from '#event-store';
import { byTest, readModel, replaysOn } from '../support/replays.js';

/** An event as the log has it, but for its place, which follows from the order. */
type HistoryEvent = Pick<
  StoredEvent,
  'stream' | 'version' | 'id' | 'type' | 'topic' | 'partition' | 'key' | 'data'
> & {
  schemaVersion: number;
  time: string;
};

/** The data of one release: the events in the order of the log, and the inputs of their plans. */
export interface History {
  events: HistoryEvent[];
  snapshots: { digest: string; snapshot: ClusterSnapshot }[];
}

/** The results of a history: by replaying its plans, by the projections, and by the folds that deciders go by: what runs came to, and the states of clocks. */
export interface Results {
  plans: DigestReplay;
  readModel: Record<string, unknown[]>;
  runs: Record<string, unknown>;
  clocks: Record<string, unknown>;
}

/** One JSON text a line: events first, then snapshots. */
export function textOf({ events, snapshots }: History): string {
  return [...events.map((event) => ({ event })), ...snapshots.map((snapshot) => ({ snapshot }))]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

export function historyIn(text: string): History {
  const history: History = { events: [], snapshots: [] };
  for (const line of text.trimEnd().split('\n')) {
    const { event, snapshot } = JSON.parse(line);
    if (event) history.events.push(event);
    else history.snapshots.push(snapshot);
  }
  return history;
}

export async function takeHistory(db: DataSource): Promise<History> {
  const rows = await db.query<(Omit<HistoryEvent, 'time'> & { time: Date })[]>(
    `SELECT stream, version, id, type, ${SCHEMA_VERSION} AS "schemaVersion", topic, partition, key, time, ${DATA} AS data
     FROM events ORDER BY transaction_id, position`,
  );
  await unpackData(rows);
  const bodies = await db.query<{ digest: string; body: Buffer }[]>(
    'SELECT digest, body FROM snapshots ORDER BY digest',
  );
  return {
    events: rows.map((row) => ({ ...row, time: row.time.toISOString() })),
    snapshots: bodies.map(({ digest, body }) => ({
      digest,
      snapshot: JSON.parse(gunzipSync(body).toString()),
    })),
  };
}

/** Into an empty log. Resolves when it can be read: transactions of other databases of the server hold it back, too. */
export async function putHistory(db: DataSource, { events, snapshots }: History): Promise<void> {
  await storeSnapshots(
    db.manager,
    await Promise.all(snapshots.map(({ snapshot }) => packSnapshot(snapshot))),
    30,
  );
  await db.query(
    `INSERT INTO events (stream, version, id, type, schema_version, topic, partition, key, time, data)
     SELECT * FROM json_to_recordset($1::json) AS row (stream text, version int, id uuid, type text, "schemaVersion" int, topic text,
       partition text, key text, time timestamptz, data json)`,
    [JSON.stringify(events)],
  );
  const settled =
    'SELECT log_settled() > transaction_id AS settled FROM events ORDER BY transaction_id DESC LIMIT 1';
  while (!(await db.query<{ settled: boolean }[]>(settled))[0]!.settled);
}

export async function resultsOf(db: DataSource): Promise<Results> {
  const replays = replaysOn(db);
  const plans = await (await replays.begin('digest', {}, byTest)).finished;
  await (await replays.begin('projections', {}, byTest)).finished;
  const named = await db.query<{ stream: string }[]>('SELECT DISTINCT stream FROM events ORDER BY stream');
  const streams = named.map(({ stream }) => stream);
  const runs = streams.flatMap((stream) =>
    stream.startsWith('plan-') ? [stream.slice('plan-'.length)] : [],
  );
  const results: Results = {
    plans: plans as DigestReplay,
    readModel: await readModel(db),
    runs: Object.fromEntries(
      await Promise.all(
        runs.map(async (run) => {
          const parts = await readStreams(
            db,
            [`plan-${run}`, `operator-${run}`, `execution-${run}`].map((stream) => ({ stream, after: 0 })),
          );
          return [run, toldOf(foldRun(initialRunState, parts.flat().map(contentOf)))];
        }),
      ),
    ),
    clocks: Object.fromEntries(
      await Promise.all(
        streams
          .filter((stream) => stream.startsWith('schedule-'))
          .map(async (stream) => {
            const [events] = await readStreams(db, [{ stream, after: 0 }]);
            const { partition, key } = events![0]!;
            return [stream, events!.map(contentOf).reduce(evolveClock, initialClockState(partition, key))];
          }),
      ),
    ),
  };
  return JSON.parse(JSON.stringify(results));
}

/** The result of a run, without the other parts of its state. */
function toldOf(state: RunState): object {
  const { approved, rejected, cancelled, begun, openOrders, freed, stopped, ended } = state;
  const victims = (state.planned?.plan.victims ?? []).map(({ rank, allocation }) => [
    allocation,
    outcomeOfVictim(state, rank) ?? null,
  ]);
  const openOrder = openOrders.first();
  return { approved, rejected, cancelled, begun, victims, openOrder, freed, stopped, ended };
}

function contentOf(event: StoredEvent): DomainEvent {
  const { name, data } = known(event);
  return { name, data } as DomainEvent;
}

/** The short names of the events, each once. */
export function namesIn({ events }: History): Set<string> {
  return new Set(events.map(({ type }) => eventName(type) ?? type));
}
