import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ConfigurationOptions, readConfiguration } from '../read-configuration.js';
import { type EntriesRead, type JsonInput, readEntries } from './read-entries.js';

type Json = Record<string, unknown>;
interface Queue extends Json {
  name?: unknown;
  queues?: Queue[];
}

const whole = (input: JsonInput, options: ConfigurationOptions) =>
  readConfiguration('text' in input ? input.text : { json: JSON.parse(input.jsonText) }, options);

/** What is written, where one entry in a hundred has an error. */
function generator(seed: number) {
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
    ...(rarely(9) && { limits: [{ limit: 'all ]}"\\', users: ['*'] }] }),
    ...(rarely(9) && { childtemplate: { resources: { max: { cpu: 1 } } } }),
    ...(rarely(30) && { 'some unknown key': [{ queues: [1] }] }),
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
