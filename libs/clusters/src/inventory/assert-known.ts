import { InputError } from '@curtail/contracts';
import type { DataSource, EntityManager } from 'typeorm';

/**
 * The inventory of a partition is not known well enough to evict by it. Its `path` is `inventory`: a plan fails with the
 * sentence, and a preview shows it.
 */
export class InventoryUnknown extends InputError {}

interface Heard {
  heardAt: Date;
  listedAt: Date | null;
}

/**
 * @param staleSeconds how long the sender may be silent.
 * @throws InventoryUnknown before the first whole listing, and when the sender has been silent for too long.
 */
export async function assertInventoryKnown(
  db: DataSource | EntityManager,
  partition: string,
  staleSeconds: number,
  now: Date,
): Promise<void> {
  const [heard] = await db.query<Heard[]>(
    'SELECT heard_at AS "heardAt", listed_at AS "listedAt" FROM inventory_partitions WHERE partition = $1',
    [partition],
  );
  const refuse = (why: string): never => {
    throw new InventoryUnknown('inventory', `${why}; nothing is evicted by it`);
  };
  if (heard === undefined) {
    refuse(
      `nothing was reported of the partition ${partition} yet: its scheduler has to send InventoryListed`,
    );
  } else if (heard.listedAt === null) {
    refuse(
      `the partition ${partition} was never listed whole: its scheduler has to send all pages of InventoryListed`,
    );
  } else if (now.getTime() - heard.heardAt.getTime() > staleSeconds * 1000) {
    refuse(
      `the scheduler of the partition ${partition} was last heard of at ${heard.heardAt.toISOString()} by its clock, ` +
        `longer than ${staleSeconds} s ago: it has to send InventoryConfirmed while nothing happens`,
    );
  }
}
