import { roleOf, type YunikornApplication } from '../../yunikorn/answers.js';
import type { FieldOfObject } from '../queue-source.js';

interface Seat {
  place: FieldOfObject;
  /** Identifies the place: equal texts mean equal places. */
  text: string;
}

/**
 * The places of pods in YuniKorn, by uid. A place holds as long as the pod exists: right after its start YuniKorn knows only some of
 * the pods, and the others must not seem gone. Only Kubernetes decides whether a pod exists.
 */
export class QueuePlaces {
  private readonly seats = new Map<string, Seat>();

  get(uid: string): FieldOfObject | undefined {
    return this.seats.get(uid)?.place;
  }

  get size(): number {
    return this.seats.size;
  }

  /**
   * Records YuniKorn's applications of all partitions together.
   *
   * @param isThere whether a pod of this uid still exists; places of others are dropped.
   * @returns the uids of pods whose places have changed.
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
