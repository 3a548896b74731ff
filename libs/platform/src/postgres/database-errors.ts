/**
 * SQLSTATEs of PostgreSQL, whole or by class: connection, resources (too many connections), shutdown, system,
 * serialization, deadlock; read-only, the state of a server that a failover has made a standby.
 */
const passingState = /^(08|53|57P0|58|40001|40P01|25006)/;

/**
 * SQLSTATEs of a transaction that the database cancelled because it took too long: statement, lock, idle transaction,
 * transaction; and the error of the statements after that. The database may be busy, or the event may be too large for
 * it.
 */
const outOfTimeState = /^(57014|55P03|25P0[234])/;

/** The network path to a server is blocked. */
const blockedWays = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Messages of pg and TypeORM without a code, when a connection is lost or cannot be established. */
const lostConnection =
  /^(Connection terminated|Client has encountered a connection error|timeout (expired|exceeded)|Query runner already released|Database connection provided by a query runner was already released)/;

/** The database is unavailable or busy: the same work will succeed later, and no event is the cause. */
export function databaseAway(error: unknown): boolean {
  const reason = sqlStateOf(error);
  return passingState.test(reason) || blockedWays.has(reason) || lostConnection.test(messageOf(error));
}

/**
 * The database cancelled the work, or closed its connection, as it does with idle transactions: a retry may succeed,
 * but perhaps never does. So retries are limited.
 */
export function ranOutOfTime(error: unknown): boolean {
  return outOfTimeState.test(sqlStateOf(error)) || lostConnection.test(messageOf(error));
}

/** SQLSTATEs of a connection that is refused for what its URL says: a wrong user or password, no such database. */
const wrongConnection = /^(28|3D)/;

/** No server answers at the URL of a database, or it refuses what the URL says. */
export function databaseUnusable(error: unknown): boolean {
  const reason = sqlStateOf(error);
  return databaseAway(error) || wrongConnection.test(reason) || reason === 'ENOTFOUND';
}

function messageOf(error: unknown): string {
  return String((error as { message?: unknown }).message ?? '');
}

/** The SQLSTATE of an error of the driver or of TypeORM, or the code of the operating system; '' for any other. */
export function sqlStateOf(error: unknown): string {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: { code?: unknown } };
  return String(driverError?.code ?? code ?? '');
}

/** Work that the database refuses while it can be reached: the same work will succeed once the cause is gone. */
export interface DatabaseRefusal {
  /** For programs. */
  code: 'database-full' | 'database-out-of-memory' | 'database-connections' | 'database-read-only';
  title: string;
  /** One sentence, without a full stop. */
  reason: string;
  /** Without a full stop. */
  remedy: string;
  /** Nothing can be recorded, so nothing continues. */
  stopsWrites: boolean;
}

/** By SQLSTATE. docs/how-to/monitor.md, "The database refuses work" */
const refusals: Readonly<Record<string, DatabaseRefusal>> = {
  '53100': {
    code: 'database-full',
    title: 'The disk of the database is full',
    reason: 'the disk of the database is full: nothing is recorded, planned or evicted until it has room',
    remedy: 'make room on that disk; Curtail continues by itself',
    stopsWrites: true,
  },
  '53200': {
    code: 'database-out-of-memory',
    title: 'The database is out of memory',
    reason: 'the server of the database is out of memory',
    remedy: 'give it more memory, or lower its shared_buffers, work_mem or max_connections',
    stopsWrites: false,
  },
  '53300': {
    code: 'database-connections',
    title: 'The database grants no further connections',
    reason: 'the database grants no further connections: all of its max_connections are in use',
    remedy:
      'end sessions of others (pg_stat_activity), raise max_connections, or lower CURTAIL_DATABASE_POOL',
    stopsWrites: false,
  },
  '25006': {
    code: 'database-read-only',
    title: 'The database is read-only',
    reason:
      'the database takes no writes: it is a standby, or default_transaction_read_only is on; nothing is recorded, planned or evicted',
    remedy: 'let DATABASE_URL name the primary, or turn default_transaction_read_only off',
    stopsWrites: true,
  },
};

/** A server that does not start has no SQLSTATE. */
const noRoom = /No space left on device/;

/** What a server without room for its log of writes ends with, or does not start for: undefined if its log has another end. */
export function refusalInLog(logTail: string): DatabaseRefusal | undefined {
  return noRoom.test(logTail) ? refusals['53100'] : undefined;
}

/** undefined: the error is of another kind. */
export function databaseRefusal(error: unknown): DatabaseRefusal | undefined {
  return refusals[sqlStateOf(error)];
}
