import { describe, expect, it } from '@jest/globals';
import { ofPartition } from '#contracts';
import { control, planned, Run, summarize } from '../../testing/run-scenario.js';
import type { ChangeDecision } from './control.js';

const of = { partition: 'default', queue: 'root.a', enforcement: 'e1', by: 'ann' };
const ceiling = {
  code: 'ceiling-hour',
  message: 'More than 100 need approval.',
  about: ofPartition('default'),
};
const approved: ChangeDecision = { configuration: 12, approved: true, by: 'ann' };
const use = { hour: { victims: 99, resources: {} }, ofConfiguration: 0, clusterSize: {} };
const ceilings = { ceilingPerHour: 100, ceilingPerConfiguration: null, ceilingClusterPercent: null };
const waits = { kind: 'wait', for: 'approval' };

/** A run that has evicted one of three victims when the ceiling is reached. */
function held(): Run {
  const run = new Run(planned([20, 20, 20]));
  run.answer(run.order());
  run.control = { ...run.control, ceiling };
  const step = run.step();
  if (step.kind === 'append') run.append(step.events);
  run.control = { ...run.control, ceiling: undefined };
  return run;
}

describe('a run that would exceed a ceiling of its partition', () => {
  it('waits from its opening on, and says why', () => {
    const run = new Run(planned([20, 20]), null);
    const { data } = run.open({ ceilings: { ceilings, use } });
    expect(data).toMatchObject({ needsApproval: true, ceiling: 'ceiling-hour' });
    expect(data).toMatchObject({ notices: [{ code: 'ceiling-hour' }] });
    expect(run.ask()).toMatchObject(waits);
  });

  it('opens as ever within it', () => {
    const run = new Run(planned([20]), null);
    expect(run.open({ ceilings: { ceilings, use } }).data).toMatchObject({
      needsApproval: false,
      notices: [],
    });
  });

  it('waits neither for its size nor for a ceiling if all runs of its configuration are approved', () => {
    const run = new Run(planned([20, 20]), null);
    const { data } = run.open({ isApproved: true, approveAboveVictims: 0, ceilings: { ceilings, use } });
    expect(data).toMatchObject({ needsApproval: false });
  });

  it('is held when the ceiling is reached meanwhile, with the victims that remain', () => {
    const run = held();
    expect(run.log.at(-1)).toMatchObject({
      name: 'EnforcementHeld',
      data: { code: 'ceiling-hour', remaining: 2 },
    });
    expect(run.ask()).toMatchObject(waits);
    run.crash();
    expect(run.ask()).toMatchObject(waits);
  });

  it('is not released by an approval of its size', () => {
    const run = held();
    run.append([{ name: 'PlanApproved', data: of }]);
    expect(run.ask()).toMatchObject(waits);
  });

  it('continues once an operator has lifted the ceilings for it, past further ones', () => {
    const run = held();
    run.append([{ name: 'PlanApproved', data: { ...of, ceilings: true } }]);
    run.control = { ...run.control, ceiling };
    run.drive();
    expect(run.outcome).toBe('satisfied');
  });

  it('continues once all runs of its configuration are approved', () => {
    const run = held();
    run.control = { ...run.control, change: approved };
    run.drive();
    expect(run.outcome).toBe('satisfied');
  });

  it('ends once all runs of its configuration are rejected, also while it evicts', () => {
    for (const run of [held(), new Run(planned([20, 20]))]) {
      run.control = control({ change: { ...approved, approved: false, reason: 'a typo' } });
      run.drive();
      expect(run.outcome).toBe('rejected');
      expect(run.state.ended?.message).toContain('User ann rejected all runs of configuration 12 (a typo).');
    }
  });

  it('ends at its deadline if nobody decides', () => {
    const run = held();
    run.now = 600_000;
    expect(summarize(run.drive())).toEqual([
      'VictimSpared 2 deadline',
      'VictimSpared 3 deadline',
      'EnforcementEnded deadline',
    ]);
  });
});
