import type { DataSource } from 'typeorm';
import { openDatabase } from '#event-store';
import { callerNow, type DatabaseSettings, Turns } from '#platform';

/** Nest token of the database for operators' commands: its connections serve nothing else. */
export const OPERATOR_DATABASE = Symbol('OperatorDatabase');
/** Nest token of the database for the queries of the console: a slow query is cancelled, and delays no service. */
export const READER_DATABASE = Symbol('ReaderDatabase');
/** Nest token of the database for large reads of the log: replays and archives. */
export const SCAN_DATABASE = Symbol('ScanDatabase');

/** The pools of a process: each has its own limits, so that none blocks another. */
export interface Databases {
  /** Of the services. */
  database: DataSource;
  /** Of operators' commands. If no app takes commands, this and the others are the pool of the services. */
  operatorDatabase: DataSource;
  readerDatabase: DataSource;
  scanDatabase: DataSource;
}

/** A command is one transaction of a few statements; the second connection serves a simultaneous command. */
const operatorPoolSize = 2;
/** A command that waits longer for a lock fails with an error that states so, and releases its connection to the next. */
const operatorSeconds = 5;
const readerPoolSize = 10;
/** Of callers that are no operators: the other connections are for operators. Each waits for its turn, and no one takes all. */
const sharedReaders = { all: 6, each: 3 };
/** Statements of these callers that wait or are under way. */
const mostReadings = { all: 4000, kept: 0, each: 1000 };
/** One for each target that the log can be read into, and one for other simultaneous reads. */
const scanPoolSize = 8;

type Opened = (
  url: string,
  settings: DatabaseSettings,
  /** What becomes of errors: of connections that no one waits for, and of statements. */
  errors: { onPoolError: (error: Error) => void; onFailure: (error: unknown) => void },
) => Promise<DataSource>;

export const openServiceDatabase: Opened = (url, settings, errors) =>
  openDatabase(url, {
    ...limits(settings, settings.statementSeconds),
    poolSize: settings.databasePool,
    ...errors,
  });

/**
 * The connections of operators' commands stay open: queries that have taken all others, or all that the server grants,
 * do not block a stop.
 */
export const openOperatorDatabase: Opened = (url, settings, errors) =>
  openDatabase(url, {
    ...limits(settings, operatorSeconds),
    poolSize: operatorPoolSize,
    keepsConnections: true,
    applicationName: 'curtail-operator',
    ...errors,
  });

export const openReaderDatabase: Opened = async (url, settings, errors) =>
  sharedAmongCallers(
    await openDatabase(url, {
      ...limits(settings, settings.querySeconds),
      poolSize: readerPoolSize,
      isCancellable: true,
      applicationName: 'curtail-reader',
      ...errors,
    }),
  );

/** Statements of callers that are no operators have turns. */
function sharedAmongCallers(database: DataSource): DataSource {
  const turns = new Turns('readings', mostReadings, sharedReaders);
  const query = database.query.bind(database) as (...words: unknown[]) => Promise<unknown>;
  database.query = ((...words: unknown[]) => {
    const caller = callerNow();
    if (caller === undefined) return query(...words);
    // Others may wait for the same reading: it goes on if the client leaves.
    return turns.run(() => query(...words), { ...caller, gone: new AbortController().signal });
  }) as typeof database.query;
  return database;
}

export const openScanDatabase: Opened = (url, settings, errors) =>
  openDatabase(url, {
    ...limits(settings, settings.scanSeconds),
    poolSize: scanPoolSize,
    applicationName: 'curtail-scan',
    ...errors,
  });

const limits = ({ lockSeconds, idleTransactionSeconds }: DatabaseSettings, statementSeconds: number) => ({
  statementTimeoutMs: statementSeconds * 1000,
  lockTimeoutMs: lockSeconds * 1000,
  idleTransactionMs: idleTransactionSeconds * 1000,
});
