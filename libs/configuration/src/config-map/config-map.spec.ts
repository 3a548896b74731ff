import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { configurationLimits } from '#contracts';
import { readConfiguration } from '../read-configuration.js';

const queues = (max: string) => `partitions:
  - name: default
    queues:
      - name: research
        resources: {max: {memory: ${max}}}
`;
const block = (text: string, blanks: number) =>
  `|\n${text
    .split('\n')
    .map((line) => (line === '' ? '' : ' '.repeat(blanks) + line))
    .join('\n')}`;
const configMap = (value: string) => `apiVersion: v1
kind: ConfigMap
metadata:
  name: yunikorn-configs
data:
  log.level: INFO
  queues.yaml: ${value}`;
const research = { path: 'root.research', max: { memory: 2e9 } };

describe('a ConfigMap', () => {
  it('is read as the configuration in it', () => {
    const result = readConfiguration(configMap(block(queues('2G'), 4)));
    expect(result).toMatchObject({ valid: true, format: 'yunikorn' });
    expect(result.queues[1]).toMatchObject(research);
  });

  it('has its errors at their places in the whole text', () => {
    const text = configMap(block(queues('2X'), 4));
    const { errors } = readConfiguration(text);
    expect(errors).toEqual([
      expect.objectContaining({ path: 'partitions[0].queues[0].resources.max.memory', line: 12 }),
    ]);
    const { line = 0, column = 0 } = errors[0]!;
    expect(text.split('\n')[line - 1]!.slice(column - 1)).toBe('2X}}');
  });

  it('with the text in quotes has the line in the message', () => {
    for (const text of [
      configMap(JSON.stringify(queues('2X'))),
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data: { 'queues.yaml': queues('2X') } }),
    ]) {
      const { errors } = readConfiguration(text);
      expect(errors[0]).toMatchObject({
        message: expect.stringMatching(/ \(line 5 of queues\.yaml\)$/),
        line: text.startsWith('{') ? 1 : 7,
      });
    }
  });

  it('is read from a JSON value', () => {
    const json = { apiVersion: 'v1', kind: 'ConfigMap', data: { 'queues.yaml': queues('2G') } };
    expect(readConfiguration({ json }).queues[1]).toMatchObject(research);
    const wrong = { ...json, data: { 'queues.yaml': queues('2X') } };
    expect(readConfiguration({ json: wrong }).errors[0]).not.toHaveProperty('line');
  });

  it('is found in a list', () => {
    const item = configMap(block(queues('2X'), 4)).replace('apiVersion: v1\n', '');
    const other = '- kind: ConfigMap\n  data: {log.level: INFO}\n';
    const text = `apiVersion: v1\nkind: List\nitems:\n${other}- apiVersion: v1\n${item.replaceAll(/^(?=.)/gm, '  ')}`;
    const { errors } = readConfiguration(text);
    const { line = 0, column = 0 } = errors[0]!;
    expect(text.split('\n')[line - 1]!.slice(column - 1)).toBe('2X}}');
  });

  it.each([
    [
      'apiVersion: v1\nkind: Secret',
      'kind',
      2,
      'a ConfigMap, or a List with one, is expected here, not "Secret"',
    ],
    [
      'apiVersion: v1\nkind: ConfigMap\ndata: {a: b}',
      'data."queues.yaml"',
      3,
      'the ConfigMap has no key queues.yaml; it has "a"',
    ],
    [
      'apiVersion: v1\nkind: List\nitems: []',
      'items',
      3,
      'no ConfigMap in this list has the key queues.yaml, or the one that its service.policyGroup names',
    ],
    [
      'apiVersion: v1\nkind: ConfigMap\ndata: {queues.yaml: {a: b}}',
      'data."queues.yaml"',
      3,
      'the text of a configuration is expected here, not a mapping',
    ],
    [
      'apiVersion: v1\nkind: List\nitems:\n- {kind: ConfigMap, data: {queues.yaml: a}}\n- {kind: ConfigMap, data: {queues.yaml: a}}',
      'items[1]',
      5,
      'items[0] and items[1] both have a configuration; give the one that is in force',
    ],
  ])('that cannot be one is refused: %j', (text, path, line, message) => {
    expect(readConfiguration(text).errors).toEqual([expect.objectContaining({ path, line, message })]);
  });

  it('in a ConfigMap is no configuration', () => {
    const inner = configMap(block(queues('2G'), 4));
    expect(readConfiguration(configMap(block(inner, 4)))).toMatchObject({ valid: false });
  });
});

describe('the configuration that YuniKorn would read of ConfigMaps', () => {
  const named = (queue: string) => `partitions: [{queues: [{name: ${queue}}]}]`;
  const packed = (text: string | Buffer) => gzipSync(text).toString('base64');
  const both = {
    data: { 'queues.yaml': named('stale') },
    binaryData: { 'queues.yaml.gz': packed(named('packed')) },
  };
  const grouped = {
    data: { 'service.policyGroup': 'night', 'queues.yaml': named('stale'), 'night.yaml': named('night') },
  };
  const map = (content: object, name = 'mine', namespace = 'yunikorn') => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    ...content,
  });
  const list = (...items: object[]) => ({ apiVersion: 'v1', kind: 'List', items });
  const plain = { data: { 'queues.yaml': named('plain') } };
  const settings = { data: { 'log.level': 'INFO' } };
  const defaults = (content: object) => map(content, 'yunikorn-defaults');
  const configs = (content: object) => map(content, 'yunikorn-configs');

  /** The same in each shape: a JSON value, its text, and YAML. */
  const readings = (json: object) => [
    readConfiguration({ json }),
    readConfiguration(JSON.stringify(json, null, 2)),
    readConfiguration(stringify(json)),
  ];

  it.each<[string, object, string]>([
    ['that of the policy group', map(grouped), 'night'],
    [
      'that of the policy group, compressed',
      map({ ...grouped, binaryData: { 'night.yaml.gz': packed(named('packed')) } }),
      'packed',
    ],
    ['the compressed one beside a plain one', map(both), 'packed'],
    ['the compressed one alone', map({ binaryData: both.binaryData }), 'packed'],
    ['that of a ConfigMap without its kind', both, 'packed'],
    ['that of the data alone', plain.data, 'plain'],
    ['that of the data alone, with a policy group', grouped.data, 'night'],
    ['that of the data alone, compressed', { ...plain.data, ...both.binaryData }, 'packed'],
    ['that of values of the chart', { yunikornDefaults: grouped.data, resources: {} }, 'night'],
    ['that of the only ConfigMap in a list that has one', list(map(settings, 'other'), map(both)), 'packed'],
    ['that of yunikorn-configs', list(configs(plain), defaults({ data: both.data })), 'plain'],
    [
      'that of yunikorn-defaults, where the other has settings alone',
      list(configs(settings), defaults(both)),
      'packed',
    ],
    [
      'that of yunikorn-configs, by the policy group of yunikorn-defaults',
      list(configs({ data: { 'night.yaml': named('own') } }), defaults(grouped)),
      'own',
    ],
    [
      'that of yunikorn-configs, compressed, over all of yunikorn-defaults',
      list(configs({ binaryData: both.binaryData }), defaults(plain)),
      'packed',
    ],
    ['that of its ConfigMaps, whatever others have', list(map(plain, 'copy'), configs(both)), 'packed'],
  ])('is %s', (_, json, queue) => {
    for (const { errors, queues } of readings(json)) {
      expect(errors).toEqual([]);
      expect(queues.map(({ path }) => path)).toEqual(['root', `root.${queue}`]);
    }
  });

  it.each<[string, object, string, string]>([
    [
      'a policy group without its key',
      map({ data: { 'service.policyGroup': 'day', 'queues.yaml': '' } }),
      'data."day.yaml"',
      'the ConfigMap has no key day.yaml, which service.policyGroup "day" names; it has "service.policyGroup", "queues.yaml"',
    ],
    [
      'a text in binaryData that is not compressed',
      map({ binaryData: { 'queues.yaml': Buffer.from(named('a')).toString('base64') } }),
      'binaryData."queues.yaml"',
      'YuniKorn reads queues.yaml in data, and in binaryData compressed ones alone; write it under data, or as queues.yaml.gz',
    ],
    [
      'a text of base64 that is none',
      map({ ...plain, binaryData: { 'queues.yaml.gz': 'H4s*' } }),
      'binaryData."queues.yaml.gz"',
      'is not base64; write what `gzip -c queues.yaml | base64 -w0` prints',
    ],
    [
      'a text that is not packed',
      map({ binaryData: { 'queues.yaml.gz': Buffer.from(named('a')).toString('base64') } }),
      'binaryData."queues.yaml.gz"',
      'is not gzip (incorrect header check)',
    ],
    [
      'one that is cut off',
      map({
        binaryData: {
          'queues.yaml.gz': Buffer.from(packed(named('a')), 'base64')
            .subarray(0, 30)
            .toString('base64'),
        },
      }),
      'binaryData."queues.yaml.gz"',
      'is not gzip (unexpected end of file)',
    ],
    [
      'one that unpacks to too much',
      map({ binaryData: { 'queues.yaml.gz': packed(Buffer.alloc(configurationLimits.bytes + 1, 32)) } }),
      'binaryData."queues.yaml.gz"',
      'unpacks to more than 33554432 bytes, the most that a configuration has',
    ],
    [
      'one in another encoding',
      map({ binaryData: { 'queues.yaml.gz': packed(Buffer.from(named('ä'), 'latin1')) } }),
      'binaryData."queues.yaml.gz"',
      'unpacks to something else than UTF-8',
    ],
    [
      'one with NUL characters',
      map({ binaryData: { 'queues.yaml.gz': packed('a: "\0"') } }),
      'binaryData."queues.yaml.gz"',
      'NUL characters',
    ],
    [
      'one packed in another way',
      map({ ...plain, binaryData: { 'queues.yaml.zst': packed(named('a')) } }),
      'binaryData."queues.yaml.zst"',
      'YuniKorn unpacks ".gz" in binaryData alone, and takes this as an empty text; write queues.yaml.gz',
    ],
    [
      'a mapping in place of a text',
      { 'queues.yaml': { partitions: [] } },
      '"queues.yaml"',
      'the text of a configuration is expected here, not a mapping',
    ],
    [
      'two of one name',
      list(configs(plain), map(plain, 'yunikorn-configs', 'test')),
      'items[1]',
      'items[0] and items[1] are both named yunikorn-configs; give those of one namespace',
    ],
  ])('is refused with %s', (_, json, path, message) => {
    for (const { errors } of readings(json)) {
      expect(errors).toEqual([expect.objectContaining({ path, message: expect.stringContaining(message) })]);
    }
  });

  it('has its problems in the lines of the key that it was read from, also unpacked', () => {
    const binaryData = { 'queues.yaml.gz': packed(queues('2X')) };
    const text = stringify(map({ ...plain, binaryData }));
    const { errors } = readConfiguration(text);
    const line = text.split('\n').findIndex((one) => one.includes('queues.yaml.gz')) + 1;
    expect(errors).toMatchObject([
      { line, message: expect.stringMatching(/ \(line 5 of queues\.yaml\.gz, unpacked\)$/) },
    ]);
  });

  it('is nothing that a tree of pools has', () => {
    const pools = { $attributes: { config: {} }, $value: {} };
    for (const name of ['data', 'binaryData']) {
      expect(readConfiguration({ json: { [name]: pools } })).toMatchObject({
        valid: true,
        format: 'ytsaurus',
      });
    }
  });
});

describe('values of a chart', () => {
  const values = (blanks: number) =>
    `${' '.repeat(blanks)}yunikornDefaults:\n${' '.repeat(blanks)}  queues.yaml: ${block(queues('2G'), blanks + 4)}`;

  it.each([
    ['YuniKorn', values(0)],
    ['YuniKorn, as `helm get values` prints them', `USER-SUPPLIED VALUES:\n${values(0)}`],
    ['an umbrella chart', `image: {tag: v1}\nyunikorn:\n${values(2)}`],
    ['an umbrella chart, further down', `charts:\n  scheduler:\n${values(4)}`],
    ['a release', `apiVersion: v2\nkind: HelmRelease\nspec:\n  values:\n${values(4)}`],
  ])('of %s are read', (_, text) => {
    expect(readConfiguration(text)).toMatchObject({ errors: [], format: 'yunikorn' });
    expect(readConfiguration(text).queues[1]).toMatchObject(research);
    expect(readConfiguration(text.replace('2G', '2X')).errors[0]).toMatchObject({
      line: text.split('\n').findIndex((line) => line.includes('2G')) + 1,
    });
  });

  it('that have it twice are refused', () => {
    const { errors } = readConfiguration(`a:\n${values(2)}\nb:\n${values(2)}`);
    expect(errors).toMatchObject([
      { path: 'b.yunikornDefaults', message: expect.stringContaining('both have a configuration') },
    ]);
  });

  it('have a compressed text only in binaryData', () => {
    const packed = gzipSync(queues('2G')).toString('base64');
    const { errors } = readConfiguration(
      `kind: ConfigMap\napiVersion: v1\ndata: {queues.yaml.gz: ${packed}}`,
    );
    expect(errors).toMatchObject([
      {
        path: 'data."queues.yaml.gz"',
        message: expect.stringContaining('in binaryData alone; write it there'),
      },
    ]);
    expect(
      readConfiguration(`kind: ConfigMap\napiVersion: v1\nbinaryData: {queues.yaml.gz: ${packed}}`).valid,
    ).toBe(true);
  });
});

describe('unknown keys', () => {
  const text = `partitions:
  - name: default
    quantumscheduling: {enabled: true}
    queues:
      - name: research
        resources: {maxx: {memory: 1G}}
        colour: blue
`;

  it('are errors, which allowing them would not end where another error remains', () => {
    const { errors, allowUnknownHelps } = readConfiguration(text);
    expect({ lines: errors.map(({ line }) => line), allowUnknownHelps }).toEqual({
      lines: [3, 6, 7],
      allowUnknownHelps: false,
    });
  });

  it('alone are all that allowing them would end', () => {
    expect(readConfiguration(text.replace('maxx', 'max')).allowUnknownHelps).toBe(true);
    expect(readConfiguration(text.replace('maxx', 'max'), { allowUnknown: true }).allowUnknownHelps).toBe(
      false,
    );
  });

  it('are warnings with their places where they are allowed, except for one that is nearly a known key', () => {
    const { errors, warnings } = readConfiguration(text, { allowUnknown: true });
    expect(errors).toEqual([
      {
        path: 'partitions[0].queues[0].resources.maxx',
        message: 'unknown key: write max',
        line: 6,
        column: 21,
      },
    ]);
    expect(warnings).toMatchObject([
      { code: 'unknown-key', path: 'partitions[0].quantumscheduling', line: 3 },
      { code: 'unknown-key', path: 'partitions[0].queues[0].colour', line: 7, column: 9 },
    ]);
    expect(readConfiguration(text.replace('maxx', 'max'), { allowUnknown: true }).queues[1]).toMatchObject({
      max: { memory: 1e9 },
    });
  });
});
