import { describe, expect, it } from '@jest/globals';
import { settingsOfPlans, settingsOfQueue } from './queue-settings.js';

const queues = [
  { path: 'root.a.b', properties: { 'curtail.fit': 'within' } },
  { path: 'root', properties: { 'curtail.miss': 5, other: 1 } },
  { path: 'root.a', properties: { 'curtail.miss': 0, 'curtail.fit': 'cover' } },
  { path: 'root.ab', properties: { 'curtail.miss': 50 } },
  { path: 'root.c', properties: null },
];

describe('the settings of a queue', () => {
  it.each([
    ['root', { miss: 5 }],
    ['root.a', { miss: 0, fit: 'cover' }],
    ['root.a.b', { miss: 0, fit: 'within' }],
    ['root.ab', { miss: 50 }],
    ['root.c', { miss: 5 }],
  ])('are those of the nearest queue that sets them: %s', (queue, expected) => {
    expect(settingsOfQueue(settingsOfPlans, { miss: 1, gangs: 'spare' }, queues, queue)).toEqual({
      gangs: 'spare',
      ...expected,
    });
  });

  it('are also those that protect victims', () => {
    const queues = [
      { path: 'root', properties: { 'curtail.gangs': 'ignore', 'curtail.ageFrom': 'checkpoint' } },
    ];
    expect(settingsOfQueue(settingsOfPlans, { gangs: 'spare' }, queues, 'root.a')).toEqual({
      gangs: 'ignore',
      ageFrom: 'checkpoint',
    });
  });

  it('are also the owner budgets, all of those of one queue', () => {
    const [user, queue] = ['user', 'queue'].map((per) => ({ per, victims: 3, seconds: 60 }));
    const queues = [
      { path: 'root', properties: { 'curtail.ownerBudgets': [user, queue] } },
      { path: 'root.a', properties: { 'curtail.ownerBudgets': [queue] } },
      { path: 'root.a.b', properties: { 'curtail.ownerBudgets': [] } },
    ];
    const found = ['root.c', 'root.a', 'root.a.b'].map(
      (of) => settingsOfQueue(settingsOfPlans, { ownerBudgets: null }, queues, of).ownerBudgets,
    );
    expect(found).toEqual([[user, queue], [queue], []]);
  });

  it('are those of the installation where no queue sets them', () => {
    expect(
      settingsOfQueue(settingsOfPlans, { miss: 7 }, [{ path: 'root' }, { path: 'root.a' }], 'root.a'),
    ).toEqual({
      miss: 7,
    });
    expect(settingsOfQueue(settingsOfPlans, { miss: 7 }, queues.slice(2), 'root.a')).toEqual({
      miss: 0,
      fit: 'cover',
    });
  });
});
