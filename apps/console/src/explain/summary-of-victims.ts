import type { VictimSummary } from '@curtail/contracts/api';
import { wordsOfRule } from '@curtail/planning/words';
import type { DataSource } from 'typeorm';

const shown = 10;

const groupings = {
  rules: 'rule',
  states: 'state',
  queues: 'queue',
  owners: 'owner',
  applications: 'application',
} as const;

/** The victims of a run in groups, without reading them into this process: there may be a hundred thousand. */
export async function summaryOfVictims(db: DataSource, enforcement: string): Promise<VictimSummary> {
  const groups = Object.entries(groupings).map(
    ([kind, by]) => `
      SELECT '${kind}' AS kind, count(*)::int AS count,
             (array_agg(json_build_object('name', name, 'victims', victims) ORDER BY victims DESC, name))[1:${shown}] AS first
      FROM (SELECT ${by} AS name, count(*)::int AS victims FROM victims GROUP BY 1) ${kind} WHERE name IS NOT NULL`,
  );
  const rows = await db.query<
    ({ kind: keyof VictimSummary } & {
      count: number;
      first: VictimSummary['rules']['first'] | null;
    })[]
  >(
    `WITH victims AS NOT MATERIALIZED (SELECT rule, state, queue, owner, application FROM read_victims WHERE enforcement = $1)
       ${groups.join(' UNION ALL ')}`,
    [enforcement],
  );
  const of = (kind: keyof VictimSummary) => {
    const row = rows.find((each) => each.kind === kind);
    return { count: row?.count ?? 0, first: row?.first ?? [] };
  };
  const rules = of('rules');
  const inWords = rules.first.map(({ name, victims }) => ({ name: wordsOfRule(name), victims }));
  return {
    rules: { ...rules, first: inWords },
    states: of('states'),
    queues: of('queues'),
    owners: of('owners'),
    applications: of('applications'),
  };
}
