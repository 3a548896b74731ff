import type { FoundVictim } from '#api-client';
import { agoText, clockText, withClockTimes } from '../output/time.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

/** What runs chose of an application or a user: what owners look for whose work is gone. docs/reference/cli.md */
export const victims: ResourceKind<FoundVictim> = {
  kind: 'victim',
  plural: 'victims',
  list: listedAt('/v1/victims', 'partition', 'user', 'application', 'limit'),
  needsOneOf: ['user', 'application'],
  dated: false,
  nameOf: ({ allocation }) => allocation,
  columns: [
    { title: 'CHANGED', holds: 'times', cell: ({ at }, now) => agoText(at, now) },
    { title: 'AT', wide: true, cell: ({ at }) => clockText(at) },
    { title: 'ALLOCATION', holds: 'ids', cell: ({ allocation }) => allocation },
    { title: 'APPLICATION', holds: 'paths', cell: ({ application }) => application },
    { title: 'USER', holds: 'paths', cell: ({ owner }) => owner ?? '-' },
    { title: 'QUEUE', holds: 'paths', cell: ({ queue }) => queue },
    { title: 'STATE', cell: ({ state }) => state },
    { title: 'ENFORCEMENT', holds: 'ids', cell: ({ enforcement }) => enforcement },
    { title: 'WHY', wraps: 'words', under: true, cell: ({ reason }) => withClockTimes(reason) },
  ],
  empty: 'no victims',
  next: ([first], place) =>
    first && `see the rules and the numbers of one: curtail explain allocation ${first.allocation}${place}`,
};
