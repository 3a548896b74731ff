import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { readConfiguration } from '../read-configuration.js';
import { withOtherComments } from './other-comments.js';

const queues = `partitions:
  - name: default   # the only one
    preemption: {quotapreemptionenabled: true}
    queues:
      - name: root
        queues:
          # Of research
          - name: "research"
            resources:
              max: { memory: 100Gi, vcore: '10' }
            properties:
              quota.preemption.delay: 1s # unusual

          - name: build
            submitacl: 'ci ci-users # both'
            limits:
              - limit: all users
                users: ["*"]
`;
const read = (text: string) => ({ text, result: readConfiguration(text) });
const change = (from: string, to: string, text = queues) => {
  if (!text.includes(from)) throw new Error(`no ${from}`);
  return text.replace(from, to);
};

describe('a configuration that differs in comments', () => {
  it.each([
    ['nothing', queues],
    ['another comment', change('# Of research', '# Of the physicists: "10" {')],
    ['no comment', change('          # Of research\n', '')],
    ['further comments', `# First\n\n${queues}  # last`],
    ['a comment behind a value', change('delay: 1s # unusual', 'delay: 1s   #')],
    ['a comment behind a key', change('resources:', 'resources:   # both')],
    ['a comment between a key and its value', change('resources:\n', 'resources:\n# of it\n\n')],
    ['spaces at an end', change('- name: build', '- name: build  ')],
    ['comments in several places', change('# unusual', '# short', change('# the only one', ''))],
    ['no break at the end', queues.trimEnd()],
    ['breaks of lines in the style of Windows', change('          # Of research\n', '\r\n')],
  ])('is read without its queues: %s', (_what, text) => {
    const of = read(queues);
    expect(of.result.warnings).not.toEqual([]);
    const other = withOtherComments(of, text);
    expect(other).toEqual(readConfiguration(text));
    expect(other!.queues).toBe(of.result.queues);
  });

  it.each([
    ['another value', change('1s', '2s')],
    ['a # that is no comment', change('1s # unusual', '1s# unusual')],
    ['a value that was a comment', change("users # both'", "users'")],
    ['another indentation', change('            submitacl', '           submitacl')],
    ['another document', `${queues}---\n`],
    ['a tab', change('# Of', '#\tOf')],
    ['a directive', `%YAML 1.1\n${queues}`],
    ['a key less', change("            submitacl: 'ci ci-users # both'\n", '')],
  ])('is read as a whole where more may differ: %s', (_what, text) => {
    expect(withOtherComments(read(queues), text)).toBeUndefined();
  });

  it.each([
    ['a block scalar', change("'ci ci-users # both'", '|\n              ci\n              # no comment')],
    ['a quoted scalar on several lines', change("'ci ci-users # both'", '"ci\n              # no comment"')],
    ['a plain scalar on several lines', change("'ci ci-users # both'", 'ci\n              and ci-users')],
    ['a list in the place of a scalar', change("'ci ci-users # both'", 'ci\n              - users')],
    ['an anchor', change('name: "research"', 'name: &a research')],
    ['a tag', change("'ci ci-users # both'", '!!str ci')],
    ['a flow collection on several lines', change('["*"]', '["*"\n                ]')],
    ['an escape', change('"research"', '"re\\u0073earch"')],
  ])('is read as a whole where a comment is not known by its line: %s', (_what, text) => {
    const of = { ...read(text) };
    expect(withOtherComments(of, `# Other\n${text}`)).toBeUndefined();
    expect(withOtherComments(of, text.replace('# no comment', '# another'))).toBeUndefined();
  });

  it('agrees with the reading of the whole text, whatever comes in between its lines', () => {
    const piece = fc.constantFrom(
      '',
      '# a',
      '   # b: "',
      '  ',
      ' - c',
      'd: 1',
      '#',
      "'",
      ' |',
      ' e',
      '\t',
      '- ',
    );
    const scalar = fc.constantFrom<unknown>(
      '1Gi',
      'a b',
      'x # y',
      '#',
      'a: b',
      '- c',
      '',
      10,
      'on',
      "it's",
      '"',
      'a\nb',
      'é',
    );
    const configuration = fc
      .tuple(scalar, scalar, fc.boolean())
      .map(([acl, value, isFlow]) => ({ acl, value, isFlow }));
    let compared = 0;
    fc.assert(
      fc.property(
        configuration,
        fc.array(fc.tuple(fc.nat(30), piece, fc.boolean()), { minLength: 1, maxLength: 3 }),
        ({ acl, value, isFlow }, inserted) => {
          const one = {
            name: 'a',
            submitacl: acl,
            properties: { 'quota.preemption.delay': '1s', application: value },
          };
          const of = {
            partitions: [{ name: 'default', queues: [{ name: 'root', queues: [one, { name: 'b' }] }] }],
          };
          const text = stringify(of, isFlow ? { collectionStyle: 'flow' } : {});
          const base = read(text);
          if (!base.result.valid) return;
          const lines = text.split('\n');
          for (const [at, added, isBehind] of inserted) {
            const line = at % lines.length;
            if (isBehind) lines[line] += ` ${added}`;
            else lines.splice(line, 0, added);
          }
          const changed = lines.join('\n');
          const other = withOtherComments(base, changed);
          if (other === undefined) return;
          compared++;
          expect(other).toEqual(readConfiguration(changed));
        },
      ),
      { numRuns: 3000, seed: 1 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
