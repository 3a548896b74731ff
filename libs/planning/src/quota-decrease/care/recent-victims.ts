import { InputError, shown } from '#contracts';
import { arrayAt, isAbsent, nameAt, objectAt } from '../../fields.js';
import type { Snapshot } from '../../snapshot/columns.js';
import { instantAt } from './checkpoint-column.js';

/** Victims of earlier plans, one a place. */
export interface RecentVictims {
  /** '' = the user without a name. */
  readonly user: readonly string[];
  readonly application: readonly string[];
  readonly queue: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: Float64Array;
}

export function readRecentVictims({ recentVictims }: Snapshot): RecentVictims | null {
  if (isAbsent(recentVictims)) return null;
  const user: string[] = [];
  const application: string[] = [];
  const queue: string[] = [];
  const at: number[] = [];
  arrayAt(recentVictims, 'recentVictims').forEach((value, i) => {
    const path = `recentVictims[${i}]`;
    const victim = objectAt(value, path);
    const given = victim.user ?? '';
    if (typeof given !== 'string') {
      throw new InputError(`${path}.user`, `must be a string, found ${shown(given)}`);
    }
    user.push(given);
    application.push(nameAt(victim.application, `${path}.application`));
    queue.push(nameAt(victim.queue, `${path}.queue`));
    at.push(instantAt(victim.at, `${path}.at`));
  });
  return at.length === 0 ? null : { user, application, queue, at: Float64Array.from(at) };
}
