import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts';
import { FoldedStream, type StoredEvent } from '#event-store';

type Mode = 'observe' | 'enforce';

const changed = (mode: Mode): DomainEvent => ({
  name: 'ModeChanged',
  data: { partition: 'default', mode, by: 'an-operator' },
});
const decided = (mode: Mode) => ({ event: changed(mode), key: 'default' });

const stored = (version: number, mode: Mode, stream = 'control-default'): StoredEvent => ({
  transactionId: '1',
  position: String(version),
  stream,
  version,
  id: '00000000-0000-4000-8000-000000000001',
  type: 'io.curtail.mode.changed.v1',
  topic: 'curtail.control',
  partition: 'default',
  key: 'default',
  time: new Date('2026-11-21T10:00:00Z'),
  data: changed(mode).data,
});

/** The modes so far; the same one twice in a row breaks its rule. */
function evolve(modes: readonly string[], event: DomainEvent): readonly string[] {
  const mode = (event.data as { mode: string }).mode;
  if (modes.at(-1) === mode) throw new Error(`the mode is ${mode} already`);
  return [...modes, mode];
}

const place = { stream: 'control-default', partition: 'default' };
const loaded = (state: readonly string[] = [], version = 0) =>
  new FoldedStream(place, evolve, { state, version });

describe('FoldedStream', () => {
  it('appends decided events at the version that they were decided on, and the next ones after them', () => {
    const stream = loaded(['observe'], 3);
    stream.decide([decided('enforce')]);
    stream.decide([decided('observe')]);
    expect(stream.state).toEqual(['observe', 'enforce', 'observe']);
    expect(stream.version).toBe(3);
    expect(stream.take()).toEqual({
      ...place,
      expectedVersion: 3,
      events: [decided('enforce'), decided('observe')],
    });

    stream.decide([decided('enforce')]);
    expect(stream.take()).toEqual({ ...place, expectedVersion: 5, events: [decided('enforce')] });
  });

  it('takes each event once', () => {
    const stream = loaded();
    expect(stream.take()).toBeUndefined();
    stream.decide([decided('enforce')]);
    expect(stream.unrecorded).toEqual([decided('enforce')]);
    stream.take();
    expect(stream.unrecorded).toEqual([]);
    expect(stream.take()).toBeUndefined();
    expect(stream.version).toBe(1);
  });

  it('takes none of the events of which one breaks a rule', () => {
    const stream = loaded();
    expect(() => stream.decide([decided('enforce'), decided('enforce')])).toThrow(
      'the mode is enforce already',
    );
    expect(stream.state).toEqual([]);
    expect(stream.take()).toBeUndefined();
  });

  it('folds recorded events, and counts those of its own stream', () => {
    const stream = loaded();
    stream.read([stored(1, 'observe'), stored(2, 'enforce')]);
    stream.read([stored(9, 'observe', 'another')]);
    stream.read([]);
    expect(stream.state).toEqual(['observe', 'enforce', 'observe']);
    expect(stream.version).toBe(2);
    expect(stream.take()).toBeUndefined();
  });
});
