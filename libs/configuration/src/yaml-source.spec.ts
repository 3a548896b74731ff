import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { configurationLimits, findUnstorable } from '#contracts';
import { readJsonValue } from './json-source.js';
import { Problems } from './problems.js';
import { readConfiguration } from './read-configuration.js';
import { readYaml } from './yaml-source.js';

const firstError = (text: string) => readConfiguration(text).errors[0];

describe('text that is no configuration', () => {
  it.each([
    ['', 'is empty', 1],
    ['# only a comment\n', 'is empty', 1],
    ['just words', 'begins with partitions, not a single value', 1],
    ['- a\n- b', 'begins with partitions, not a list', 1],
    ['partitions:\n  - name: [', 'a bracket before this is not closed', 2],
    ['partitions:\n\t- name: a', 'a tab indents this line', 2],
    ['partitions: "open', 'a quotation mark before this is not closed', 1],
    ['partitions: []\n---\npartitions: []', 'one YAML document; remove the second one, which begins here', 2],
    ['partitions: *nowhere', 'no anchor', 1],
    ['partitions: !made-up []', 'this tag is unknown', 1],
  ])('%j: %s', (text, message, line) => {
    const error = firstError(text);
    expect(error?.message).toContain(message);
    expect(error?.line).toBe(line);
    expect(error?.column).toBeGreaterThan(0);
  });

  it('keys are texts', () => {
    const { errors } = readConfiguration('? [a, b]\n: c\npartitions: [{queues: []}]');
    expect(errors).toMatchObject([
      { message: expect.stringContaining('a key must be a string'), line: 1, column: 3 },
    ]);
  });

  it('keys that stand twice are errors, at the second one', () => {
    const error = firstError('partitions:\n  - name: a\n    queues: []\n    name: b\n');
    expect(error).toMatchObject({ path: 'partitions[0].name', line: 4, column: 5 });
  });
});

describe('limits', () => {
  it('size, before anything is read', () => {
    const error = firstError('x'.repeat(configurationLimits.bytes + 1));
    expect(error?.message).toContain(`at most ${configurationLimits.bytes} bytes`);
    expect(firstError('ü'.repeat(configurationLimits.bytes / 2 + 1))?.message).toContain('bytes');
  });

  it.each([
    ['lines', '- a\n', 'more than 4000000 lines and commas; a configuration has at most 4000000 values'],
    ['commas', 'a, ', 'more than 4000000 lines and commas; a configuration has at most 4000000 values'],
    [
      'names',
      '  - {name: q, parent: false}\n',
      'more than 150000 names; a configuration has at most 100000 queues',
    ],
    [
      'names of JSON',
      '{ "name": "q", "parent": false }',
      'more than 150000 names; a configuration has at most 100000 queues',
    ],
  ])('%s, before anything is read', (what, piece, message) => {
    const text = piece.repeat(what.startsWith('names') ? 160_000 : 4_000_001);
    expect(readConfiguration(text).errors).toEqual([{ path: '', message }]);
  });

  it.each(['[', '{a: ', '- ', '? '])('depth: %j again and again', (opening) => {
    const error = firstError(opening.repeat(200_000));
    expect(error?.message).toContain('levels of nesting');
  });

  it('depth of a JSON value', () => {
    let json: unknown = {};
    for (let i = 0; i < 5000; i++) json = [json];
    expect(readConfiguration({ json }).errors[0]?.message).toContain('levels of nesting');
  });

  it('aliases that grow without end', () => {
    const levels = Array.from({ length: 30 }, (_, i) => {
      const items = i === 0 ? 'x' : `*l${i - 1}, *l${i - 1}, *l${i - 1}, *l${i - 1}, *l${i - 1}`;
      return `l${i}: &l${i} [${items}]`;
    });
    expect(firstError(levels.join('\n'))?.message).toMatch(/uses of aliases|values, aliases unfolded/);
  });

  it('an alias of what it stands in', () => {
    expect(firstError('partitions: &p [*p]')?.message).toContain('levels of nesting');
  });

  it('queues', () => {
    const list = Array.from({ length: configurationLimits.queues + 2 }, (_, i) => ({ name: `q${i}` }));
    const { errors } = readConfiguration({ json: { partitions: [{ queues: list }] } });
    expect(errors).toEqual([{ path: 'partitions[0].queues[100000]', message: 'more than 100000 queues' }]);
  });

  it('problems: the rest is counted', () => {
    const wrong = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`k${i}`, 1]));
    const { errors } = readConfiguration({ json: { partitions: [{ queues: [], ...wrong }] } });
    expect(errors).toHaveLength(1001);
    expect(errors[1000]?.message).toContain('500 more errors');
  });
});

describe('YAML as people write it', () => {
  it('unfolds anchors and merge keys', () => {
    const result = readConfiguration(`partitions:
  - name: default
    queues:
      - &base
        name: a
        resources: &small
          max: {memory: 10G}
      - <<: *base
        name: b
      - name: c
        resources:
          <<: [*small, {guaranteed: {memory: 1G}}]
      - name: d
        resources: *small
`);
    expect(result.errors).toEqual([]);
    expect(
      result.queues.slice(1).map(({ path, max, guaranteed }) => [path, max?.memory, guaranteed?.memory]),
    ).toEqual([
      ['root.a', 1e10, undefined],
      ['root.b', 1e10, undefined],
      ['root.c', 1e10, 1e9],
      ['root.d', 1e10, undefined],
    ]);
  });

  it('reads amounts from what was typed, not from what YAML makes of it', () => {
    const amounts = (value: string) =>
      readConfiguration(`partitions: [{queues: [{name: a, resources: {max: {memory: ${value}}}}]}]`);
    expect(amounts('010').queues[1]?.max).toEqual({ memory: 10 });
    expect(amounts('9007199254740993').queues[1]?.exact.max).toEqual({ memory: 9007199254740993n });
    for (const value of ['1e3', '0x10', '0o10', '.inf', 'true', '~', '[1]']) {
      expect(amounts(value).errors.map(({ path }) => path)).toEqual([
        'partitions[0].queues[0].resources.max.memory',
      ]);
    }
  });

  it('reads JSON text as JSON does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const fromText = new Problems();
        const text = JSON.stringify({ value });
        const bare = (field: unknown) =>
          JSON.stringify(field, (key, item) => {
            if (key === 'line' || key === 'column') return undefined;
            if (item?.type === 'number') return { ...item, text: String(Number(item.text)) };
            if (item?.type === 'null') return { ...item, text: '' };
            return item instanceof Map ? [...item] : item;
          });
        const fromJson = new Problems();
        expect(bare(readYaml(text, fromText))).toEqual(bare(readJsonValue(JSON.parse(text), fromJson)));
        // Both refuse the texts that no database holds, and nothing else.
        expect(bare(fromText.errors())).toEqual(bare(fromJson.errors()));
        expect(fromText.any).toBe(findUnstorable(value, '') !== undefined);
      }),
    );
  });

  it.each(['& ', '"" ', '!!str ', ']', '[]'])('ends with the last fault that is listed: %j', (faulty) => {
    // The whole text is more than one document, which nobody reads as far as.
    const text = `${faulty.repeat(configurationLimits.problems + 10)}\n--- b\n--- c\n`;
    const problems = new Problems();
    expect(readYaml(text, problems)).toBeUndefined();
    expect(problems.errors()).toEqual([expect.objectContaining({ line: 1 })]);
    const few = new Problems();
    readYaml(`${faulty.repeat(10)}\n--- b\n--- c\n`, few);
    expect(few.errors()).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('one YAML document') }),
    );
  });
});
