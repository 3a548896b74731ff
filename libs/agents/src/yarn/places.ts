import type { YarnQueue } from './answers.js';

/**
 * The queue of Curtail that a queue of YARN counts in, in lower case: itself, or, since queues that YARN has made by itself are in no
 * configuration, the nearest one above that is configured.
 */
export class ApplicationQueues {
  private readonly configured = new Set<string>();
  private readonly byName = new Map<string, string | undefined>();

  constructor(queues: readonly YarnQueue[]) {
    for (const { path, isAutoCreated } of queues) {
      const lower = path.toLowerCase();
      if (!isAutoCreated) this.configured.add(lower);
      const name = lower.slice(lower.lastIndexOf('.') + 1);
      // Older managers name a leaf alone; a name that occurs twice means none.
      this.byName.set(name, this.byName.has(name) ? undefined : lower);
    }
  }

  of(written: string): string {
    const lower = written.toLowerCase();
    let path = lower === 'root' || lower.startsWith('root.') ? lower : (this.byName.get(lower) ?? 'root');
    while (path !== 'root' && !this.configured.has(path)) path = path.slice(0, path.lastIndexOf('.'));
    return path;
  }
}
