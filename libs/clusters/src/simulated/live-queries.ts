import { usageParts } from '../tables/usage-rows.js';
import { isThere } from './is-there.js';

/* $1 partition, $2 id, $3 moment or null. */

/** An allocation is in the queue of its application: so the index by queue and application finds it. */
export const APPLICATION_QUERY = `
  SELECT id, queue, "user", priority, submitted_at, pending, properties, gang,
         ${usageParts(
           'simulated_allocations',
           `queue = app.queue AND application = app.id AND ${isThere('$3')}`,
         )} AS parts
  FROM simulated_applications app WHERE partition = $1 AND id = $2`;

export const NODE_QUERY = `
  SELECT id, capacity, labels,
         ${usageParts('simulated_allocations', `node = $2 AND ${isThere('$3')}`)} AS parts
  FROM simulated_nodes WHERE partition = $1 AND id = $2`;
