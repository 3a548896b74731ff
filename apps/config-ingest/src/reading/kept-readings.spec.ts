import { describe, expect, it } from '@jest/globals';
import { KeptReadings } from './kept-readings.js';
import { type Reading, readAny, type WholeRead } from './reading.js';

const text = (...names: string[]) =>
  JSON.stringify({
    partitions: [{ name: 'default', queues: [{ name: 'root', queues: names.map((name) => ({ name })) }] }],
  });
const yaml = `partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: a
          - name: b
`;
const reading = (input: Reading['input'], options: Reading['options'] = {}): Reading => ({ input, options });
const whole = (of: Reading) => readAny({ kind: 'whole', ...of }) as WholeRead;

function keeping(...all: Reading[]): KeptReadings {
  const kept = new KeptReadings();
  for (const one of all) kept.keep(one, whole(one));
  return kept;
}

describe('kept readings', () => {
  it('knows nothing at first', () => {
    expect(new KeptReadings().read(reading(text('a')))).toBeUndefined();
  });

  it.each([
    ['a text in YAML', yaml],
    ['a text in JSON', text('a')],
    ['a JSON value', { jsonText: text('a') }],
  ])('gives the same result for %s that is the same to the byte', (_what, input) => {
    const kept = keeping(reading(input));
    const first = kept.read(reading(input));
    expect(first).toEqual(whole(reading(input)).result);
    expect(kept.read(reading(input))).toBe(first);
  });

  it('reads nothing of a text in YAML that differs in comments around its queues', () => {
    const kept = keeping(reading(yaml));
    const first = kept.read(reading(yaml))!;
    const another = (comment: string) =>
      `# Now\n${yaml.replace('          - name: b', `${comment}$&`)}# Then\n`;
    const after = kept.read(reading(another('          # Of b\n')))!;
    expect(after).toEqual(first);
    expect(after.queues[2]).toBe(first.queues[2]);
  });

  it('reads a changed text from the one before, with the same objects for the same queues', () => {
    const kept = keeping(reading(text('a', 'b')));
    const before = kept.read(reading(text('a', 'b')))!;
    const after = kept.read(reading(text('a', 'c', 'b')))!;
    expect(after).toEqual(whole(reading(text('a', 'c', 'b'))).result);
    expect(after.queues[1]).toBe(before.queues[1]);
    expect(after.queues[3]).toBe(before.queues[2]);
    // And from that one the next.
    expect(kept.read(reading(text('c', 'b')))).toEqual(whole(reading(text('c', 'b'))).result);
  });

  it('leaves what has an error, or much that changed, to a whole reading', () => {
    const kept = keeping(reading(text('a')));
    expect(kept.read(reading(text('a', 'a')))).toBeUndefined();
    expect(kept.read(reading(text(...Array.from({ length: 400 }, (_, i) => `q${i}`))))).toBeUndefined();
    expect(kept.read(reading(`${yaml}           x: 1\n`))).toBeUndefined();
  });

  it.each<[string, Reading['options']]>([
    ['another partition', { partition: 'other' }],
    ['other types of the cluster', { knownResourceTypes: new Set(['memory']) }],
    ['other rules', { guaranteedEqualsMax: 'allow' }],
    ['unknown keys allowed', { allowUnknown: true }],
  ])('keeps a reading with %s apart', (_what, options) => {
    const kept = keeping(reading(text('a')));
    expect(kept.read(reading(text('a'), options))).toBeUndefined();
    expect(kept.read(reading({ jsonText: text('a') }))).toBeUndefined();
  });

  it('does not keep a refused configuration', () => {
    expect(keeping(reading(text('a', 'a'))).read(reading(text('a', 'a')))).toBeUndefined();
  });

  it('forgets the configuration that was used longest ago when all texts become too long', () => {
    const long = (partition: string) => reading(`${yaml}#${'x'.repeat(6 * 1024 * 1024)}\n`, { partition });
    const kept = keeping(long('a'), long('b'));
    expect(kept.read(long('a'))).toBeDefined();
    kept.keep(long('c'), whole(long('c')));
    expect(kept.read(long('b'))).toBeUndefined();
    expect(kept.read(long('a'))).toBeDefined();
  });
});
