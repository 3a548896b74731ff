import type { DataSource, QueryRunner } from 'typeorm';
import { openDatabase } from '#event-store';
import { type Caller, callerNow, type DatabaseSettings, forAllCallers, Turns } from '#platform';
import { whenAborted } from '#waiting';

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

export const openServiceDatabase: Opened = async (url, settings, errors) =>
  sharedAmongCallers(
    await openDatabase(url, {
      ...limits(settings, settings.statementSeconds),
      poolSize: settings.databasePool,
      ...errors,
    }),
    // The services need the others.
    { all: Math.floor(settings.databasePool / 2), each: Math.floor(settings.databasePool / 4) },
  );

/**
 * The connections of operators' commands stay open: queries that have taken all others, or all that the server grants,
 * do not block a stop.
 */
export const openOperatorDatabase: Opened = async (url, settings, errors) =>
  sharedAmongCallers(
    await openDatabase(url, {
      ...limits(settings, operatorSeconds),
      poolSize: operatorPoolSize,
      keepsConnections: true,
      applicationName: 'curtail-operator',
      ...errors,
    }),
    // Who may only read sees the stops and freezes, too.
    { all: 1, each: 1 },
  );

export const openReaderDatabase: Opened = async (url, settings, errors) =>
  sharedAmongCallers(
    await openDatabase(url, {
      ...limits(settings, settings.querySeconds),
      poolSize: readerPoolSize,
      isCancellable: true,
      applicationName: 'curtail-reader',
      ...errors,
    }),
    { all: 6, each: 3 },
  );

/**
 * Connections of callers that are no operators have turns: those of statements, of repositories and of transactions.
 *
 * @param connections that all of them, and each of them, may have at once: the others are for operators and for Curtail itself.
 */
function sharedAmongCallers(database: DataSource, connections: { all: number; each: number }): DataSource {
  const turns = new Turns('readings', mostReadings, connections);
  const [create, transaction] = [
    database.createQueryRunner.bind(database),
    database.transaction.bind(database) as (...words: unknown[]) => Promise<unknown>,
  ];
  database.createQueryRunner = (mode) => {
    const caller = callerNow();
    const runner = create(mode);
    if (caller !== undefined) waitForTurn(runner, turns, caller);
    return runner;
  };
  database.transaction = (async (...words: unknown[]) => {
    const caller = callerNow();
    if (caller === undefined) return transaction(...words);
    // What it reads outside meanwhile needs no further turn, for which it could wait for ever.
    return turns.run(() => forAllCallers(() => transaction(...words)), { ...caller, gone: never });
  }) as typeof database.transaction;
  return database;
}

/** Others may wait for the same reading: it goes on if the client leaves. */
const never = new AbortController().signal;

/** Has a runner take its connection at the turn of the caller, which ends when it is released. */
function waitForTurn(runner: QueryRunner, turns: Turns, caller: Caller): void {
  const released = new AbortController();
  const [connect, release] = [runner.connect.bind(runner), runner.release.bind(runner)];
  let turn: Promise<void> | undefined;
  runner.connect = async () => {
    turn ??= new Promise((begin, refuse) => {
      const work = () => {
        begin();
        return whenAborted(released.signal);
      };
      turns.run(work, { ...caller, gone: released.signal }).catch(refuse);
    });
    await turn;
    return connect() as Promise<unknown>;
  };
  runner.release = () => release().finally(() => released.abort());
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
