import {
  type DataSource,
  type EntityManager,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { WatchedClient } from './pg-patches/watched-client.js';

type Work = (tx: EntityManager) => Promise<unknown>;

/**
 * A transaction whose connection is lost between two statements fails with the reason, the error of the connection; TypeORM says only that
 * the connection was given back.
 */
export function nameLostConnections(database: DataSource): void {
  const transaction = database.transaction.bind(database) as (...words: unknown[]) => Promise<unknown>;
  database.transaction = (async (...words: unknown[]) => {
    const work = words.pop() as Work;
    let used: EntityManager | undefined;
    try {
      return await transaction(...words, (tx: EntityManager) => {
        used = tx;
        return work(tx);
      });
    } catch (error) {
      const lostBy = isGivenBack(error) ? await lossOf(used) : undefined;
      if (lostBy === undefined) throw error;
      lostBy.cause ??= error;
      throw lostBy;
    }
  }) as typeof database.transaction;
}

const isGivenBack = (error: unknown) =>
  error instanceof QueryRunnerProviderAlreadyReleasedError ||
  error instanceof QueryRunnerAlreadyReleasedError;

async function lossOf(tx: EntityManager | undefined): Promise<Error | undefined> {
  const client: unknown = await tx?.queryRunner?.connect();
  return client instanceof WatchedClient ? client.lostBy : undefined;
}
