import { InputError } from '@curtail/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { momentOf } from '../tables/moment.js';

/**
 * The inventory of a partition is not known well enough to evict by it. Its `path` is `inventory`: a plan fails with the
 * sentence, and a preview shows it.
 */
export class InventoryUnknown extends InputError {}

interface Heard {
  heardAt: Date;
  listedAt: Date | null;
  knownAt: Date;
  isSilent: boolean;
}

/**
 * @param staleSeconds how long the sender may be silent.
 * @param now null for the time of the database.
 * @returns the moment for which the partition is known: what happened since nobody may have said yet.
 * @throws InventoryUnknown before the first whole listing, and when the sender has been silent for too long.
 */
export async function assertInventoryKnown(
  db: DataSource | EntityManager,
  partition: string,
  staleSeconds: number,
  now: Date | null,
): Promise<Date> {
  const [heard] = await db.query<Heard[]>(
    `SELECT heard_at AS "heardAt", listed_at AS "listedAt", least(heard_at, ${momentOf('$2')}) AS "knownAt",
            ${momentOf('$2')} - heard_at > make_interval(secs => $3) AS "isSilent"
     FROM inventory_partitions WHERE partition = $1`,
    [partition, now, staleSeconds],
  );
  const refuse = (why: string): never => {
    throw new InventoryUnknown('inventory', `${why}; nothing is evicted by it`);
  };
  if (heard === undefined) {
    return refuse(
      `nothing was reported of the partition ${partition} yet: its scheduler has to send InventoryListed`,
    );
  }
  if (heard.listedAt === null) {
    refuse(
      `the partition ${partition} was never listed whole: its scheduler has to send all pages of InventoryListed`,
    );
  }
  if (heard.isSilent) {
    refuse(
      `the scheduler of the partition ${partition} was last heard of at ${heard.heardAt.toISOString()} by its clock, ` +
        `longer than ${staleSeconds} s ago: it has to send InventoryConfirmed while nothing happens`,
    );
  }
  return heard.knownAt;
}
