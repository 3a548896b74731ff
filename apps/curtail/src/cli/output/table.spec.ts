import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Column, tableLines } from './table.js';
import { widthOf } from './width.js';

const style = (_: unknown, text: string) => text;
const wide = { width: Number.POSITIVE_INFINITY, style };

describe('a table', () => {
  const columns = [
    { title: 'RANK', align: 'right' as const },
    { title: 'NAME' },
    { title: 'WHY', wraps: 'words' as const },
  ];

  it('puts every column under its title', () => {
    const rows = [
      ['1', 'alpha', 'first of all'],
      ['10', 'b', 'second'],
    ];
    expect(tableLines(columns, rows, wide)).toEqual([
      'RANK  NAME   WHY',
      '   1  alpha  first of all',
      '  10  b      second',
    ]);
  });

  it('cuts no name, and wraps sentences where there is no room', () => {
    const rows = [['1', 'a-rather-long-name', 'a sentence of some length']];
    expect(tableLines(columns, rows, { width: 32, style })).toEqual([
      'RANK  NAME                WHY',
      '   1  a-rather-long-name  a',
      '                          sentence',
      '                          of some',
      '                          length',
    ]);
  });

  it('never wraps an age', () => {
    const ages = [{ title: 'QUEUE' }, { title: 'CHANGED', holds: 'times' as const }];
    const rows = [['two words', '59 min ago']];
    expect(tableLines(ages, rows, { width: 17, style })).toEqual([
      'QUEUE  CHANGED',
      'two    59 min ago',
      'words',
    ]);
  });

  it('never cuts an id, and shortens paths in the middle, where they are alike', () => {
    const ids = [
      { title: 'ENFORCEMENT', holds: 'ids' as const },
      { title: 'QUEUE', holds: 'paths' as const },
      { title: 'STATE' },
    ];
    const rows = [
      ['e-fb44h2g4bq7w', 'root.team-machine-learning', 'executing'],
      ['e-fb44h2g4bq7x', 'root.team-machine-learning-platform', 'executing'],
    ];
    expect(tableLines(ids, rows, { width: 46, style })).toEqual([
      'ENFORCEMENT     QUEUE                STATE',
      'e-fb44h2g4bq7w  root.t…ine-learning  executing',
      'e-fb44h2g4bq7x  root.t…ing-platform  executing',
    ]);
    expect(tableLines(ids, rows, { width: 20, style })[1]).toMatch(/^e-fb44h2g4bq7w {2}/);
  });

  it('never cuts a number, which would be another one', () => {
    const numbers = [
      { title: 'QUEUE', holds: 'paths' as const },
      { title: 'LISTING', align: 'right' as const },
    ];
    expect(tableLines(numbers, [['root.research', '1763740029001234']], { width: 20, style })).toEqual([
      'QUEUE              LISTING',
      'ro…earch  1763740029001234',
    ]);
  });

  it('shortens no two paths alike, though the rows become longer than the terminal', () => {
    const queues = [{ title: 'QUEUE', holds: 'paths' as const }, { title: 'STATE' }];
    const rows = [
      ['root.research.team-a.batch.nightly', 'due'],
      ['root.research.team-b.batch.nightly', 'due'],
    ];
    expect(tableLines(queues, rows, { width: 24, style })).toEqual([
      'QUEUE                    STATE',
      'root.re…a.batch.nightly  due',
      'root.re…b.batch.nightly  due',
    ]);
  });

  it('breaks a list of amounts behind its items before anything is cut short', () => {
    const amounts = [{ title: 'APPLICATION' }, { title: 'USED', wraps: 'items' as const }];
    expect(tableLines(amounts, [['nightly-report', '100 GB, 100 vcore']], { width: 26, style })).toEqual([
      'APPLICATION     USED',
      'nightly-report  100 GB,',
      '                100 vcore',
    ]);
  });

  it('breaks no name in a list, though the rows become longer than the terminal', () => {
    const spared = [
      { title: 'WHY', wraps: 'words' as const },
      { title: 'ALLOCATIONS', wraps: 'items' as const },
    ];
    const rows = [
      ['enough others came before it', 'spark-driver-7f9c4d5b8-x2x9q, spark-driver-7f9c4d5b8-k4k8p'],
    ];
    expect(tableLines(spared, rows, { width: 40, style })).toEqual([
      'WHY        ALLOCATIONS',
      'enough     spark-driver-7f9c4d5b8-x2x9q,',
      'others     spark-driver-7f9c4d5b8-k4k8p',
      'came',
      'before it',
    ]);
    expect(tableLines(spared, rows, { width: 20, style })[1]).toBe('enough  spark-driver-7f9c4d5b8-x2x9q,');
  });

  it('has cells of any length', () => {
    const names = Array.from({ length: 200_000 }, (_, i) => `a-${i}`);
    const lines = tableLines([{ title: 'NAMES', wraps: 'words' }], [[names.join(' ')]], { width: 20, style });
    expect(lines.slice(1).join(' ')).toBe(names.join(' '));
  });

  it('puts sentences under their rows where there is no room beside them, and nothing where there is none', () => {
    const under = [...columns.slice(0, 2), { title: 'WHY', wraps: 'words' as const, under: true }];
    const rows = [
      ['1', 'alpha', 'a sentence of some length'],
      ['2', 'beta', 'short'],
      ['3', 'gamma', '-'],
    ];
    expect(tableLines(under, rows, { width: 24, style })).toEqual([
      'RANK  NAME',
      '      WHY',
      '   1  alpha',
      '      a sentence of some',
      '      length',
      '   2  beta',
      '      short',
      '   3  gamma',
    ]);
    expect(tableLines(under, rows, wide)).toHaveLength(4);
  });

  it('never is wider than the terminal, if that has room for eight letters a column and no word is longer', () => {
    const rank = fc.integer({ min: 1, max: 99_999 }).map(String);
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '研', '😀'), maxLength: 4 });
    const cell = fc.array(word).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(fc.tuple(rank, cell, cell)), fc.integer({ min: 29, max: 120 }), (rows, width) => {
        const [number, ...others] = columns;
        const titled = others.map((column) => ({ ...column, title: `${column.title} AND MUCH MORE` }));
        for (const line of [columns, [number!, ...titled]].flatMap((one) =>
          tableLines(one, rows, { width, style }),
        )) {
          expect(widthOf(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });

  it('puts columns under their titles where letters are two columns wide', () => {
    const rows = [
      ['root.研究', '実行'],
      ['root.web', 'due'],
    ];
    const queues = [{ title: 'QUEUE', holds: 'paths' as const }, { title: 'STATE' }, { title: 'B' }];
    expect(
      tableLines(
        queues,
        rows.map((row) => [...row, 'x']),
        wide,
      ),
    ).toEqual(['QUEUE      STATE  B', 'root.研究  実行   x', 'root.web   due    x']);
  });

  it('lets no escape sequence through', () => {
    expect(tableLines([{ title: 'ID' }], [['\u001b[31mred\nnext']], wide)).toEqual([
      'ID',
      '\ufffd[31mred\ufffdnext',
    ]);
  });

  it('counts letters, not what colours them', () => {
    const coloured = (tone: string, text: string) => `<${tone}>${text}</>`;
    const rows = [[{ text: 'no', tone: 'bad' as const }, 'x']];
    expect(tableLines([{ title: 'STATE' }, { title: 'B' }], rows, { ...wide, style: coloured })).toEqual([
      '<title>STATE</>  <title>B</>',
      '<bad>no</>     <plain>x</>',
    ]);
  });

  it('has titles that wrap at blanks, and never loses a part of one', () => {
    const columns: Column[] = [
      { title: 'ALTERNATIVE', wraps: 'words' },
      { title: 'QUOTAS', align: 'right' },
      { title: 'RESOURCES', wraps: 'items' },
      { title: 'FIRST RUN DUE', wraps: 'words' },
      { title: 'ABOVE QUOTA', align: 'right' },
    ];
    const row = ['root.analytics memory=50G', '1', '46 GB, 16 vcore', 'in 20 s', '12'];
    const lines = tableLines(columns, [row], { width: 50, style });
    expect(lines.every((one) => one.length <= 50)).toBe(true);
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^ALTERNATIVE +QUOTAS +RESOURCES +FIRST +ABOVE$/),
      expect.stringMatching(/^ +RUN DUE +QUOTA$/),
    ]);
  });
});
