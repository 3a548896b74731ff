import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { type ConfigurationOptions, readConfiguration } from '../read-configuration.js';
import { type EntriesInput, type EntriesRead, readEntries } from './read-entries.js';

type Json = Record<string, unknown>;
interface Queue extends Json {
  name?: unknown;
  queues?: Queue[];
}

const whole = (input: EntriesInput, options: ConfigurationOptions) =>
  readConfiguration('text' in input ? input.text : { json: JSON.parse(input.jsonText) }, options);

/** What is written, where one entry in a hundred has an error. @param odd a text and a key that are seldom in a configuration. */
function generator(seed: number, odd = { text: 'all ]}"\\', key: 'some unknown key' }) {
  let state = seed;
  const below = (most: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * most);
  };
  const one = <T>(...of: T[]): T => of[below(of.length)]!;
  const rarely = (times: number) => below(times) === 0;
  const resources = (level: number): Json => ({
    ...(rarely(3)
      ? {}
      : {
          max: {
            memory: `${600 - 100 * level + below(90)}Gi`,
            ...(rarely(2) && { vcore: 100 - 10 * level + below(9) }),
          },
        }),
    ...(rarely(5) && {
      guaranteed: {
        memory: rarely(40) ? '900Gi' : one<unknown>('1Gi', '2Gi', 0),
        ...(rarely(9) && { vcores: 1 }),
      },
    }),
    ...(rarely(9) && { 'quota.preemption.delay': one<unknown>(30, 600, 100000) }),
    ...(rarely(400) && { minimum: {} }),
  });
  const properties = (): Json => ({
    ...(rarely(2) && { 'quota.preemption.delay': one('5m', '10s', '9h', '0s', '300') }),
    ...(rarely(8) && { 'quota.premption.delay': '5m' }),
    ...(rarely(12) && { 'quota.preemption.share': one('10', '30') }),
    ...(rarely(9) && { 'curtail.freeze': { from: '2027-01-01T00:00Z', duration: '1h' } }),
    ...(rarely(400) && { 'curtail.nothing': 1 }),
  });
  const entry = (level: number): Queue => ({
    name: one('a', 'B', 'c', 'd1', 'team-x', 'e_2') + (rarely(40) ? '' : String(below(9000))),
    ...(rarely(5) && { parent: one<unknown>(true, false, true, true, null) }),
    ...(rarely(6) ? {} : { resources: resources(level) }),
    ...(rarely(3) && { properties: properties() }),
    ...(rarely(60) && { maxapplications: one(0, 3, 9) }),
    ...(rarely(9) && { limits: [{ limit: odd.text, users: ['*'] }] }),
    ...(rarely(9) && { childtemplate: { resources: { max: { cpu: 1 } } } }),
    ...(rarely(30) && { [odd.key]: [{ queues: [1] }] }),
    ...(level < 4 && rarely(2) && { queues: list(level + 1) }),
    ...(rarely(9) && { submitacl: '*' }),
  });
  const list = (level: number): Queue[] =>
    Array.from({ length: below(level === 1 ? 12 : 5) }, () => entry(level));
  const configuration = () => {
    const queues = rarely(4)
      ? list(1)
      : [{ name: one('root', 'Root'), properties: properties(), queues: list(1) }];
    const preemption = {
      quotapreemptionenabled: one(true, true, false),
      ...(rarely(9) && { independentquotas: true }),
    };
    const partition: Json = { name: 'default', preemption, placementrules: [{ name: 'tag' }], queues };
    return { partitions: [partition] };
  };
  const lists = (queues: Queue[]): Queue[][] => [
    queues,
    ...queues.flatMap((queue) => (queue.queues ? lists(queue.queues) : [])),
  ];
  const change = (read: ReturnType<typeof configuration>): void => {
    const [partition] = read.partitions;
    if (rarely(25)) partition!.preemption = { quotapreemptionenabled: one(true, false) };
    if (rarely(25)) partition!.nodesortpolicy = { type: 'fair', [one('resourceweights', 'weights')]: {} };
    const of = one(...lists(partition!.queues as Queue[]));
    const at = below(of.length);
    const queue = of[at];
    const isTop = of === partition!.queues;
    if (queue === undefined || (rarely(4) && !isTop)) of.splice(below(of.length + 1), 0, entry(2));
    else if (rarely(6) && !isTop) of.splice(at, 1);
    else if (rarely(8) && !isTop) of.push(...of.splice(0, 1));
    else if (rarely(40) && !isTop) of.push(structuredClone(queue));
    else if (rarely(3)) queue.resources = resources(3);
    else if (rarely(2)) queue.properties = properties();
    else if (rarely(4) && queue.name !== 'root') queue.name = `${queue.name}n`;
    else if (rarely(9)) queue.maxapplications = one(0, 2, 5, 100);
    else if (rarely(7) && !isTop && queue.queues) delete queue.queues;
    else if (rarely(5) && !isTop) queue.queues = list(3);
  };
  return { configuration, change, one, below };
}

/** A text with a few lines or characters changed, mostly so that it means something else or nothing. */
function withEdits(text: string, one: <T>(...of: T[]) => T, below: (most: number) => number): string {
  const lines = text.split('\n');
  for (let i = one(1, 1, 1, 2, 3); i > 0; i--) {
    const at = below(lines.length);
    const line = lines[at]!;
    const other = lines[below(lines.length)]!;
    const indentation = one(/^ */.exec(line)![0], ' '.repeat(below(14)));
    const piece = one(
      '"',
      "'",
      '|',
      '>',
      '&a ',
      '*a',
      '!!str ',
      '#',
      ' #',
      ':',
      ': ',
      '- ',
      '{',
      '}',
      '[',
      ',',
      '\t',
      '\\',
      '\r',
      '?',
      '0',
      'x',
      ' ',
      '  ',
      'é',
      '\u2028',
    );
    const word = one(
      'queues:',
      'queues: # of it',
      'queues: []',
      '- name: x',
      '- name: y9',
      '- name: root',
      '---',
      '...',
      'maxapplications: 3',
      '- ',
      '-',
      '# c',
      'partitions:',
      'resources:',
      'name: z',
      '<<: *a',
      'submitacl: x',
      'parent: true',
      'unknown: 1',
      "'queues':",
      'queues : ',
      'queues: [{name: f}]',
      'queues: null',
      'preemption:',
    );
    const column = below(line.length + 1);
    const edits = [
      () => lines.splice(at, 1),
      () => lines.splice(at, 0, other),
      () => lines.splice(at, 0, indentation + word),
      () => (lines[at] = indentation + line.trimStart()),
      () => (lines[at] = ` ${line}`),
      () => (lines[at] = line.replace(/^ /, '')),
      () => (lines[at] = line.slice(0, column) + piece + line.slice(column)),
      () => (lines[at] = line.slice(0, column) + line.slice(column + 1)),
      () => lines.push(...lines.splice(at, 1 + below(4))),
      () => lines.splice(below(lines.length), 0, ...lines.splice(at, 1 + below(4))),
      () => (lines[at] = `${line}${lines.splice(at + 1, 1)[0] ?? ''}`),
    ];
    one(...edits)();
  }
  return lines.join('\n');
}

const runs = Number(process.env.CURTAIL_PROPERTY_RUNS ?? 300);

describe('reading entries', () => {
  it('reads generated configurations and changes of them as a whole reading does', () => {
    let [alone, taken, queues] = [0, 0, 0];
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { configuration, change, one, below } = generator(seed);
        const options: ConfigurationOptions = {
          allowUnknown: one(true, true, true, false),
          switchedOn: one(true, false),
          delayInheritance: one(true, true, false),
          guaranteedEqualsMax: one('allow', 'refuse'),
          ...(below(2) && { knownResourceTypes: new Set(['memory', 'vcore']) }),
        };
        const written = configuration();
        const indent = one(undefined, 1, 2);
        const hasPlaces = one(true, false);
        let base: EntriesRead | undefined;
        for (let step = 0; step < 6; step++) {
          const text = JSON.stringify(written, undefined, indent);
          const input = hasPlaces ? { text } : { jsonText: text };
          const expected = whole(input, options);
          const read = readEntries(input, options, { base });
          const fromNothing = readEntries(input, options);
          expect({ text, result: read?.result }).toEqual({
            text,
            result: expected.valid ? expected : undefined,
          });
          expect(read?.kept).toEqual(fromNothing?.kept);
          if (read) alone++;
          const before = new Set(base?.result.queues);
          for (const queue of read?.result.queues ?? []) if (before.has(queue)) taken++;
          queues += read && base ? read.result.queues.length : 0;
          base = read ?? base;
          for (let i = one(0, 1, 1, 2, 3); i > 0; i--) change(written);
        }
      }),
      { numRuns: runs },
    );
    // Else this would compare nothing.
    expect(alone).toBeGreaterThan(runs);
    expect(taken).toBeGreaterThan(queues / 2);
  });

  const inYaml = `partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: a
            resources:
              max: {vcore: 4}
          - name: b
            queues: # of it
              - name: c
                unknown: 1

              # the last one
              - name: d
                properties:
                  quota.preemption.delay: 9h
          - name: e
    preemption:
      quotapreemptionenabled: true
`;
  const atMargin = `partitions:
- name: default
  queues:
  - name: root
    queues:
    - name: a
      resources:
        max: {vcore: 4}
    - name: b
      queues: # of it
      - name: c
        unknown: 1

      # the last one
      - name: d
        properties:
          quota.preemption.delay: 9h
    - name: e
  preemption:
    quotapreemptionenabled: true
`;
  const withoutRoot = inYaml.replace('      - name: root\n        queues:\n', '');
  /** The configuration is read as by a whole reading, or not at all. */
  const readAlike = (text: string, options: ConfigurationOptions, base?: EntriesRead) => {
    const before = base?.kept.text;
    const now = readEntries({ text }, options, { base });
    if (now)
      expect({ before, text, result: now.result }).toEqual({
        ...{ before, text },
        result: readConfiguration(text, options),
      });
    return now;
  };

  it.each([
    ['in lists', inYaml],
    ['in lists at the margin of their keys', atMargin],
    ['without a root', withoutRoot],
    ['without a break at the end', inYaml.trimEnd()],
    ['with breaks of lines in the style of Windows', inYaml.replaceAll('\n', '\r\n')],
    ['with the mark of a document', `---\n${inYaml}`],
    ['in the middle of the partition', inYaml.replace(/( {4}queues:.*)( {4}preemption:.*)/s, '$2$1')],
  ])('reads only what changed in YAML %s', (_what, text) => {
    const options = { allowUnknown: true };
    const before = readAlike(text, options)!;
    const changed = text.replace('vcore: 4', 'vcore: 5').replace('# the last one', '# last');
    const after = readAlike(changed, options, before)!;
    const isSame = after.result.queues.map((queue) => before.result.queues.includes(queue));
    expect(isSame).toEqual([false, false, false, true, true, true]);
    const more = text.replace('# the last one', '- name: d2');
    expect(readAlike(more, options, after)!.result.queues.map(({ path }) => path)).toContain('root.b.d2');
  });

  it.each<[string, string, string]>([
    ['a key more at the end of an entry', '          - name: b', '            parent: true\n$&'],
    ['a longer value at the end', '9h', '9h0m'],
    ['an entry with another name', 'name: c', 'name: c2'],
    ['a comment behind the last entry', '          - name: e\n', '$&  # the end\n# of all\n'],
    ['an entry less', '          - name: e\n', ''],
    ['an entry more', '          - name: e\n', '$&          - name: f\n'],
  ])('reads only what changed in YAML: %s', (_what, from, to) => {
    const options = { allowUnknown: true };
    for (const text of [inYaml, withoutRoot]) {
      const before = readAlike(text, options)!;
      const { queues } = readAlike(text.replace(from, to), options, before)!.result;
      expect(queues.filter((queue) => before.result.queues.includes(queue)).length).toBeGreaterThan(2);
    }
  });

  it.each([
    ['name: e#x', false],
    ['name: e #x', true],
    ['name: e\n#x', true],
    ['name: ef', true],
  ])('reads a last line that became %j', (last, isRead) => {
    const text = inYaml.replace(/\n {4}preemption:.*/s, '');
    const base = readAlike(text, { allowUnknown: true })!;
    const now = readAlike(text.replace('name: e', last), { allowUnknown: true }, base);
    expect(now !== undefined).toBe(isRead);
  });

  it.each<[string, string, string]>([
    ['an entry less indented', '          - name: e', '        - name: e'],
    ['an entry more indented', '          - name: e', '           - name: e'],
    ['another list behind the queues', '    preemption:', '        - name: f\n$&'],
    ['a key behind the queues', '    preemption:', '        parent: true\n$&'],
    ['a key at the margin of the entries', '    preemption:', '          parent: true\n$&'],
    ['queues on a line', '          - name: e\n', '$&            queues: [{name: f}]\n'],
    [
      'queues below a quoted key',
      '          - name: e\n',
      "$&            'queues':\n              - name: f\n",
    ],
    [
      'two lists of queues',
      '          - name: e\n',
      '$&            queues:\n              - name: f\n            queues:\n',
    ],
    ['no break before what follows', 'name: e\n', 'name: e'],
    ['a comment in the place of a break', 'name: e\n', 'name: e # '],
    ['a comment that takes in what follows', '    preemption:', '#$&'],
    ['a control character in a comment', '# the last one', '# \u0001'],
    ['a lone carriage return', '# the last one', '#\r              - name: x'],
    ['a part of a character', '# the last one', '# \ud800'],
    ['a scalar over two lines', '9h\n', '9h\n                    0m\n'],
    ['a block scalar', '9h\n', '|\n                    9h\n'],
    ['an anchor', 'name: c', 'name: &x c'],
    ['another document', '          - name: e\n', '---\n$&'],
    ['a mark of the end', '    preemption:', '...\n$&'],
    ['another partition', '    preemption:', '  - name: other\n    queues: []\n$&'],
  ])('reads as a whole reading does, or not at all: %s', (_what, from, to) => {
    for (const text of [inYaml, withoutRoot]) {
      const changed = text.replace(from, to);
      readAlike(changed, { allowUnknown: true }, readAlike(text, { allowUnknown: true }));
      readAlike(changed, { allowUnknown: true });
    }
  });

  it.each([
    ['an entry that is renamed', 'team', 'Root', ['team']],
    ['an entry that is alone then', 'other', undefined, ['root', 'other']],
  ])(
    'leaves the only top queue to a whole reading where it becomes the root: %s',
    (_what, from, to, names) => {
      const textOf = (these: (string | undefined)[]) => ({
        partitions: [
          {
            name: 'default',
            queues: these
              .filter((name) => name !== undefined)
              .map((name) => ({ name, resources: { max: { vcore: 4 } } })),
          },
        ],
      });
      for (const write of [JSON.stringify, stringify]) {
        const base = readAlike(write(textOf(names)), {})!;
        const changed = write(textOf(names.map((name) => (name === from ? to : name))));
        readAlike(changed, {}, base);
        readAlike(changed, {});
      }
    },
  );

  it('leaves a break that YAML does not have between entries in JSON to a whole reading', () => {
    const text = '{"partitions":[{"name":"default","queues":[{"name":"a"},\n{"name":"b"}]}]}';
    const base = readAlike(text, {})!;
    readAlike(text.replace('\n', '\r'), {}, base);
  });

  it('leaves a partition without its queues to a whole reading', () => {
    const one =
      'partitions:\n- name: default\n  queues:\n  - name: a\n  preemption: {quotapreemptionenabled: true}\n';
    expect(readAlike(one.replace('  - name: a\n', ''), {}, readAlike(one, {})!)).toBeUndefined();
  });

  it('reads changes of lines in YAML as a whole reading does', () => {
    const options = { allowUnknown: true };
    let [read, all] = [0, 0];
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(inYaml, atMargin, withoutRoot), (seed, text) => {
        const { one, below } = generator(seed);
        let base = readAlike(text, options)!;
        for (let step = 0; step < 3; step++) {
          all++;
          const changed = withEdits(base.kept.text, one, below);
          const now = readAlike(changed, options, base);
          readAlike(changed, options);
          if (now) read++;
          base = now ?? base;
        }
      }),
      { numRuns: 10 * runs },
    );
    expect(read).toBeGreaterThan(all / 10);
  });

  it('reads generated configurations in YAML as a whole reading does', () => {
    let [valid, alone, taken, queues] = [0, 0, 0, 0];
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { configuration, change, one, below } = generator(seed, {
          text: 'all users',
          key: 'unknownkey',
        });
        const options = { allowUnknown: one(true, true, true, false), switchedOn: one(true, false) };
        const written = configuration();
        const style = { indent: one(2, 3, 4), indentSeq: one(true, false), lineWidth: 0 };
        const lineBreak = one('\n', '\n', '\r\n');
        const begin = one('', '', '---\n', '# of all\n\n');
        let base: EntriesRead | undefined;
        for (let step = 0; step < 4; step++) {
          const lines = (begin + stringify(written, style)).split('\n');
          for (let i = below(3); i > 0; i--)
            lines.splice(
              1 + below(lines.length),
              0,
              `${' '.repeat(below(12))}${one('', '# a comment: x', '#')}`,
            );
          for (let i = below(3); i > 0; i--) lines[below(lines.length)] += one('', ' ', ' # "');
          const text = lines.join(lineBreak);
          const now = readAlike(text, options, base);
          const before = new Set(base?.result.queues);
          for (const queue of now?.result.queues ?? []) if (before.has(queue)) taken++;
          queues += now && base ? now.result.queues.length : 0;
          valid += Number(readConfiguration(text, options).valid);
          alone += Number(now !== undefined);
          base = now ?? base;
          for (let times = now ? 4 : 0; times > 0; times--) {
            const changed = withEdits(text, one, below);
            const after = readAlike(changed, options, base);
            if (after && below(3) === 0) base = after;
          }
          for (let i = one(0, 1, 1, 2, 3); i > 0; i--) change(written);
        }
      }),
      { numRuns: runs },
    );
    expect(alone).toBeGreaterThan(valid / 2);
    expect(taken).toBeGreaterThan(queues / 3);
  });

  const root = (...queues: Queue[]) =>
    JSON.stringify({ partitions: [{ name: 'default', queues: [{ name: 'root', queues }] }] });
  const limited = (memory: number) => ({ resources: { max: { memory } } });
  const delayed = (delay: string) => ({ properties: { 'quota.preemption.delay': delay } });
  const unusual = delayed('9h');
  const read = (text: string, base?: EntriesRead, most?: number) =>
    readEntries({ text }, {}, { base, ...(most === undefined ? {} : { most }) });

  it('reads only what changed', () => {
    const before = read(root({ name: 'a' }, { name: 'b', queues: [{ name: 'c' }, { name: 'd' }] }))!;
    const after = read(
      root({ name: 'a' }, { name: 'b', queues: [{ name: 'c' }, { name: 'd', ...limited(1) }] }),
      before,
      2,
    )!;
    const isSame = after.result.queues.map((queue, i) => queue === before.result.queues[i]);
    expect(isSame).toEqual([false, true, false, true, false]);
  });

  it('gives up when more entries changed than it may read', () => {
    const before = read(root({ name: 'a' }, { name: 'b' }))!;
    expect(read(root({ name: 'c' }, { name: 'd' }), before, 1)).toBeUndefined();
  });

  it.each([
    ['the same warnings of another queue', [{ name: 'a', ...unusual }], [{ name: 'b', ...unusual }]],
    ['warnings that come', [{ name: 'a', queues: [{ name: 'b' }] }], [{ name: 'a', ...unusual }]],
    ['warnings that go with a list', [{ name: 'a', queues: [{ name: 'b', ...unusual }] }], [{ name: 'a' }]],
    ['a warning about all queues', [{ name: 'a', ...unusual }], [{ name: 'a', ...unusual, ...limited(1) }]],
    ['another warning', [{ name: 'a', ...delayed('9h') }], [{ name: 'a', ...delayed('8h') }]],
    ['warnings that move', [{ name: 'a', ...unusual }], [{ name: 'b' }, { name: 'a', ...unusual }]],
  ])('has the warnings of a whole reading: %s', (_what, before, after) => {
    const base = readEntries({ jsonText: root(...before) }, {})!;
    const input = { jsonText: root(...after) };
    expect(readEntries(input, {}, { base })?.result).toEqual(whole(input, {}));
  });

  it('has the warnings of a whole reading where the root is no longer written', () => {
    const base = readEntries({ jsonText: root({ name: 'a', ...unusual }) }, {})!;
    const queues = [{ name: 'a', ...unusual }];
    const input = { jsonText: JSON.stringify({ partitions: [{ name: 'default', queues }] }) };
    expect(readEntries(input, {}, { base })?.result).toEqual(whole(input, {}));
  });

  it('keeps the warnings of an earlier configuration where none of them changed', () => {
    const [a, b] = [{ name: 'a', ...unusual, ...limited(1) }, { name: 'b' }];
    const base = readEntries({ jsonText: root(a, b) }, {})!;
    const input = { jsonText: root({ ...a, ...limited(2) }, { ...b, ...limited(3) }) };
    const { result } = readEntries(input, {}, { base })!;
    expect(result.warnings).toBe(base.result.warnings);
    expect(result).toEqual(whole(input, {}));
  });

  it.each([
    [
      'two entries of the same name, both as they were',
      root({ name: 'a' }, { name: 'b' }),
      root({ name: 'b' }, { name: 'b' }),
    ],
    [
      'a renamed entry with the name of another one',
      root({ name: 'a' }, { name: 'b' }),
      root({ name: 'b', parent: true }, { name: 'b' }),
    ],
  ])('leaves %s to a whole reading', (_what, before, after) => {
    expect(read(after, read(before))).toBeUndefined();
    expect(readConfiguration(after).valid).toBe(false);
  });

  it.each([
    ['YAML', 'partitions:\n  - name: default\n    queues: []\n'],
    ['several partitions', '{"partitions":[{"name":"a","queues":[]},{"name":"b","queues":[]}]}'],
    ['a comment', `${root({ name: 'a' })} # none`],
    ['an escaped key', '{"partitions":[{"name":"default","que\\u0075es":[]}]}'],
    ['keys without quotes', '{partitions: [{name: default, queues: []}]}'],
    ['no JSON', '{"partitions":[{"name":"default","queues":[{"name":"root","queues":[{"name":"a",}]}]}]}'],
    [
      'an item that is no entry',
      '{"partitions":[{"name":"default","queues":[{"name":"root","queues":[null]}]}]}',
    ],
    [
      'a double list',
      '{"partitions":[{"name":"default","queues":[{"name":"root","queues":[],"queues":[]}]}]}',
    ],
    ['more after the end', `${root({ name: 'a' })} {}`],
    ['an answer of YuniKorn', '{"Partitions":[{"Name":"default","Queues":[]}]}'],
    ['pool trees', '{"pool_trees":{"physical":{"pools":{}}}}'],
    ['a manifest', `{"kind":"ConfigMap","apiVersion":"v1","partitions":[{"name":"default","queues":[]}]}`],
  ])('leaves %s to a whole reading', (_what, text) => {
    expect(read(text)).toBeUndefined();
    const isJson = !['YAML', 'a comment', 'keys without quotes', 'no JSON', 'more after the end'].includes(
      _what,
    );
    if (isJson) expect(readEntries({ jsonText: text }, {})).toBeUndefined();
  });

  it('leaves entries nested deeper than a configuration may be to a whole reading', () => {
    let queue: Queue = { name: 'q' };
    for (let i = 0; i < 120; i++) queue = { name: 'q', queues: [queue] };
    expect(read(root(queue))).toBeUndefined();
    expect(readConfiguration(root(queue)).valid).toBe(false);
  });
});
