import type { NamedKind } from '#api-client';
import { CommandError } from '../terminal/errors.js';
import type { Client } from './client.js';
import { ServerError } from './server-error.js';

/** Names that are complete need no search. An allocation has the name that its platform gives it. */
const whole: Partial<Record<NamedKind, RegExp>> = {
  enforcement: /^[a-z]-[0-9a-z]{12}$/,
  replay: /^[a-z]-[0-9a-z]{12}$/,
  'dead-letter': /\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
};
const named = 5;

/**
 * The name that begins like this, if there is a single one: `e-fb4` for `e-fb44h2g4b0xk`. Without any it stays as it is, for the server to
 * answer.
 *
 * @param partition of allocations.
 * @throws CommandError with the first of them where several begin like this.
 */
export async function fullName(
  client: Client,
  kind: NamedKind,
  beginning: string,
  partition?: string,
  signal?: AbortSignal,
): Promise<string> {
  if (whole[kind]?.test(beginning)) return beginning;
  const items = await fullNamesLike(client, kind, beginning, partition, signal);
  if (items.length === 0 || items.includes(beginning)) return beginning;
  if (items.length === 1) return items[0]!;
  const more = items.length > named ? ', …' : '';
  throw new CommandError(
    `${beginning} is ambiguous: ${items.slice(0, named).join(', ')}${more}; write more of it`,
  );
}

/** The names that begin like this, in their order; none of something that cannot be the beginning of a name. */
export async function fullNamesLike(
  client: Client,
  kind: NamedKind,
  prefix: string,
  partition: string | undefined,
  signal: AbortSignal | undefined,
  limit = named + 1,
): Promise<string[]> {
  try {
    const { items } = await client.get('/v1/names/{kind}', {
      params: { path: { kind }, query: { prefix, partition, limit } },
      signal,
    });
    return items;
  } catch (error) {
    // Why it is refused is said when the server is asked for it.
    if (error instanceof ServerError && [400, 404].includes(error.problem.status ?? 0)) return [];
    throw error;
  }
}
