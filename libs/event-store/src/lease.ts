/*
 * A lease is a promise to look after a row: who has it writes into the row until when, by the clock of the database, and renews that in time.
 * Once the time is over, others may take the row. This is the SQL of the times, for all tables with leases.
 *
 * Whose a lease is, each table says in its own way, so the rest of its statements stands with its owner: `relays` and `subscriptions` name a
 * process; `executions` name one and count how often its process has ended; `schedules` and `rounds` name a run and its fencing token, and
 * those who carry the run on renew the lease together with all others that they have.
 */

/** When a lease ends that is taken or renewed now. @param milliseconds what holds its length, such as `$3`. */
export const leaseUntil = (milliseconds: `$${number}`) =>
  `now() + make_interval(secs => ${milliseconds}::float8 / 1000)`;

/** Whether others may take what was leased until then; null: nobody has it. @param until the column, such as `relays.lease_until`. */
export const isLeaseOver = (until: string) => `(${until} IS NULL OR ${until} <= now())`;
