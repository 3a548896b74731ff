/**
 * SQL of the moment that a statement is about, in milliseconds: the parameter, or where that is null the time of the database when
 * the statement came, which is the same for all processes.
 */
export const momentOf = (parameter: `$${number}`) =>
  `coalesce(${parameter}::timestamptz, date_trunc('milliseconds', statement_timestamp()))`;
