import { known, type StoredEvent, UnreadableEvent } from '@curtail/event-store';
import { describe, expect, it } from '@jest/globals';

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
  data: { partition: 'default', mode: 'observe', by: 'somebody' },
};

describe('known', () => {
  it('gives an event of the catalog its name', () => {
    expect(known(stored)).toEqual({ ...stored, name: 'ModeChanged' });
  });

  it.each(['io.curtail.mode.forgotten.v1', 'io.curtail.mode.changed.v2'])(
    'refuses %s, and names it',
    (type) => {
      const attempt = () => known({ ...stored, type });
      expect(attempt).toThrow(UnreadableEvent);
      expect(attempt).toThrow(type);
    },
  );

  it('refuses data that break the schema, and names the field', () => {
    const attempt = () => known({ ...stored, data: { partition: 'default', mode: 'wild', by: 'somebody' } });
    expect(attempt).toThrow(UnreadableEvent);
    expect(attempt).toThrow(/data\.mode: /);
  });
});
