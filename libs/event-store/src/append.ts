import { randomUUID } from 'node:crypto';
import { type DataSource, QueryFailedError } from 'typeorm';
import { z } from 'zod';
import { CurtailError, type DomainEvent, type EventName } from '#contracts';
import { catalog, checkData, schemaVersion, unawaited } from '#contracts/events';
import { type Actor, actorNow } from '#platform/acting';
import type { Tx } from './database.js';
import { jsonOf } from './json-text.js';
import { isPacked, type PackedData, packData, packedVersion } from './packed-data.js';
import { streamVersion, streamVersions } from './read.js';
import type { NewEvent } from './stored-event.js';
import { type EventTrace, traceOf } from './trace-context.js';
import { announce, awaited } from './wake.js';

/** Another writer appended to the stream since it was read. Load it again and decide again. */
export class StreamConflict extends CurtailError {
  readonly code = 'stream-conflict';
}

export interface StreamAppend {
  stream: string;
  partition: string;
  /** The version of the last event that the decision was made on; 0 for a new stream. */
  expectedVersion: number;
  events: NewEvent[];
}

/**
 * A wrong event must never be written: the log keeps its events forever. The data are written as they were given, since
 * the parsed copy would have its keys in another order.
 */
function check(event: DomainEvent): void {
  const { error } = checkData(event.name, event.data);
  if (error) throw error;
}

/**
 * Appends to any number of streams in one statement, inside the caller's transaction. Versions count from 1 in each stream.
 *
 * The order of the log is (transaction id, position). A transaction may have received its id long before it appends, and have
 * seen commits of a younger one in between: with its own id its events would precede those that they follow. So an
 * event takes the id of the newest event its transaction can see, if that is greater than its own. Hence:
 * - the effects of an event follow it: streams keep the order of their versions, keys keep theirs;
 * - no event is skipped: the id of an event is never below that of its transaction, and readers stop below the oldest
 *   transaction that still runs (readPage).
 * Ids are those of the log: of the PostgreSQL cluster, moved up where the log came from another one (`continueLog`).
 *
 * Listeners (WakeListener) are notified of the topics once the transaction is committed.
 *
 * @throws StreamConflict if a stream is not at its expected version; the transaction must be given up then.
 * @throws ZodError if the data break the schema of the event.
 */
export async function append(tx: Tx, given: StreamAppend[]): Promise<void> {
  const appends = withActor(given, actorNow());
  const long = appends.flatMap(({ events }) => events.map(({ event }) => event)).filter(isPacked);
  // Before waiting for the threads that compress them.
  long.forEach(check);
  // Without a long one, the statement is sent before this returns: callers rely on the order of their statements.
  const packed = long.length === 0 ? new Map() : await packAll(long);
  const rows = appends.flatMap((to) => rowsOf(to, packed, (event, id) => traceOf(tx, event, id)));
  if (rows.length === 0) return;
  const parameters = takeLongData(rows);
  const columns = rows[0]!.map((_, column) => {
    const values = rows.map((row) => row[column]);
    // One JSON text, whose elements the server takes as they are: an array of texts is quoted here and parsed there once more.
    return column === dataAt ? `[${values.map((data) => data ?? 'null').join(',')}]` : values;
  });
  const topics = topicsToAnnounce(appends.flatMap(({ events }) => events.map(({ event }) => event.name)));
  try {
    const writing = tx.query<[{ written: number }]>(insertInto(parameters.length, packed.size), [
      ...columns,
      ...parameters,
      ...[...packed.values()].map((data) => data.packed),
    ]);
    // On the connection of the statement, the announcement goes into the same write.
    if (tx.queryRunner) announce(tx, topics);
    const [{ written }] = await writing;
    if (written < rows.length) throw conflict(appends);
  } catch (error) {
    throw isConflict(error) ? conflict(appends) : error;
  }
  if (!tx.queryRunner) announce(tx, topics);
}

function topicsToAnnounce(names: readonly EventName[]): string[] {
  const topics = new Set(names.map((name) => catalog[name].topic));
  return names.every((name) => unawaited.has(name)) ? [...topics] : [...topics, awaited];
}

/** Events whose data state who commanded or sent them. */
const withAuthor: ReadonlySet<string> = new Set(
  Object.entries(catalog).flatMap(([name, { schema }]) =>
    schema instanceof z.ZodObject && 'actor' in schema.shape ? [name] : [],
  ),
);

/** The owner of the credential is recorded with each command, whoever wrote the command: none can forget it. */
function withActor(appends: StreamAppend[], actor: Actor | undefined): StreamAppend[] {
  if (actor === undefined) return appends;
  return appends.map((to) => ({
    ...to,
    events: to.events.map((one) =>
      withAuthor.has(one.event.name)
        ? { ...one, event: { ...one.event, data: { ...one.event.data, actor } } as DomainEvent }
        : one,
    ),
  }));
}

/**
 * Appends after the last event of a stream. Only for callers that hold the lock under which every decision on the
 * stream is made: the state that they decided on cannot have changed. Other callers read the version together with the
 * state, and pass it to `append`.
 *
 * @returns the version of the first of the events.
 * @throws as `append`.
 */
export async function appendNext(tx: Tx, to: Omit<StreamAppend, 'expectedVersion'>): Promise<number> {
  const expectedVersion = await streamVersion(tx, to.stream);
  await append(tx, [{ ...to, expectedVersion }]);
  return expectedVersion + 1;
}

/** The same for several streams, with as many statements as for one. */
export async function appendNextToEach(
  tx: Tx,
  all: readonly Omit<StreamAppend, 'expectedVersion'>[],
): Promise<void> {
  const versions = await streamVersions(
    tx,
    all.map(({ stream }) => stream),
  );
  await append(
    tx,
    all.map((to) => ({ ...to, expectedVersion: versions.get(to.stream) ?? 0 })),
  );
}

/**
 * Appends to one stream and commits, with a single statement: for events that are written alone.
 *
 * @throws as `append`; then nothing is written.
 */
export async function appendAlone(db: DataSource, to: StreamAppend): Promise<void> {
  const runner = db.createQueryRunner();
  try {
    // Of one stream, the statement writes all or nothing.
    await append(runner.manager, [to]);
  } finally {
    await runner.release();
  }
}

const isConflict = (error: unknown) =>
  error instanceof QueryFailedError && error.driverError.constraint === 'events_stream_version';

// The head is compared with the expected version, not queried with EXISTS: planned while there were few streams, that
// would read all of them for each append. Events recorded before this transaction began have lower ids than it, so the
// newest events are enough. The bound is the beginning of a partition of the log: partitions before it are not opened,
// and the index of the others has the newest event first. A bound between two rows, such as a day ago, would read a
// partition to its end where nothing is younger.
const insertInto = (longData: number, packedData: number) => `
  WITH new AS (
    SELECT * FROM ROWS FROM (
      unnest($1::text[], $2::int[], $3::int[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[],
             $11::text[], $12::text[], $13::int[], $14::int[]),
      json_array_elements($10::json)) WITH ORDINALITY
        AS n (stream, expected, version, id, type, topic, partition, key, time, traceparent, tracestate, schema_version, long, data, nr)
  ), written AS (
    INSERT INTO events (transaction_id, stream, version, id, type, topic, partition, key, time, traceparent, tracestate,
                        schema_version, ${packedData === 0 ? 'data' : 'data, outline, packed'})
    SELECT greatest(
             (SELECT log_transaction_id()),
             (SELECT transaction_id FROM events
              WHERE recorded_at >= (SELECT max(starts_at) FROM log_partitions WHERE starts_at <= now() - interval '1 day')
              ORDER BY transaction_id DESC, position DESC LIMIT 1)),
           stream, version, id, type, topic, partition, key,
           coalesce(time, date_trunc('milliseconds', clock_timestamp())), traceparent, tracestate,
           schema_version, ${dataColumns(longData, packedData)}
    FROM new
    WHERE expected = 0
       OR expected = (SELECT head.version FROM stream_heads head WHERE head.stream = new.stream)
    ORDER BY nr
    RETURNING 1
  )
  SELECT count(*)::int AS written FROM written`;

/**
 * $15 and later are the long data, then the packed ones; column 14 counts the long ones from 1, and the packed ones from -1 down. In the
 * column of the data, packed ones have their outline.
 */
function dataColumns(longData: number, packedData: number): string {
  const long = casesOf(longData, (i) => `WHEN ${i + 1} THEN $${15 + i}::json`);
  const data = longData === 0 ? 'data' : `CASE long ${long} ELSE data END`;
  if (packedData === 0) return data;
  const packed = casesOf(packedData, (i) => `WHEN ${-1 - i} THEN $${15 + longData + i}::bytea`);
  return `CASE WHEN long < 0 THEN NULL ELSE ${data} END, CASE WHEN long < 0 THEN data END, CASE long ${packed} END`;
}

const casesOf = (count: number, one: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => one(i)).join(' ');

/** Data from this number of characters on are a parameter of their own. */
const longDataFrom = 100_000;
const dataAt = 9;
const longAt = 13;

/**
 * The client quotes an element of an array and the server parses it once more: for a large plan that takes three times
 * as long.
 */
function takeLongData(rows: (string | number | Buffer | null)[][]): (string | Buffer)[] {
  const long: (string | Buffer)[] = [];
  for (const row of rows) {
    const data = row[dataAt] as string | Buffer;
    if (data.length < longDataFrom) {
      row[dataAt] = data.toString();
      continue;
    }
    row[dataAt] = null;
    row[longAt] = long.push(data);
  }
  return long;
}

/** The events whose data are packed, in their order. */
async function packAll(events: readonly DomainEvent[]): Promise<Map<DomainEvent, PackedData>> {
  const all = await Promise.all(events.map(async (event) => [event, await packData(event.data)] as const));
  return new Map(all);
}

function rowsOf(
  { stream, partition, expectedVersion, events }: StreamAppend,
  allPacked: ReadonlyMap<DomainEvent, PackedData>,
  traceFor: (event: NewEvent, id: string) => EventTrace | undefined,
): (string | number | Buffer | null)[][] {
  return events.map((added, index) => {
    const { event, at, key } = added;
    const { type, topic } = catalog[event.name];
    const version = expectedVersion + index + 1;
    const packed = allPacked.get(event);
    if (!packed) check(event);
    const id = randomUUID();
    const trace = traceFor(added, id);
    return [
      stream,
      expectedVersion,
      version,
      id,
      type,
      topic,
      partition,
      key,
      at?.toISOString() ?? null,
      packed?.outline ?? jsonOf(event.data),
      trace?.traceparent ?? null,
      trace?.tracestate ?? null,
      schemaVersion(event.name) + (packed ? packedVersion : 0),
      packed ? -1 - [...allPacked.keys()].indexOf(event) : null,
    ];
  });
}

const namedAtMost = 5;

function conflict(appends: StreamAppend[]): StreamConflict {
  const named = appends.slice(0, namedAtMost).map((a) => `${a.stream}@${a.expectedVersion}`);
  if (appends.length > named.length) named.push(`or one of ${appends.length - named.length} more`);
  return new StreamConflict(`not at the version that the decision was made on: ${named.join(', ')}`);
}
