import { describe, expect, it } from '@jest/globals';
import { upcasters } from '#contracts/events';
import { decodeEvent, known, NewerEvent, type StoredEvent, UnreadableEvent } from '#event-store';

type Step = NonNullable<typeof upcasters.ModeChanged>[number];

const stored: StoredEvent = {
  transactionId: '1',
  position: '1',
  stream: 'control-default',
  version: 1,
  id: '00000000-0000-4000-8000-000000000001',
  type: 'io.curtail.mode.changed.v1',
  topic: 'curtail.control',
  partition: 'default',
  key: 'default',
  time: new Date('2026-11-21T10:00:00Z'),
  data: { partition: 'default', mode: 'observe', by: 'an-operator' },
};

describe('known', () => {
  it('gives an event of the catalog its name', () => {
    expect(known(stored)).toEqual({ ...stored, name: 'ModeChanged' });
  });

  it.each(['io.curtail.mode.forgotten.v1', 'io.curtail.mode.changed.v2'])(
    'takes %s for the word of a newer release',
    (type) => {
      const attempt = () => known({ ...stored, type });
      expect(attempt).toThrow(NewerEvent);
      expect(attempt).toThrow(`${type} in version 1, which this process does not know`);
    },
  );

  it('treats a newer schema version as the event of a newer release, whatever the data are', () => {
    const attempt = () => known({ ...stored, schemaVersion: 2, data: { mode: 'wild' } });
    expect(attempt).toThrow(NewerEvent);
    expect(attempt).toThrow('version 2, of which this process knows up to 1');
  });

  it('returns data of an older version in the current form', () => {
    const steps = upcasters as { ModeChanged?: readonly Step[] };
    steps.ModeChanged = [({ how, ...data }) => ({ ...data, mode: how })];
    try {
      const { mode, ...others } = stored.data as { mode: string };
      const event = { ...stored, data: { ...others, how: mode } };
      const read = { name: 'ModeChanged', data: stored.data };
      expect(known(event)).toEqual({ ...event, ...read });
      expect(decodeEvent({ ...event, schemaVersion: 1 })).toEqual(read);
      expect(() => known({ ...event, schemaVersion: 2 })).toThrow(/breaks its schema at data\.mode/);
    } finally {
      delete steps.ModeChanged;
    }
  });

  it('refuses data that break the schema, and names the field', () => {
    const attempt = () =>
      known({ ...stored, data: { partition: 'default', mode: 'wild', by: 'an-operator' } });
    expect(attempt).toThrow(UnreadableEvent);
    expect(attempt).toThrow(/data\.mode: /);
  });
});
