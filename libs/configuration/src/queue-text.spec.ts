import { describe, expect, it } from '@jest/globals';
import { type ConfigurationWithQueue, queueTextIn, withPlaceInEntry, withQueueText } from './queue-text.js';
import { readConfiguration } from './read-configuration.js';

const whole = `# the cluster
partitions:
  - name: Default
    queues:
      - name: root
        queues:
          # of team a
          - name: team-a # keep
            resources: {max: {memory: 100G}}
            queues:
              - name: x

              - name: y
          # of team b
          -
            name: team-b
            queues: [{name: z, resources: {max: {memory: 1000000000000000001}}}]
          - {name: c} # last
`;
const merged = (configuration: string, queue: string, sent: string) =>
  withQueueText(configuration, { partition: 'default', queue, sent }) as ConfigurationWithQueue;
const paths = (text: string) => readConfiguration(text).queues.map(({ path }) => path);

describe('the entry of a queue', () => {
  it('is its text, moved to the margin', () => {
    expect(queueTextIn(whole, 'default', 'root.team-a')).toEqual({
      path: 'partitions[0].queues[0].queues[0]',
      text: `name: team-a # keep
resources: {max: {memory: 100G}}
queues:
  - name: x

  - name: y
`,
    });
  });

  it.each(['root', 'root.team-a', 'root.team-a.y', 'root.team-b', 'root.team-b.z', 'root.c'])(
    'of %s can be put back, and the same queues are configured',
    (queue) => {
      const { text, path } = queueTextIn(whole, 'default', queue)!;
      const back = merged(whole, queue, text);
      expect(back.path).toBe(path);
      expect(readConfiguration(back.text).queues).toEqual(readConfiguration(whole).queues);
    },
  );

  it('is also found without a root, in JSON, and in a ConfigMap', () => {
    const withoutRoot = 'partitions:\n- name: default\n  queues:\n  - name: a\n  - name: b\n';
    expect(queueTextIn(withoutRoot, 'default', 'root.b')?.text).toBe('name: b\n');
    expect(queueTextIn(withoutRoot, 'default', 'root')).toBeUndefined();
    const json = JSON.stringify({ partitions: [{ queues: [{ name: 'a', queues: [{ name: 'b' }] }] }] });
    expect(queueTextIn(json, 'default', 'root.a.b')?.text).toBe('{"name":"b"}\n');
    const map = `apiVersion: v1\nkind: ConfigMap\ndata:\n  queues.yaml: |\n    ${withoutRoot.replaceAll('\n', '\n    ').trimEnd()}\n`;
    expect(merged(map, 'root.a', 'name: a\nqueues: [{name: d}]').text).toBe(
      'partitions:\n- name: default\n  queues:\n  - name: a\n    queues: [{name: d}]\n  - name: b\n',
    );
  });

  it('is unknown for a queue, a partition or a list that is written elsewhere', () => {
    const aliased = `partitions:
  - name: default
    queues:
      - name: a
        queues: &shared [{name: x}]
      - name: b
        queues: *shared
`;
    expect(queueTextIn(whole, 'default', 'root.nosuch')).toBeUndefined();
    expect(queueTextIn(whole, 'gpu', 'root.team-a')).toBeUndefined();
    expect(queueTextIn(aliased, 'default', 'root.a.x')?.text).toBe('{name: x}\n');
    expect(queueTextIn(aliased, 'default', 'root.b.x')).toBeUndefined();
  });
});

describe('another entry', () => {
  it('leaves the rest of the text as it is', () => {
    const { text } = merged(whole, 'root.team-a', '# mine\nname: team-a\nqueues:\n  - name: new\n');
    expect(text).toBe(
      whole.replace(
        / {10}- name: team-a[\s\S]*name: y\n/,
        '          - name: team-a\n            queues:\n              - name: new\n',
      ),
    );
    expect(paths(text)).toEqual([
      'root',
      'root.team-a',
      'root.team-a.new',
      'root.team-b',
      'root.team-b.z',
      'root.c',
    ]);
  });

  it('keeps a comment behind the braces that it replaces', () => {
    expect(merged(whole, 'root.c', 'name: c\nqueues:\n- name: d\n').text).toMatch(
      /- name: c\n {12}queues:\n {12}- name: d\n {12} # last\n$/,
    );
  });

  it('keeps every digit where it becomes a part of a list in brackets', () => {
    const { text, lines } = merged(
      whole,
      'root.team-b.z',
      'name: z\nresources:\n  max: {memory: 2000000000000000001, vcore: "1e3"}\n',
    );
    expect(text).toContain('{"memory": 2000000000000000001, "vcore": "1e3"}');
    expect(lines).toBeUndefined();
  });

  it('has problems at the lines that were sent', () => {
    const sent = '\n\n  name: team-a\n  queues:\n    - name: x\n      nosuch: 1\n';
    const result = merged(whole, 'root.team-a', sent);
    const { errors } = readConfiguration(result.text);
    expect(errors).toHaveLength(1);
    expect(withPlaceInEntry(errors[0]!, result)).toMatchObject({
      path: 'queues[0].nosuch',
      line: 6,
      column: 7,
    });
    expect(withPlaceInEntry({ path: '', message: '', line: 2, column: 3 }, result)).toEqual({
      path: '',
      message: '',
    });
  });

  it.each([
    ['- name: team-a', 'one queue is expected here, as under queues: a mapping with name: team-a'],
    ['queues: []', 'the queue needs its name; write name: team-a'],
    ['name: team-b', 'this entry is for the queue team-a; write name: team-a'],
    [
      'name: [',
      'a bracket before this is not closed; close it with ] or }, and indent its lines further than its key',
    ],
    ['name: *other', 'there is no anchor &other in this document'],
  ])('is refused by itself: %s', (sent, message) => {
    expect(withQueueText(whole, { partition: 'default', queue: 'root.team-a', sent })).toMatchObject({
      errors: expect.arrayContaining([
        expect.objectContaining({ line: 1, message: expect.stringContaining(message) }),
      ]),
    });
  });

  it('keeps what is not of the queues below, where only they may change', () => {
    const sent = (entry: string) =>
      withQueueText(whole, { partition: 'default', queue: 'root.team-a', sent: entry, childrenOnly: true });
    const below = 'queues: [{name: new}]';
    expect(sent(`queues: []\nresources:\n  max:\n    memory: 100G\nname: TEAM-A\n`)).toHaveProperty('text');
    expect(sent(`name: team-a\nresources: {max: {memory: 200G}}\nparent: true\n${below}\n`)).toMatchObject({
      errors: [
        { path: 'resources', line: 2, message: expect.stringContaining('leave resources as it is in force') },
        { path: 'parent', line: 3 },
      ],
    });
    expect(sent(`name: team-a\n${below}\n`)).toMatchObject({ errors: [{ path: 'resources', line: 1 }] });
  });

  it('is refused where other parts use an anchor of it with another content', () => {
    const text =
      'partitions:\n- queues:\n  - name: root\n    queues:\n    - {name: a, resources: &x {max: {vcore: 1}}}\n  limits: *x\n';
    const sent = (entry: string) =>
      withQueueText(text, { partition: 'default', queue: 'root.a', sent: entry });
    expect(sent('{name: a, resources: &x {max: {vcore: 2}}}')).toMatchObject({
      errors: [{ message: expect.stringContaining('use an anchor of this entry') }],
    });
    expect(sent('{name: a, resources: &x {max: {vcore: 1}}, parent: true}')).toHaveProperty('text');
  });
});
