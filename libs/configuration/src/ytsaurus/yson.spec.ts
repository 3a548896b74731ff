import { describe, expect, it } from '@jest/globals';
import { configurationLimits } from '#contracts';
import type { Field } from '../field.js';
import { Problems } from '../problems.js';
import { readConfiguration } from '../read-configuration.js';
import { isYson, readYson } from './yson.js';

/** Without places; scalars as their type and text. */
function content(field: Field | undefined): unknown {
  if (field?.kind === 'list') return field.items.map(content);
  if (field?.kind === 'mapping') {
    return Object.fromEntries([...field.entries].map(([key, { value }]) => [key, content(value)]));
  }
  return field && `${field.type} ${field.text}`.trim();
}
const read = (text: string) => {
  const problems = new Problems();
  const field = readYson(text, problems);
  return { content: content(field), errors: problems.errors() };
};

const pretty = `{
    "physical" = <
        "config" = {
            "main_resource" = "cpu";
            "fair_share_starvation_timeout" = 30000;
            "preemption_satisfaction_threshold" = 0.9;
            "enable_pool_starvation" = %true;
        };
    > {
        "prod" = <
            "strong_guarantee_resources" = {
                "cpu" = 100.;
                "user_slots" = 50u;
            };
            "weight" = 2.;
        > {
            "etl" = <
                "weight" = 3.;
                "fifo_sort_parameters" = ["start_time"; "weight";];
            > {};
            "plain" = {
                "inner" = {};
            };
        };
        "rest" = {};
    };
}
`;
const inOneLine =
  '{physical=<config={main_resource=cpu;fair_share_starvation_timeout=30000;preemption_satisfaction_threshold=0.9;enable_pool_starvation=%true}>{prod=<strong_guarantee_resources={cpu=100.;user_slots=50u};weight=2.>{etl=<weight=3.;fifo_sort_parameters=[start_time;weight]>{};plain={inner={}}};rest={}}}';

describe('YSON', () => {
  it.each<[string, unknown]>([
    ['{a=1;b=-2;c=3u;d=+4}', { a: 'number 1', b: 'number -2', c: 'number 3', d: 'number 4' }],
    ['{a=9223372036854775807}', { a: 'number 9223372036854775807' }],
    ['{a=1.;b=1.50;c=0.5;d=-0.25}', { a: 'number 1', b: 'number 1.5', c: 'number 0.5', d: 'number -0.25' }],
    [
      '{a=5e11;b=1.5e-3;c=1E+2;d=12.5e0}',
      { a: 'number 500000000000', b: 'number 0.0015', c: 'number 100', d: 'number 12.5' },
    ],
    ['{a=%true;b=%false;c=#}', { a: 'boolean true', b: 'boolean false', c: 'null' }],
    ['{a=%nan;b=%inf;c=%-inf}', { a: 'text %nan', b: 'text %inf', c: 'text %-inf' }],
    ['{a_1.b-c=x_1.y-z;"d e"="f;g"}', { 'a_1.b-c': 'text x_1.y-z', 'd e': 'text f;g' }],
    [String.raw`{a="x\"y\\z\n\t\x41\101\0"}`, { a: 'text x"y\\z\n\tAA\0' }],
    [String.raw`{a="\xd0\x9f\320\260\xf0\x9f\x98\x80ü"}`, { a: 'text Па😀ü' }],
    ['{a=[];b=[1;[2;];{};];c={};}', { a: [], b: ['number 1', ['number 2'], {}], c: {} }],
    [
      '<a=1>{b=<c=2;>#}',
      { $attributes: { a: 'number 1' }, $value: { b: { $attributes: { c: 'number 2' }, $value: 'null' } } },
    ],
    ['< "a" = 1 > "x"', { $attributes: { a: 'number 1' }, $value: 'text x' }],
    ['<>{}', { $attributes: {}, $value: {} }],
    ['\ufeff\r\n{ "a"\t=\n1 ; }\n', { a: 'number 1' }],
  ])('%j is read', (text, expected) => {
    expect(read(text)).toEqual({ content: expected, errors: [] });
  });

  it.each<[string, number, number, string]>([
    ['{a=1', 1, 5, '; or } is expected here, not the end of the text'],
    ['{a=1 b=2}', 1, 6, '; or } is expected here, not "b"'],
    ['{\n  a: 1}', 2, 4, '= is expected here, after the key "a", not ":"'],
    ['{"a"=1,\n"b"=2}', 1, 7, '; or } is expected here, not ","'],
    ['{a=}', 1, 4, 'a value is expected here, not "}"'],
    ['{a=-}', 1, 4, 'a value is expected here, not "-"'],
    ['{;}', 1, 2, 'a key is expected here, not ";"'],
    ['{a="x', 1, 4, 'this string does not end; write " after it'],
    ['{a="x\\', 1, 4, 'this string does not end'],
    ['{a=1;a=2}', 1, 6, 'the key "a" occurs twice in one map; keep one of them'],
    ['<a=1;a=2>{}', 1, 6, 'occurs twice'],
    ['<a=1><b=2>{}', 1, 6, 'a value has attributes once'],
    ['{a=1}\n{b=2}', 2, 1, 'the value ends before this; remove what follows'],
    [
      '{\x01\x02a=1}',
      1,
      2,
      "binary YSON, which is not read; ask for text: yt get --format '<format=text>yson' PATH",
    ],
    ['{a=\x02\x08}', 1, 4, 'binary YSON'],
    ['<\x01\x0cconfig={}>{}', 1, 2, 'binary YSON'],
  ])('%j is refused', (text, line, column, message) => {
    expect(read(text)).toEqual({
      content: undefined,
      errors: [{ path: '', line, column, message: expect.stringContaining(message) }],
    });
  });

  it('has limits', () => {
    const deep = (levels: number) => `${'{a='.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(read(deep(configurationLimits.depth)).errors).toEqual([]);
    expect(read(deep(configurationLimits.depth + 1)).errors).toMatchObject([
      { message: 'more than 200 levels of nesting; nest less' },
    ]);
    expect(read(deep(1_000_000)).errors).toHaveLength(1);
    expect(read(`{a=1e${'9'.repeat(1000)}}`).errors).toEqual([]);
    expect(read(`[${'1;'.repeat(configurationLimits.values + 1)}]`).errors).toEqual([
      { path: '', message: expect.stringMatching(/^more than 4000000 items/) },
    ]);
    expect(read(`{a="${'x'.repeat(configurationLimits.bytes)}"}`).errors).toMatchObject([
      { message: expect.stringContaining('at most 33554432 bytes') },
    ]);
  });

  it.each([
    ['{a=1}', true],
    ['{"a" = 1}', true],
    ['{\n  "a\\"b"\n=1}', true],
    ['<a=1>{}', true],
    ['<\n  "a" = 1> {}', true],
    ['<>{}', true],
    ['{\x01\x02a', true],
    ['<configuration>', false],
    ['<configuration xmlns="x">', false],
    ['<?xml version="1.0"?>', false],
    ['<!-- a=1 -->', false],
    ['{"a": 1}', false],
    ['{a: b=c}', false],
    ['a=b: 1', false],
    ['{}', false],
    ['', false],
  ])('%j is it: %j', (text, expected) => {
    expect(isYson(text)).toBe(expected);
  });
});

describe('pool trees in YSON', () => {
  it.each([
    ['pretty', pretty],
    ['in one line', inOneLine],
  ])('are read as `yt get` prints them, %s', (_, text) => {
    const { errors, warnings, format, partitions, queues } = readConfiguration(text);
    expect({ errors, warnings, format }).toEqual({ errors: [], warnings: [], format: 'ytsaurus' });
    expect(partitions).toMatchObject([
      {
        name: 'physical',
        policies: {
          'fair-share': {
            mainResource: 'vcore',
            fairShareStarvationTimeout: 30_000,
            preemptionSatisfactionThreshold: 0.9,
            enablePoolStarvation: true,
          },
        },
      },
    ]);
    expect(queues.map(({ path, guaranteed, properties }) => [path, guaranteed, properties])).toEqual([
      ['root', null, undefined],
      ['root.prod', { vcore: 100_000, pods: 50 }, { weight: 2 }],
      ['root.prod.etl', null, { weight: 3, fifoSortParameters: ['startTime', 'weight'] }],
      ['root.prod.plain', null, undefined],
      ['root.prod.plain.inner', null, undefined],
      ['root.rest', null, undefined],
    ]);
  });

  it('have their problems in their lines', () => {
    const { errors } = readConfiguration(pretty.replace('3.;', '-3.;'));
    expect(errors).toEqual([
      {
        path: 'physical.$value.prod.$value.etl.$attributes.weight',
        message: 'write a number above 0, not "-3"',
        line: 18,
        column: 28,
      },
    ]);
  });

  it('may be one tree, written by hand, or below pool_trees', () => {
    const one = '<config={}>{prod=<weight=2>{}}';
    const paths = (text: string) => {
      const { errors, queues } = readConfiguration(text, { partition: 'mine' });
      return [errors, queues.map(({ partition, path }) => `${partition} ${path}`)];
    };
    expect(paths(one)).toEqual([[], ['mine root', 'mine root.prod']]);
    expect(paths('{pool_trees={t=<config={}>{prod=<weight=2>{}}}}')).toEqual([[], ['t root', 't root.prod']]);
    expect(paths('{pool_trees={t={config={};pools={prod={weight=2}}}}}')).toEqual([
      [],
      ['t root', 't root.prod'],
    ]);
  });

  it('are refused without any attributes, with the command that asks for them', () => {
    const { errors } = readConfiguration('{"physical"={"prod"={"etl"={};};};}');
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/no pool would have a guarantee.*yt get .* --attribute config/) },
    ]);
  });
});
