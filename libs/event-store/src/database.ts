import { DataSource, DefaultNamingStrategy, type EntityManager, getMetadataArgsStorage } from 'typeorm';
import { AnswerWatch, type WatchLimits } from './answer-watch.js';
import { makeCancellable } from './cancelled-with.js';
import { nameLostConnections } from './name-lost-connections.js';
import { PreparingClient } from './pg-patches/preparing-client.js';
import { withSession } from './session-settings.js';

/** A place to run statements: the data source itself, or a transaction of it. */
export type Tx = EntityManager;

/** Longer than the interval of the gauges. Otherwise each sample would have to reconnect. */
const keptUnusedMs = 60_000;

/** TCP probes a connection after this much silence; after ten seconds without an answer the connection is lost. */
export const askedWhenSilent = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** A property `setBy` is the column `set_by`. */
class ColumnNames extends DefaultNamingStrategy {
  override columnName(property: string, given: string | undefined): string {
    return given ?? property.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
  }
}

/**
 * What a data source needs to know of entities. A class is an entity by its decorator `@Entity`, wherever its table has its owner, so no
 * list names them, and nothing below an owner imports it. Those of modules that are imported later are unknown to the data source.
 */
const entityOptions = () => ({
  entities: getMetadataArgsStorage().tables.map(({ target }) => target),
  namingStrategy: new ColumnNames(),
});

/**
 * Opens a pool on the database. The caller closes it with `destroy()`.
 *
 * @param url `postgres://user:password@host:port/database`
 * @param options.poolSize connections at the most, default 10
 * @param options.statementTimeoutMs a statement that takes longer is cancelled; absent: never
 * @param options.lockTimeoutMs a statement that waits for a lock for longer is cancelled; absent: never
 * @param options.idleTransactionMs a transaction that pauses for longer is ended with its connection, default 10,000
 * @param options.keepsConnections connections that no one uses stay open; absent: they are closed after a minute
 * @param options.isCancellable `cancelledWith` ends its statements
 * @param options.onFailure called with the error of each statement that failed
 * @param options.watch when a server that does not answer is taken for lost
 */
export async function openDatabase(
  url: string,
  options: {
    poolSize?: number;
    applicationName?: string;
    statementTimeoutMs?: number;
    lockTimeoutMs?: number;
    idleTransactionMs?: number;
    keepsConnections?: boolean;
    isCancellable?: boolean;
    onPoolError?: (error: Error) => void;
    onFailure?: (error: unknown) => void;
    watch?: WatchLimits;
  } = {},
): Promise<DataSource> {
  const answerWatch = new AnswerWatch(url, options.watch);
  const database = new DataSource({
    type: 'postgres',
    ...entityOptions(),
    url: withSession(url, { plan_cache_mode: 'force_generic_plan', random_page_cost: '1.1' }),
    poolSize: options.poolSize ?? 10,
    // Also the maximum wait of a statement for a free connection of the pool.
    connectTimeoutMS: 15_000,
    // An open transaction holds back the log for all readers (readPage): a process that hangs in one, or a machine that
    // is lost with one, must not do so forever. A server that is lost with its machine sends nothing: without probes, a
    // silent connection would wait for it forever, and a client for a quarter of an hour. Statements are planned once
    // for all values: they are written so that one plan fits all, and planning each again costs more than most answers.
    // Often the tables are still empty then: a sequential scan, which becomes slow as soon as the table grows, must not
    // seem cheaper than some index reads.
    extra: {
      ...askedWhenSilent,
      idle_in_transaction_session_timeout: options.idleTransactionMs ?? 10_000,
      Client: PreparingClient,
      answerWatch,
      ...(options.onFailure && { onFailure: options.onFailure }),
      ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: options.statementTimeoutMs }),
      ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
      idleTimeoutMillis: options.keepsConnections ? 0 : keptUnusedMs,
    },
    applicationName: options.applicationName ?? 'curtail',
    // Without a listener a lost server would end the process.
    poolErrorHandler: options.onPoolError ?? (() => {}),
  });
  // A column of transaction ids is read and written as text, which is all that TypeORM has to know of it.
  database.driver.supportedDataTypes.push('xid8' as 'text');
  try {
    await database.initialize();
  } catch (error) {
    answerWatch.close();
    throw error;
  }
  if (options.isCancellable) makeCancellable(database, url);
  nameLostConnections(database);
  const destroy = database.destroy.bind(database);
  database.destroy = async () => {
    await destroy().finally(() => answerWatch.close());
  };
  return database;
}
