import type { Resources } from '#contracts';

/** The usage of queues, by queue and resource type, inner queues with all that is below them. */
export class Usage {
  private readonly amounts = new Map<string, number>();

  constructor(allocations: Iterable<{ queue: string; resources: Resources }> = []) {
    for (const allocation of allocations) this.add(allocation);
  }

  of(queue: string, type: string): number {
    return this.amounts.get(`${queue} ${type}`) ?? 0;
  }

  add({ queue, resources }: { queue: string; resources: Resources }, sign: 1 | -1 = 1): void {
    for (const path of chain(queue)) {
      for (const [type, amount] of Object.entries(resources)) {
        this.amounts.set(`${path} ${type}`, this.of(path, type) + sign * amount);
      }
    }
  }

  remove(allocation: { queue: string; resources: Resources }): void {
    this.add(allocation, -1);
  }
}

/** A queue and all its ancestors, root first. */
export function chain(queue: string): string[] {
  const parts = queue.split('.');
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
}

export const isWithin = (queue: string, above: string) => queue === above || queue.startsWith(`${above}.`);
