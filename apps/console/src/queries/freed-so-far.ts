import type { DataSource } from 'typeorm';
import type { Resources } from '#contracts';
import { otherIncarnation } from '#enforcement';

/**
 * What the victims of an open run have freed: those that were evicted or are gone, as the end of the run will count them.
 *
 * @returns null: nothing yet.
 */
export async function freedSoFar(
  db: Pick<DataSource, 'query'>,
  enforcement: string,
): Promise<Resources | null> {
  const [row] = await db.query<{ freed: Resources | null }[]>(
    // Victims that hold the same are one row, as of a large run most are.
    `SELECT json_object_agg(type, amount ORDER BY type) AS freed
     FROM (SELECT key AS type, sum(victims * value::numeric)::bigint AS amount
           FROM (SELECT resources::text AS held, count(*) AS victims FROM read_victims
                 WHERE enforcement = $1 AND (state = 'evicted' OR (state = 'gone' AND code IS DISTINCT FROM $2))
                 GROUP BY 1) alike, json_each_text(held::json) GROUP BY 1) amounts`,
    [enforcement, otherIncarnation],
  );
  return row?.freed ?? null;
}
