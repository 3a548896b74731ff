import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventName } from '#contracts';
import { catalog, eventName, schemaVersion, typesOf, upcast, upcasters } from '#contracts/events';
import { formerTypes, namesByType, type Upcaster } from './upcasters.js';

describe('upcasters', () => {
  const steps = upcasters as { [N in EventName]?: readonly Upcaster[] };
  const before = upcasters.PlanFailed;
  beforeEach(() => {
    steps.PlanFailed = [
      (data) => ({ attempt: 1, ...data }),
      ({ code, ...data }) => ({ ...data, reason: code }),
    ];
  });
  afterEach(() => {
    if (before) steps.PlanFailed = before;
    else delete steps.PlanFailed;
  });

  it('apply one after the other, from the version of the data on', () => {
    expect(schemaVersion('PlanFailed')).toBe(3);
    expect(upcast('PlanFailed', 1, { code: 'c' })).toEqual({ attempt: 1, reason: 'c' });
    expect(upcast('PlanFailed', 1, { code: 'c', attempt: 3 })).toEqual({ attempt: 3, reason: 'c' });
    expect(upcast('PlanFailed', 2, { code: 'c' })).toEqual({ reason: 'c' });
  });

  it('leave data of the version of today alone, and do not write to what they are given', () => {
    const data = Object.freeze({ code: 'c' });
    expect(upcast('PlanFailed', 3, data)).toBe(data);
    upcast('PlanFailed', 1, data);
    expect(schemaVersion('ModeChanged')).toBe(1);
    expect(upcast('ModeChanged', 1, data)).toBe(data);
  });

  it.each([null, 'text', 7, [1]])('leave %p to the schema', (data) => {
    expect(upcast('PlanFailed', 1, data)).toBe(data);
  });
});

describe('renamed events', () => {
  it('are read under their new name, and queries of the log find both types', () => {
    const former = formerTypes as { [N in EventName]?: readonly string[] };
    former.EnforcementOpened = ['io.curtail.execution.opened.v1'];
    try {
      const types = ['io.curtail.enforcement.opened.v1', 'io.curtail.execution.opened.v1'];
      expect(typesOf('EnforcementOpened')).toEqual(types);
      for (const type of types) expect(namesByType().get(type)).toBe('EnforcementOpened');
    } finally {
      delete former.EnforcementOpened;
    }
    expect(typesOf('VictimEvicted')).toEqual(['io.curtail.victim.evicted.v1']);
    expect(eventName('io.curtail.victim.evicted.v1')).toBe('VictimEvicted');
  });

  it('leave their former type to no other event', () => {
    const all = (Object.keys(catalog) as EventName[]).flatMap(typesOf);
    expect(new Set(all).size).toBe(all.length);
  });
});
