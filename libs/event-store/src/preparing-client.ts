import { createHash } from 'node:crypto';
import pg from 'pg';

/** More different statements than this are not kept ready: the server keeps them for each connection. */
const keptAtMost = 500;

const names = new Map<string, string>();

/**
 * A connection that has the server parse and plan a statement once, and not each time: most of what is asked here is asked a
 * hundred times a second and answered from one or two rows, so that planning costs more than the answer. The server plans
 * anew when the statistics of a table change.
 */
export class PreparingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // The pool and TypeORM listen too, but not in the moment in which one hands the connection to the other: a server that ends
    // right then would end the process. Who waits for an answer is told anyway.
    this.on('error', () => {});
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
