import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from './read-configuration.js';

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
      'no ConfigMap in this list has the key queues.yaml',
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
      'items[0] and items[1] both have queues.yaml; give the one that is in force',
    ],
  ])('that cannot be one is refused: %j', (text, path, line, message) => {
    expect(readConfiguration(text).errors).toEqual([expect.objectContaining({ path, line, message })]);
  });

  it('in a ConfigMap is no configuration', () => {
    const inner = configMap(block(queues('2G'), 4));
    expect(readConfiguration(configMap(block(inner, 4)))).toMatchObject({ valid: false });
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

  it('are errors, which are counted', () => {
    const { errors, unknownKeys } = readConfiguration(text);
    expect({ lines: errors.map(({ line }) => line), unknownKeys }).toEqual({
      lines: [3, 6, 7],
      unknownKeys: 2,
    });
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
