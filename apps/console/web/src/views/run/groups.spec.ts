import { expect, it } from '@jest/globals';
import { byNode, groupsOf } from './groups.js';

const list = (count: number, ...first: { name: string; victims: number; code?: string }[]) => ({
  count,
  first,
});
const summary = {
  rules: list(1, { name: 'younger goes first', code: 'younger', victims: 5 }),
  states: list(0),
  queues: list(2, { name: 'root.a', victims: 3 }, { name: 'root.b', victims: 2 }),
  owners: list(1, { name: 'ann', victims: 4 }),
  applications: list(9, { name: 'job', victims: 2 }),
};
const numbers = (by: 'owner' | 'application' | 'queue' | 'rule') => {
  const { groups, more } = groupsOf(summary, by, 5);
  return { groups: groups.map(({ name, victims, selection }) => [name, victims, selection]), more };
};

it('has the groups of the server, by which their victims are asked for', () => {
  expect(numbers('queue')).toEqual({
    groups: [
      ['root.a', 3, { queue: 'root.a' }],
      ['root.b', 2, { queue: 'root.b' }],
    ],
    more: undefined,
  });
  expect(numbers('rule').groups).toEqual([['younger goes first', 5, { rule: 'younger' }]]);
});

it('counts victims that are in no group, and those of groups that are not listed', () => {
  expect(numbers('owner').groups).toEqual([
    ['ann', 4, { owner: 'ann' }],
    ['owner not known', 1, { owner: '' }],
  ]);
  expect(numbers('application').more).toEqual({ groups: 8, victims: 3 });
});

it('groups by node what is at hand', () => {
  const victims = [{ node: 'n1' }, {}, { node: 'n2' }, { node: 'n2' }];
  expect([...byNode(victims)].map(([name, of]) => [name, of.length])).toEqual([
    ['n2', 2],
    ['n1', 1],
    ['node not recorded', 1],
  ]);
});
