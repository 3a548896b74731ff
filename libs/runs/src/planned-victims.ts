import { createHash } from 'node:crypto';
import { type OwnerBudget, type Owners, type Resources, usersByApplication } from '@curtail/contracts';
import { typesOf } from '@curtail/contracts/events';
import type { Tx } from '@curtail/event-store';
import { PLANNED_TO_RECENT } from './recent-victims.js';

/** A run, and the allocations that it is to evict. */
interface PlannedVictims {
  enforcement: string;
  partition: string;
  /** `uid` of the incarnation, where the cluster distinguishes incarnations. */
  victims: readonly {
    allocation: string;
    uid?: string | undefined;
    application: string;
    queue: string;
    resources: Resources;
  }[];
  /** The users of their applications, as far as they are known. */
  owners: Owners | undefined;
  /** Those by which its plan counted the victims of owners; before it, the transaction has taken `turnOfOwnerBudgets`. */
  ownerBudgets?: readonly OwnerBudget[];
}

/** Two plans have counted the victims of owners alike if this is equal. A digest, since each planned victim has it. */
export function countedFor(budgets: readonly OwnerBudget[]): string {
  const text = JSON.stringify(budgets.map(({ per, victims, seconds }) => [per, victims, seconds]));
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * Until their run ends, or their outcome is recorded, these victims count as leaving for every reader (view
 * `leaving_victims`).
 *
 * @param areNew none of them is planned yet: the server then need not look for each of them.
 */
export async function addPlannedVictims(
  tx: Tx,
  runs: readonly PlannedVictims[],
  { areNew = false } = {},
): Promise<void> {
  const victims = runs.flatMap(({ victims }) => victims);
  if (victims.length === 0) return;
  // JSON, because an array takes this process ten times as long to write. Sorted by the key, because its index is then
  // written from one end to the other.
  await tx.query(
    `INSERT INTO planned_victims (enforcement, partition, allocation, uid, application, queue, owner, resources, counted_at, counted_for)
     SELECT ($1::text[])[run::int], ($2::text[])[run::int], allocation, uid, application, queue, owner, resources::jsonb,
            CASE WHEN ($3::text[])[run::int] IS NOT NULL THEN (SELECT clock_timestamp()) END, ($3::text[])[run::int]
     FROM ROWS FROM (${Array.from({ length: 7 }, (_, i) => `json_array_elements_text($${i + 4})`).join(', ')})
       AS victim (run, allocation, uid, application, queue, owner, resources)
     ORDER BY run::int, allocation COLLATE "C" ${areNew ? '' : 'ON CONFLICT DO NOTHING'}`,
    [
      runs.map(({ enforcement }) => enforcement),
      runs.map(({ partition }) => partition),
      runs.map(({ ownerBudgets = [] }) => (ownerBudgets.length > 0 ? countedFor(ownerBudgets) : null)),
      JSON.stringify(runs.flatMap(({ victims }, i) => victims.map(() => i + 1))),
      JSON.stringify(victims.map(({ allocation }) => allocation)),
      JSON.stringify(victims.map(({ uid }) => uid ?? null)),
      JSON.stringify(victims.map(({ application }) => application)),
      JSON.stringify(victims.map(({ queue }) => queue)),
      JSON.stringify(runs.flatMap(usersOf)),
      JSON.stringify(victims.map(({ resources }) => resources)),
    ],
  );
}

/** The user of each victim, or null. */
function usersOf({ victims, owners }: PlannedVictims): (string | null)[] {
  const users = usersByApplication(owners);
  return victims.map(({ application }) => users.get(application) ?? null);
}

/** These victims of a run stay after all. */
export async function dropPlannedVictims(tx: Tx, enforcement: string, allocations: string[]): Promise<void> {
  await tx.query('DELETE FROM planned_victims WHERE enforcement = $1 AND allocation = ANY ($2)', [
    enforcement,
    allocations,
  ]);
}

/**
 * These runs have lost their lock, and order nothing any more: their victims no longer count as leaving. Each of them that was ordered
 * becomes a recent victim, since its eviction may still be carried out.
 */
export async function dropVictimsOf(tx: Tx, enforcements: string[]): Promise<void> {
  await tx.query(`WITH ${PLANNED_TO_RECENT} AND e.type = ANY ($2::text[]) ON CONFLICT DO NOTHING`, [
    enforcements,
    typesOf('VictimOrdered'),
  ]);
}
