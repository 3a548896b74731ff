import { expect, it } from '@jest/globals';
import { stepsOf } from './steps.js';

const event = (position: number, name: string, stream: string, data: unknown = {}) => ({
  ...{ position: String(position), time: `2026-01-01T00:00:0${position}Z`, name, stream, data },
});

it('makes steps of the events of a run, and counts those of its victims', () => {
  const events = [
    event(7, 'EnforcementEnded', 'execution-r1'),
    event(6, 'VictimEvicted', 'execution-r1'),
    event(5, 'VictimOrdered', 'execution-r1'),
    event(4, 'VictimOrdered', 'execution-r1'),
    event(3, 'PlanComputed', 'plan-r1'),
    event(2, 'PlanComputed', 'plan-r0'),
    event(1, 'EnforcementStarted', 'schedule-default/root.a', { enforcement: 'r1' }),
  ];
  expect(stepsOf(events, 'r1')).toEqual([
    { position: '1', time: '2026-01-01T00:00:01Z', text: 'Enforcement started' },
    { position: '3', time: '2026-01-01T00:00:03Z', text: 'Plan computed' },
    { position: '4', time: '2026-01-01T00:00:04Z', text: 'Victim ordered × 2, Victim evicted' },
    { position: '7', time: '2026-01-01T00:00:07Z', text: 'Enforcement ended' },
  ]);
});
