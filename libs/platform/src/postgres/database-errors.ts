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

function messageOf(error: unknown): string {
  return String((error as { message?: unknown }).message ?? '');
}

/** The SQLSTATE of an error of the driver or of TypeORM, or the code of the operating system; '' for any other. */
export function sqlStateOf(error: unknown): string {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: { code?: unknown } };
  return String(driverError?.code ?? code ?? '');
}
