import { roleOf, type YunikornApplication } from '../../yunikorn/answers.js';
import type { Place } from '../queue-source.js';

interface Seat {
  place: Place;
  /** The same text, the same place. */
  text: string;
}

/**
 * Where YuniKorn has put each pod, by uid. What it said once of a pod holds as long as the pod is there: right after its start YuniKorn
 * knows a part of the pods only, and none is taken for gone because of that. Whether a pod is there says Kubernetes alone.
 */
export class Places {
  private readonly seats = new Map<string, Seat>();

  get(uid: string): Place | undefined {
    return this.seats.get(uid)?.place;
  }

  get size(): number {
    return this.seats.size;
  }

  /**
   * Takes in what YuniKorn says of all partitions together.
   *
   * @param isThere whether a pod of this uid still is; of others nothing is kept.
   * @returns the uids of pods that stand elsewhere than before.
   */
  take(
    partitions: ReadonlyMap<string, readonly YunikornApplication[]>,
    isThere: (uid: string) => boolean,
  ): string[] {
    const moved: string[] = [];
    const named = new Set<string>();
    for (const [partition, applications] of partitions) {
      for (const one of applications) {
        const { id, queue, user, submittedAt } = one;
        const application = { id, submittedAt, ...(user !== undefined && { user }) };
        const base = { partition, queue, application };
        const prefix = JSON.stringify([partition, queue, id, submittedAt, user]);
        for (const allocation of [...one.allocations, ...one.requests]) {
          const { uid, node } = allocation;
          named.add(uid);
          const role = roleOf(allocation);
          const text = `${prefix} ${role} ${node}`;
          if (this.seats.get(uid)?.text === text) continue;
          const place = { ...base, ...(role && { role }), ...(node !== undefined && { node }) };
          this.seats.set(uid, { place, text });
          moved.push(uid);
        }
      }
    }
    for (const uid of this.seats.keys()) {
      if (!named.has(uid) && !isThere(uid)) this.seats.delete(uid);
    }
    return moved;
  }
}
