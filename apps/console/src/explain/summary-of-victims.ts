import type { DataSource } from 'typeorm';
import type { VictimSummary } from '#contracts/api';
import { wordsOfRule } from '#planning/words';

const groupings = {
  rules: 'rule',
  states: 'state',
  queues: 'queue',
  owners: 'owner',
  applications: 'application',
} as const;

/**
 * The victims of a run in groups, without reading them into this process: there may be a hundred thousand.
 *
 * @param shown how many groups of each kind are listed; all are counted.
 */
export async function summaryOfVictims(
  db: DataSource,
  enforcement: string,
  shown: number,
): Promise<VictimSummary> {
  const groups = Object.entries(groupings).map(
    ([kind, by]) => `
      SELECT '${kind}' AS kind, count(*)::int AS count,
             (array_agg(json_build_object('name', name, 'victims', victims, 'resources', coalesce(resources, '{}'))
                        ORDER BY victims DESC, name))[1:$2] AS first
      FROM (SELECT ${by} AS name, sum(victims)::int AS victims FROM victims GROUP BY 1) ${kind}
      LEFT JOIN (SELECT name, json_object_agg(type, amount ORDER BY type) AS resources
                 FROM (SELECT ${by} AS name, key AS type, sum(victims * value::numeric)::bigint AS amount
                       FROM victims, json_each_text(held::json) GROUP BY 1, 2) amounts GROUP BY 1) held USING (name)
      WHERE name IS NOT NULL`,
  );
  const rows = await db.query<
    ({ kind: keyof VictimSummary } & {
      count: number;
      first: VictimSummary['rules']['first'] | null;
    })[]
  >(
    // Victims that agree in all of this are one row: the amounts of work are often few.
    `WITH victims AS MATERIALIZED (
       SELECT rule, state, queue, owner, application, resources::text AS held, count(*)::int AS victims
       FROM read_victims WHERE enforcement = $1 GROUP BY 1, 2, 3, 4, 5, 6)
       ${groups.join(' UNION ALL ')}`,
    [enforcement, shown],
  );
  const of = (kind: keyof VictimSummary) => {
    const row = rows.find((each) => each.kind === kind);
    return { count: row?.count ?? 0, first: row?.first ?? [] };
  };
  const rules = of('rules');
  const inWords = rules.first.map((group) => ({ ...group, name: wordsOfRule(group.name), code: group.name }));
  return {
    rules: { ...rules, first: inWords },
    states: of('states'),
    queues: of('queues'),
    owners: of('owners'),
    applications: of('applications'),
  };
}
