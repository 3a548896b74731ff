import { describe, expect, it } from '@jest/globals';
import { type EventName } from '#contracts';
import { catalog, eventName, schemaVersion, typesOf, upcast, upcasters } from '#contracts/events';

describe('upcasters', () => {
  const failed = {
    partition: 'p',
    queue: 'root.a',
    enforcement: 'e1',
    fencingToken: 1,
    code: 'c',
    message: 'm',
  };

  it('count a plan that failed in version 1 as the first attempt', () => {
    expect(schemaVersion('PlanFailed')).toBe(2);
    const made = upcast('PlanFailed', 1, failed);
    expect(made).toEqual({ ...failed, attempt: 1 });
    expect(catalog.PlanFailed.schema.safeParse(made).success).toBe(true);
  });

  it('keep an attempt that version 1 has', () => {
    expect(upcast('PlanFailed', 1, { ...failed, attempt: 3 })).toEqual({ ...failed, attempt: 3 });
  });

  it('leave data of the version of today alone, and do not write to what they are given', () => {
    expect(upcast('PlanFailed', 2, failed)).toBe(failed);
    upcast('PlanFailed', 1, Object.freeze({ ...failed }));
    expect(upcast('ModeChanged', 1, failed)).toBe(failed);
  });

  it.each([null, 'text', 7, [1]])('leave %p to the schema', (data) => {
    expect(upcast('PlanFailed', 1, data)).toBe(data);
  });

  it('apply one after the other, from the version of the data on', () => {
    const before = upcasters.PlanFailed;
    const steps = upcasters as { [N in EventName]?: typeof before };
    try {
      steps.PlanFailed = [
        (data) => ({ ...data, steps: ['1 to 2'] }),
        (data) => ({ ...data, steps: [...(data.steps as string[]), '2 to 3'] }),
      ];
      expect(schemaVersion('PlanFailed')).toBe(3);
      expect(upcast('PlanFailed', 1, {})).toEqual({ steps: ['1 to 2', '2 to 3'] });
      expect(upcast('PlanFailed', 2, { steps: [] })).toEqual({ steps: ['2 to 3'] });
    } finally {
      if (before) steps.PlanFailed = before;
    }
  });
});

describe('renamed events', () => {
  it('are read under their new name, and queries of the log find both types', () => {
    expect(eventName('io.curtail.execution.opened.v1')).toBe('EnforcementOpened');
    expect(eventName('io.curtail.execution.rejudged.v1')).toBe('EnforcementRejudged');
    const types = ['io.curtail.enforcement.opened.v1', 'io.curtail.execution.opened.v1'];
    expect(typesOf('EnforcementOpened')).toEqual(types);
    expect(typesOf('VictimEvicted')).toEqual(['io.curtail.victim.evicted.v1']);
  });

  it('leave their former type to no other event', () => {
    const all = (Object.keys(catalog) as EventName[]).flatMap(typesOf);
    expect(new Set(all).size).toBe(all.length);
  });
});
