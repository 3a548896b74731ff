import type { Tx } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/** How long rounds of fair-share do not select a victim again that an operator turned down or the cluster refused to evict. */
const leftAloneMinutes = 10;

export interface LeftAlone {
  /** An operator turned down that they lose anything. */
  applications: string[];
  /** The cluster refused to evict them. */
  allocations: string[];
}

/** Leaves them alone for a while, in the transaction that records why. */
export async function leaveAlone(
  tx: Tx,
  partition: string,
  { applications, allocations }: LeftAlone,
): Promise<void> {
  const names = [
    ...applications.map((name) => ['application', name] as const),
    ...allocations.map((name) => ['allocation', name] as const),
  ];
  if (names.length === 0) return;
  await tx.query('DELETE FROM left_alone WHERE until < now()');
  await tx.query(
    `INSERT INTO left_alone (partition, kind, name, until)
     SELECT DISTINCT $1, kind, name, now() + make_interval(mins => $4)
     FROM unnest($2::text[], $3::text[]) AS told (kind, name) ORDER BY 2, 3
     ON CONFLICT (partition, kind, name) DO UPDATE SET until = excluded.until`,
    [partition, names.map(([kind]) => kind), names.map(([, name]) => name), leftAloneMinutes],
  );
}

/** Who is left alone now. */
export async function readLeftAlone(db: DataSource, partition: string): Promise<LeftAlone> {
  const rows: { kind: string; name: string }[] = await db.query(
    'SELECT kind, name FROM left_alone WHERE partition = $1 AND until >= now() ORDER BY kind, name',
    [partition],
  );
  const of = (wanted: string) => rows.flatMap(({ kind, name }) => (kind === wanted ? [name] : []));
  return { applications: of('application'), allocations: of('allocation') };
}
