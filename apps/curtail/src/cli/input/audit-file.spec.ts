import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SigningKey } from '#platform';
import { checkAudit } from './audit-file.js';

const makeKey = () =>
  SigningKey.of(String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })));
const key = makeKey();
const scope = { since: '2026-01-01T00:00:00Z', until: null, partition: null, by: null };
const record = (position: number) => JSON.stringify({ position: String(position), by: 'ann' });

/** The lines of pages of two records each. */
function exported(pages: number, of = scope): string[] {
  return Array.from({ length: pages }, (_, index) => {
    const records = [record(index * 10 + 1), record(index * 10 + 4)];
    const page = {
      ...of,
      after: index === 0 ? '0' : String((index - 1) * 10 + 4),
      next: index === pages - 1 ? null : String(index * 10 + 4),
      records: 2,
      ...{ at: `2026-02-01T00:00:0${index}.000Z`, end: String(100 + index) },
    };
    const signature = key.sign(records.map((one) => `${one}\n`).join('') + JSON.stringify(page));
    return [...records, JSON.stringify({ page, signature })];
  }).flat();
}
const faultsOf = (lines: string[]) =>
  checkAudit(lines.map((line) => `${line}\n`).join(''), [key.publicKey]).faults.map(
    ({ kind, line }) => `${kind} ${line}`,
  );

describe('an exported audit', () => {
  it('is right as it was signed, also without records', () => {
    expect(checkAudit(`${exported(3).join('\n')}\n`, [makeKey().publicKey, key.publicKey])).toEqual({
      records: 6,
      pages: 3,
      export: { ...scope, at: '2026-02-01T00:00:02.000Z', end: '102' },
      faults: [],
    });
    const page = { ...scope, after: '0', next: null, records: 0, at: '2026-02-01T00:00:00.000Z', end: '7' };
    expect(faultsOf([JSON.stringify({ page, signature: key.sign(JSON.stringify(page)) })])).toEqual([]);
  });

  it.each<[string, (lines: string[]) => string[], string[]]>([
    ['a changed record', (all) => all.with(4, all[4]!.replace('ann', 'bob')), ['changed 4']],
    ['other spaces in a record', (all) => all.with(0, all[0]!.replace(':', ': ')), ['changed 1']],
    ['a missing record', (all) => all.toSpliced(3, 1), ['missing 4']],
    ['an added record', (all) => all.toSpliced(1, 0, record(2)), ['added 1']],
    ['an empty line', (all) => all.toSpliced(1, 0, ''), ['added 1']],
    ['reordered records', (all) => [all[1]!, all[0]!, ...all.slice(2)], ['reordered 1']],
    [
      'a changed page',
      (all) => all.with(2, all[2]!.replace('"until":null', '"until":"x"')),
      ['changed 1', 'reordered 4'],
    ],
    ['another time', (all) => all.with(8, all[8]!.replace('02.000Z', '09.000Z')), ['changed 7']],
    ['another end', (all) => all.with(8, all[8]!.replace('"end":"102"', '"end":"900"')), ['changed 7']],
    ['a missing page in the middle', (all) => all.toSpliced(3, 3), ['missing 4']],
    ['a missing first page', (all) => all.slice(3), ['missing 1']],
    ['missing last pages', (all) => all.slice(0, 6), ['missing 6']],
    [
      'reordered pages',
      (all) => [...all.slice(3, 6), ...all.slice(0, 3), ...all.slice(6)],
      ['missing 1', 'reordered 4', 'missing 7'],
    ],
    ['a page twice', (all) => [...all, ...all.slice(6)], ['reordered 10']],
    [
      'a page of another export',
      (all) => [...all.slice(0, 3), ...exported(3, { ...scope, since: '2025-01-01T00:00:00Z' }).slice(3)],
      ['reordered 4'],
    ],
    ['a missing signature', (all) => all.toSpliced(8, 1), ['unsigned 8']],
    ['no lines at all', () => [], ['missing 0']],
    ['lines that are no JSON', () => ['x', '{}'], ['unsigned 2']],
  ])('with %s is refused, with the line', (_what, change, faults) => {
    expect(faultsOf(change(exported(3)))).toEqual(faults);
  });

  it('that is complete and old is refused only if a newer one is wanted', () => {
    const text = exported(2).join('\n');
    const faults = (newerThan: string) => checkAudit(text, [key.publicKey], newerThan).faults;
    expect(faults('2026-02-01T00:00:01.000Z')).toEqual([]);
    expect(faults('2026-02-01T00:00:01.001Z')).toMatchObject([{ kind: 'old', line: 6 }]);
  });

  it('without its end, or with a forged one, says nothing of the whole', () => {
    for (const lines of [
      exported(3).slice(0, 6),
      exported(1).with(2, exported(1)[2]!.replace('00.000Z', '09.000Z')),
    ])
      expect(checkAudit(lines.join('\n'), [key.publicKey]).export).toBeNull();
  });

  it('signed with another key is refused', () => {
    const { faults } = checkAudit(exported(1).join('\n'), [makeKey().publicKey]);
    expect(faults).toMatchObject([
      { kind: 'unsigned', line: 3, message: expect.stringContaining('another key') },
    ]);
  });
});
