import type { SnapshotAllocation } from '#contracts';
import { type AllocationRow, type SharedParts, toAllocation } from './rows.js';

type Column = keyof AllocationRow;

/** Texts, as JSON: they may hold any character. */
const listed = ['id', 'uid', 'application', 'queue', 'node'] as const;
/** Everything else in one text for each column, in which absent values are empty. The text of a JSON value has no line break. */
const joined: Record<Exclude<Column, (typeof listed)[number]>, string> = {
  resources: 'resources::text',
  priority: 'priority::text',
  role: 'role',
  state: 'state',
  allow_preemption: 'allow_preemption::text',
  protected: 'protected::text',
  interruptible: 'interruptible::text',
  started_at_ms: "(date_part('epoch', started_at) * 1000)::text",
  last_job_started_at_ms: "(date_part('epoch', last_job_started_at) * 1000)::text",
  checkpointed_at_ms: "(date_part('epoch', checkpointed_at) * 1000)::text",
  budgets: 'budgets::text',
};
const columns = [
  ...listed.map((name) => `json_agg(${name}) AS ${name}`),
  ...Object.entries(joined).map(([name, text]) => `string_agg(coalesce(${text}, ''), E'\\n') AS ${name}`),
].join(', ');
const read = [
  ...listed,
  ...['resources', 'priority', 'role', 'state', 'allow_preemption', 'protected', 'interruptible'],
  ...['started_at', 'last_job_started_at', 'checkpointed_at', 'budgets'],
].join(', ');

/** A page of allocations as columns; null in all of them where there are no rows. */
export type AllocationPage = Record<Exclude<(typeof listed)[number], 'node'>, string[] | null> & {
  node: (string | null)[] | null;
} & Record<keyof typeof joined, string | null>;

/**
 * A query of one page of allocations in the order of their ids, as one row of `AllocationPage`. For many of them the driver takes
 * less time than for a row of each, and the server more.
 *
 * @param from table and condition: `FROM … WHERE …`.
 * @param after parameter: the id behind which the page begins.
 * @param limit parameter: the number of allocations.
 */
export function pageOfAllocations(from: string, after: `$${number}`, limit: `$${number}`): string {
  return `SELECT ${columns} FROM (SELECT ${read} ${from} AND id > ${after} ORDER BY id LIMIT ${limit}) AS page`;
}

/** The ids of all allocations, and of those that have changed, both in their order; null where there are none. */
export interface Listing {
  ids: string[] | null;
  changed: string[] | null;
}

/**
 * A query of the `Listing`. It goes through the allocations once.
 *
 * @param from as above.
 * @param before parameter: a transaction, modulo 2^32. Allocations of older ones have not changed.
 */
export function changesSince(from: string, before: `$${number}`): string {
  return `
    SELECT json_agg(id) AS ids, json_agg(id) FILTER (WHERE changed) AS changed
    FROM (SELECT id, age(xmin) <= age(${before}::text::xid) AS changed ${from} ORDER BY id) AS listed`;
}

/**
 * A query of allocations by their ids, in the order of these, as one row of `AllocationPage`.
 *
 * @param from as above.
 * @param ids parameter: the ids.
 */
export function allocationsById(from: string, ids: `$${number}`): string {
  return `SELECT ${columns} FROM (SELECT ${read} ${from} AND id = ANY (${ids}::text[]) ORDER BY id) AS page`;
}

/** Adds the allocations of a page, which keep what they have in common with others once. */
export function addAllocations(
  page: AllocationPage,
  shared: SharedParts,
  allocations: SnapshotAllocation[],
): void {
  const { id: ids, uid, application, queue, node } = page;
  if (!ids || !uid || !application || !queue || !node) return;
  const values = (column: keyof typeof joined) => (page[column] ?? '').split('\n');
  const resources = values('resources');
  const priority = values('priority');
  const role = values('role');
  const state = values('state');
  const allowPreemption = values('allow_preemption');
  const isProtected = values('protected');
  const interruptible = values('interruptible');
  const startedAt = values('started_at_ms');
  const lastJobStartedAt = values('last_job_started_at_ms');
  const checkpointedAt = values('checkpointed_at_ms');
  const budgets = values('budgets');
  for (let i = 0; i < ids.length; i++) {
    const row: AllocationRow = {
      id: ids[i]!,
      uid: uid[i]!,
      application: application[i]!,
      queue: queue[i]!,
      node: node[i]!,
      resources: resources[i]!,
      priority: numberOf(priority[i]!),
      role: role[i] as AllocationRow['role'],
      state: state[i] as AllocationRow['state'],
      allow_preemption: flagOf(allowPreemption[i]!) as boolean,
      protected: flagOf(isProtected[i]!),
      interruptible: flagOf(interruptible[i]!),
      started_at_ms: Number(startedAt[i]),
      last_job_started_at_ms: numberOf(lastJobStartedAt[i]!),
      checkpointed_at_ms: numberOf(checkpointedAt[i]!),
      budgets: budgets[i] === '' ? null : budgets[i]!,
    };
    allocations.push(toAllocation(row, shared));
  }
}

const numberOf = (text: string) => (text === '' ? null : Number(text));
const flagOf = (text: string) => (text === '' ? null : text === 'true');
