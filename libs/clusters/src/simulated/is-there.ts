import { momentOf } from '../tables/moment.js';

/**
 * SQL that is true for an allocation that is not gone at a moment, whether its row was swept or not.
 *
 * @param moment the parameter that holds it, null for now (`momentOf`).
 * @param table the alias of the allocations, if more than one table has such a column.
 */
export function isThere(moment: `$${number}`, table?: string): string {
  const goneAt = table === undefined ? 'gone_at' : `${table}.gone_at`;
  return `(${goneAt} IS NULL OR ${goneAt} > ${momentOf(moment)})`;
}
