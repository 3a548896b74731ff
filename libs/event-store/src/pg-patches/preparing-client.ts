import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { WatchedClient, type WatchedConfig } from './watched-client.js';

/** More different statements than this are not kept ready: the server keeps them for each connection. */
const keptAtMost = 500;

const names = new Map<string, string>();

/** The server's message; nothing else is checked. */
const begun = { command: 'START', rows: [], rowCount: null };

/**
 * A connection that is sparing with the server and with round trips.
 *
 * - The server parses and plans a statement once, and not each time: most of what is asked here is asked a hundred times a
 *   second and answered from one or two rows, so that planning costs more than the answer. The server plans again when the
 *   statistics of a table change.
 * - Statements need not wait for the answers of those before (pipelining), and what is asked at the same time goes out with one
 *   write: writing to the socket is a third of what a process with much to do takes.
 * - The start of a transaction goes out with its first statement, which fails if it does.
 */
export class PreparingClient extends WatchedClient {
  private isGathering = false;

  constructor(config?: string | WatchedConfig) {
    super(typeof config === 'object' ? { ...config, pipeline: true } : config);
    const query = this.query.bind(this) as (...words: unknown[]) => unknown;
    this.query = ((text: unknown, values: unknown, ...rest: unknown[]) => {
      this.gather();
      if (text === 'START TRANSACTION') {
        // The next statements must not be carried out without it: statement by statement, for good.
        Promise.resolve(query(text)).catch(() => this.cut('a transaction could not be started'));
        return Promise.resolve(begun);
      }
      const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : undefined;
      return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest);
    }) as typeof this.query;
  }

  /** Nothing is sent before all statements of this turn have been asked for. */
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

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= keptAtMost) return known;
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  names.set(text, name);
  return name;
}
