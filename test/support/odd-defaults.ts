import { query } from './query.js';

/** Defaults of a database that each change what texts or statements mean, or end statements. */
const ofDatabase = {
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Pacific/Auckland',
  standard_conforming_strings: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-10',
  array_nulls: 'off',
  transform_null_equals: 'on',
  xmlbinary: 'hex',
  search_path: 'nowhere',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  statement_timeout: '5ms',
  lock_timeout: '5ms',
  client_encoding: 'LATIN1',
};

/** The same of the role in this database, which go before those of the database. */
const ofRole = { DateStyle: 'German, DMY', TimeZone: 'Asia/Kolkata', quote_all_identifiers: 'on' };

/** From the next connection on, everything about this database that may be odd is. */
export async function giveOddDefaults(url: string): Promise<void> {
  const { pathname, username } = new URL(url);
  const database = pathname.slice(1);
  const literal = (value: string) => `'${value}'`;
  // search_path is a list of names.
  const set = (of: object, what: string) =>
    Object.entries(of).map(
      ([name, value]) => `${what} SET ${name} = ${name === 'search_path' ? value : literal(value)}`,
    );
  const statements = [
    ...set(ofRole, `ALTER ROLE ${decodeURIComponent(username)} IN DATABASE ${database}`),
    ...set(ofDatabase, `ALTER DATABASE ${database}`),
  ];
  // In one connection, whose own settings stay as they are.
  await query(url, statements.join('; '));
}
