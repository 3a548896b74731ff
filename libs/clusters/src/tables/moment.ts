/**
 * SQL of the moment that a statement is about, in milliseconds: the parameter or, if that is null, the database's start time of the
 * statement, which is the same clock for all processes.
 */
export const momentOf = (parameter: `$${number}`) =>
  `coalesce(${parameter}::timestamptz, date_trunc('milliseconds', statement_timestamp()))`;
