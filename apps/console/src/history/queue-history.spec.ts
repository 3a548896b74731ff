import { expect, it } from '@jest/globals';
import { type RecordedEvictions, usageInHistory } from './queue-history.js';

const at = (second: number) => new Date(second * 1000).toISOString();
const text = (points: ReturnType<typeof usageInHistory>) =>
  points.map(({ at: time, amounts }) => `${Date.parse(time) / 1000} s: ${amounts.memory}`);

it('takes what a run evicts from the usage of its plan, by time', () => {
  const plans = [
    { enforcement: 'e-2', at: at(20), usage: { memory: 90 } },
    { enforcement: 'e-1', at: at(10), usage: { memory: 100 } },
  ];
  const evicted: RecordedEvictions[] = [
    { enforcement: 'e-1', at: at(12), amounts: { memory: 10 } },
    { enforcement: 'e-1', at: at(14), amounts: { memory: 20, gpu: 1 } },
    { enforcement: 'e-2', at: at(21), amounts: { memory: 95 } },
  ];
  expect(text(usageInHistory(plans, evicted, []))).toEqual([
    '10 s: 100',
    '12 s: 90',
    '14 s: 70',
    '20 s: 90',
    '21 s: 0',
  ]);
});

it('leaves out evictions of a run without a plan, and adds what was found otherwise', () => {
  const evicted = [{ enforcement: 'e-0', at: at(5), amounts: { memory: 10 } }];
  expect(text(usageInHistory([], evicted, [{ at: at(7), usage: { memory: 8 } }]))).toEqual(['7 s: 8']);
});
