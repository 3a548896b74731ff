import type { Resources } from '#contracts';
import { chain, Usage } from '../../audit/usage.js';
import type { Stage } from '../stage.js';

/**
 * Has so much work end by itself that queues come down to their guaranteed amounts, and not below: an executor that evicts more there
 * does not know of it.
 *
 * @param isOpen leaves in which work may end; default all.
 */
export async function endWhatMayGo(stage: Stage, isOpen = (_queue: string) => true): Promise<void> {
  const rows = await stage.ask<{ path: string; guaranteed: Resources }>(
    'SELECT path, guaranteed FROM queues WHERE guaranteed IS NOT NULL',
  );
  const floors = new Map(rows.map(({ path, guaranteed }) => [path, guaranteed]));
  const { platform } = stage;
  const usage = new Usage(platform.ledger.staying());
  const ending = platform.ledger.staying().filter((one) => {
    const limited = chain(one.queue).filter((path) => floors.has(path));
    const mayGo = limited.every((path) =>
      Object.entries(floors.get(path)!).every(
        ([type, floor]) => usage.of(path, type) - (one.resources[type] ?? 0) >= floor,
      ),
    );
    if (limited.length === 0 || !mayGo || !isOpen(one.queue)) return false;
    usage.remove(one);
    return true;
  });
  if (ending.length === 0)
    throw new Error('no work can end without leaving a queue below its guaranteed amount');
  await platform.depart(ending);
}
