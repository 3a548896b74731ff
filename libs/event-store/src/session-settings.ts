/**
 * Settings of a session that change what a text or a statement means, or that end statements. A database or a role may have any defaults for them:
 * with another DateStyle, for example, the driver would read times as null, or swap day and month.
 *
 * What only concerns how fast, where or how safely the server stores stays as its administrator has chosen: `synchronous_commit` has a warning of
 * its own (`durabilityWarnings`), and a database that is read-only by default is so on purpose.
 */
export const ofEachSession = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  xmlbinary: 'base64',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  search_path: 'public',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
} as const;

/** Each pool sets its own limits; where it has none, none holds. The settings of a connection go before these options. */
const limits = { statement_timeout: '0', lock_timeout: '0' };

/**
 * The address of a database with the settings of every session, as options of the connection: nothing reaches the server before them. Options that
 * the address has already stay, but for these settings: only a schema may be chosen there (`?options=-c search_path=curtail`).
 *
 * @param url `postgres://user:password@host:port/database`
 * @param more settings of this connection, which go before all others
 */
export function withSession(url: string, more: Readonly<Record<string, string>> = {}): string {
  const [address, query = ''] = url.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const own = parameters.get('options') ?? '';
  const set: Record<string, string> = { ...ofEachSession, ...limits, ...more };
  if (choosesSchema(own) && more.search_path === undefined) delete set.search_path;
  const options = Object.entries(set).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, '\\$&')}`,
  );
  parameters.set('options', [own, ...options].filter((some) => some !== '').join(' '));
  return `${address}?${parameters.toString().replaceAll('+', '%20')}`;
}

const choosesSchema = (options: string): boolean => /\bsearch_path\s*=/.test(options);
