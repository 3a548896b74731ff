import { createHash } from 'node:crypto';
import { WatchedClient, type WatchedConfig } from './watched-client.js';

/** More different statements than this are not kept ready: the server keeps them for each connection. */
const keptAtMost = 500;

const names = new Map<string, string>();

/**
 * A connection that has the server parse and plan a statement once, and not each time: most of what is asked here is asked a
 * hundred times a second and answered from one or two rows, so that planning costs more than the answer. The server plans
 * anew when the statistics of a table change.
 */
export class PreparingClient extends WatchedClient {
  constructor(config?: string | WatchedConfig) {
    super(config);
    const query = this.query.bind(this) as (...words: unknown[]) => unknown;
    this.query = ((text: unknown, values: unknown, ...rest: unknown[]) => {
      const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : undefined;
      return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest);
    }) as typeof this.query;
  }
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= keptAtMost) return known;
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  names.set(text, name);
  return name;
}
