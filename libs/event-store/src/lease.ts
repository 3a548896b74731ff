/*
 * A lease is a promise to process a row: its holder writes its expiry into the row, by the clock of the database, and
 * renews it in time. After the expiry, others may take the row. This is the SQL of the times, for all tables with
 * leases.
 *
 * Each table names the holder in its own way, so the other statements belong to its owner: `relays` and `subscriptions`
 * name a process; `runs` name one and count its crashes; `clocks` and `rounds` name a run and its fencing
 * token, and the process that carries the run out renews the lease together with all others that it has.
 */

/** The end of a lease that is taken or renewed now. @param milliseconds the SQL of its length, such as `$3`. */
export const leaseUntil = (milliseconds: `$${number}`) =>
  `now() + make_interval(secs => ${milliseconds}::float8 / 1000)`;

/** Whether others may take the leased row; null: it has no holder. @param until the column, such as `relays.lease_until`. */
export const isLeaseOver = (until: string) => `(${until} IS NULL OR ${until} <= now())`;
