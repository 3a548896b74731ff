import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import pg from 'pg';
import { WatchedClient, type WatchedConfig } from './watched-client.js';

/** More statements than this are not prepared: the server keeps prepared statements for each connection. */
const keptAtMost = 500;

const names = new Map<string, string>();

/** The server's message; nothing else is checked. */
const begun = { command: 'START', rows: [], rowCount: null };

/** What the types of the driver do not declare: how it writes a value, and copies what it was given to send. */
const { utils } = pg as unknown as {
  utils: {
    prepareValue(value: unknown): unknown;
    normalizeQueryConfig(given: unknown, ...rest: unknown[]): unknown;
  };
};
const { prepareValue, normalizeQueryConfig } = utils;

/** A statement of this client alone: the driver does not have to copy it. */
class Statement {
  callback: unknown;

  constructor(
    readonly name: string,
    readonly text: string,
    readonly values: unknown[],
  ) {}
}

utils.normalizeQueryConfig = (given, ...rest) =>
  given instanceof Statement && rest.every((one) => one === undefined)
    ? given
    : normalizeQueryConfig(given, ...rest);

/** What the server answers to a commit: ROLLBACK if a statement of the transaction has failed. */
interface Ended {
  command: string;
}

/**
 * A connection that saves work of the server and round trips.
 *
 * - The server parses and plans a statement once, not each time: most statements run a hundred times a second and
 *   return one or two rows, so that planning costs more than the answer. The server plans again when the statistics of
 *   a table change.
 * - Statements need not wait for the answers of those before (pipelining), and simultaneous statements share one write:
 *   writing to the socket is a third of the time of a busy process.
 * - The start of a transaction is sent with its first statement, which fails if the start fails.
 * - While a transaction is rolled back, its statements fail: something else than an answer may have held one up until then, and it
 *   would commit on its own.
 * - A statement may follow the commit of a transaction in the same write.
 * - A commit of a transaction in which a statement has failed is an error, even if the code caught that of the statement: the server rolls
 *   the transaction back, and says so in its answer only.
 */
export class PreparingClient extends WatchedClient {
  /** A statement that follows the commit of the current transaction, outside of it; a rollback drops it. Its failure is ignored. */
  afterCommit: (() => { text: string; values: unknown[] }) | undefined;
  private isGathering = false;
  private isRollingBack = false;

  constructor(config?: string | WatchedConfig) {
    super(typeof config === 'object' ? { ...config, pipeline: true } : config);
    const query = this.query.bind(this) as (...words: unknown[]) => unknown;
    const ask = (text: unknown, values?: unknown, ...rest: unknown[]) => {
      if (!Array.isArray(values)) return query(text, values, ...rest);
      const given = written(values);
      // Without a name: the driver closes a statement whose values it cannot write, but would take a named one for prepared.
      if (!given) return query(text, values, ...rest);
      const name = typeof text === 'string' ? nameOf(text) : undefined;
      if (name === undefined) return query(text, given, ...rest);
      return query(new Statement(name, text as string, given), ...rest);
    };
    this.query = ((text: unknown, values: unknown, ...rest: unknown[]) => {
      if (this.isRollingBack) return Promise.reject(new Error('the transaction was rolled back'));
      this.gather();
      if (text === 'START TRANSACTION') {
        // The next statements must not run without it, and would each commit at once.
        Promise.resolve(query(text)).catch(() => this.cut('a transaction could not be started'));
        return Promise.resolve(begun);
      }
      const answer = ask(text, values, ...rest);
      if (text === 'COMMIT') {
        const following = this.afterCommit?.();
        if (following) Promise.resolve(ask(following.text, following.values)).catch(() => {});
      }
      if (text === 'COMMIT' || text === 'ROLLBACK') this.afterCommit = undefined;
      if (text === 'ROLLBACK') this.refuseUntil(answer);
      return text === 'COMMIT' ? (answer as Promise<Ended>).then(unlessRolledBack) : answer;
    }) as typeof this.query;
  }

  /** The connection is given back as soon as the answer is there. */
  private refuseUntil(answer: unknown): void {
    this.isRollingBack = true;
    const over = () => {
      this.isRollingBack = false;
    };
    Promise.resolve(answer).then(over, over);
  }

  /** Nothing is sent before all statements of this turn of the event loop have been issued. */
  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    stream.cork();
    process.nextTick(() => {
      this.isGathering = false;
      stream.uncork();
    });
  }
}

/** The values as the server reads them; undefined where the driver cannot write one. */
function written(values: unknown[]): unknown[] | undefined {
  try {
    return withArrayTexts(values).map((value) => prepareValue(value));
  } catch {
    return undefined;
  }
}

function unlessRolledBack(ended: Ended): Ended {
  if (ended.command === 'COMMIT') return ended;
  throw new Error('the transaction was rolled back: one of its statements failed');
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= keptAtMost) return known;
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  names.set(text, name);
  return name;
}

/**
 * The parameters of a statement, with arrays of texts and whole numbers written as the server reads them: `JSON.stringify` takes a
 * third of the time of the driver. Other arrays are left to the driver.
 */
function withArrayTexts(values: unknown[]): unknown[] {
  return values.some(Array.isArray) ? values.map((value) => arrayText(value) ?? value) : values;
}

function arrayText(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every(isPlain)) return undefined;
  const json = JSON.stringify(value);
  return hasEscapesOfJson.test(json) ? undefined : `{${json.slice(1, -1)}}`;
}

/** Of the escapes of JSON, the server reads only those of quotation marks and backslashes. */
const hasEscapesOfJson = /\\[^"\\]/;

const isPlain = (value: unknown) =>
  typeof value === 'string' || value === null || Number.isSafeInteger(value);
