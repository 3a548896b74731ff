/**
 * SQLSTATEs of PostgreSQL, whole or by class: connection, resources (too many connections), shutdown, system, serialization,
 * deadlock; read-only, as a server is that a failover has made a standby.
 */
const passingState = /^(08|53|57P0|58|40001|40P01|25006)/;

/**
 * SQLSTATEs of a transaction that the database broke off because it took too long: statement, lock, idle transaction, transaction; and
 * the error of the statements behind that. The database may be busy, or the event may be too much for it.
 */
const outOfTimeState = /^(57014|55P03|25P0[234])/;

/** The way to a server is blocked. */
const blockedWays = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Messages of pg and TypeORM without a code, when a connection is lost or cannot be had. */
const lostConnection =
  /^(Connection terminated|Client has encountered a connection error|timeout (expired|exceeded)|Query runner already released|Database connection provided by a query runner was already released)/;

/** The database is away or busy: the same work will do later, and no event is to blame. */
export function databaseAway(error: unknown): boolean {
  const reason = reasonOf(error);
  return passingState.test(reason) || blockedWays.has(reason) || lostConnection.test(messageOf(error));
}

/**
 * The database gave the work too little time, or cut its connection off, as it does with who is idle in a transaction: later it may
 * do, but perhaps never. So it is tried a bounded number of times.
 */
export function ranOutOfTime(error: unknown): boolean {
  return outOfTimeState.test(reasonOf(error)) || lostConnection.test(messageOf(error));
}

function messageOf(error: unknown): string {
  return String((error as { message?: unknown }).message ?? '');
}

function reasonOf(error: unknown): string {
  const { code, driverError } = error as { code?: unknown; driverError?: { code?: unknown } };
  return String(driverError?.code ?? code ?? '');
}
