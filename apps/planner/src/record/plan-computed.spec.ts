import { expect, it } from '@jest/globals';
import type { ClusterSnapshot, Plan } from '#contracts';
import { ownersOf } from './plan-computed.js';

const application = (id: string, user?: string) => ({
  id,
  queue: 'root.a',
  ...(user === undefined ? {} : { user }),
});
const planOf = (...applications: string[]) =>
  ({ victims: applications.map((of) => ({ application: of })) }) as unknown as Plan;

it('lists the owners of victims with their applications, and no other users', () => {
  const snapshot = {
    applications: [
      application('etl', 'ann'),
      application('__proto__', 'ben'),
      application('web', 'ann'),
      application('idle', 'cem'),
      application('nameless'),
    ],
  } as unknown as ClusterSnapshot;
  expect(ownersOf(snapshot, planOf('web', 'etl', 'web', '__proto__', 'nameless'))).toEqual([
    { user: 'ann', applications: ['etl', 'web'] },
    { user: 'ben', applications: ['__proto__'] },
  ]);
  expect(ownersOf(snapshot, planOf('nameless'))).toBeUndefined();
  expect(ownersOf(snapshot, planOf())).toBeUndefined();
});
