import {
  type DataSource,
  type EntityManager,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { WatchedClient } from './pg-patches/watched-client.js';

type Work = (tx: EntityManager) => Promise<unknown>;

/** A transaction whose connection is lost between two statements fails with the reason; TypeORM says only that the connection was given back. */
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
      throw (isGivenBack(error) && (await lossOf(used))) || error;
    }
  }) as typeof database.transaction;
}

const isGivenBack = (error: unknown) =>
  error instanceof QueryRunnerProviderAlreadyReleasedError ||
  error instanceof QueryRunnerAlreadyReleasedError;

/** As the error of a statement that was under way. */
async function lossOf(tx: EntityManager | undefined): Promise<QueryFailedError | undefined> {
  const client: unknown = await tx?.queryRunner?.connect();
  const lost = client instanceof WatchedClient ? client.lostBy : undefined;
  return lost && new QueryFailedError('', [], lost);
}
