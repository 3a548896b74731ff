import type { EventData } from './events/catalog.js';

/** The users of victims as a plan records them, each with its applications. */
export type Owners = NonNullable<EventData<'PlanComputed'>['owners']>;

/** The user of each application of a plan's victims; none of an application without a user. */
export function usersByApplication(owners: Owners = []): ReadonlyMap<string, string> {
  return new Map(owners.flatMap(({ user, applications }) => applications.map((id) => [id, user] as const)));
}
