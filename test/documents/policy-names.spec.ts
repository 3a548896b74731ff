import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { planners } from '#planning';

/*
 * A policy is a folder in each library that has policies, an entry in its registry, and a wire schema (docs/development.md, "Adding a
 * policy"). All other code treats policies alike: it asks the registry what a policy does, and never which one it is.
 */

const { names } = planners;

/** The folder of a policy, in whichever library. */
const folder = new RegExp(`/src/(${names.join('|')})/`);

/** Files that may name policies, and why the name is needed. */
const mayName: Record<string, string> = {
  'libs/contracts/src/planning/policy.ts':
    'wire schema: timers of clocks, and events of the runs that they start, have no other name for the policy',
  'libs/planning/src/policies.ts': 'registry of planners',
  'libs/planning/src/words.ts': 'registry of the words of rules',
  'libs/planning/src/index.ts': 'exports from a folder what the other folders of that policy use',
  'libs/enforcement/src/policies.ts': 'registry of RunPolicy',
  'libs/enforcement/src/index.ts': 'exports from folders what the other folders of those policies use',
  'libs/rounds/src/policies.ts': 'registry of RoundPolicy',
  'libs/rounds/src/index.ts': 'exports from a folder what tests use',
  'libs/configuration/src/policies.ts': 'registry of readers of settings',
  'libs/configuration/src/capacity-scheduler/in-queue-settings.ts':
    'translates settings of a scheduler that has this policy alone',
  'libs/configuration/src/ytsaurus/read-pool-trees.ts':
    'translates settings of a scheduler that has this policy alone',
  'libs/agents/src/ytsaurus/planned-tree.ts': 'plans for a scheduler that has this policy alone',
  'apps/curtail/src/cli/actions/plan-tree.ts': 'plans for a scheduler that has this policy alone',
  'apps/curtail/src/cli/resources/plans.ts': 'registry of what the command line shows',
};

/** Words and tables of one policy. Code that is meant for all of them has no use for these. */
const ownWords = {
  'quota-decrease': /quota[-_]?decrease/i,
  'intra-queue': /intra[-_]?queue|\bpreempted_applications\b/i,
  'fair-share': /fair[-_]?share|starv(e|ing|ation)|\b(preemptive_nodes|exempt_work)\b/i,
} as const;

/** Besides the files above: what may have words of one policy, and why. */
const mayHaveWords: [RegExp, string][] = [
  [/^libs\/contracts\/src\//, 'wire schemas'],
  [/^libs\/api-client\/src\/generated\//, 'made from the wire schemas'],
  [/^libs\/configuration\/src\/(ytsaurus|capacity-scheduler)\//, 'formats with names of their own'],
  [/^libs\/agents\/src\/yarn\/configuration\.ts$/, 'a format with names of its own'],
  [/^libs\/runtime\/src\/settings\/app-settings\.ts$/, 'the settings of the policy of clocks'],
  [/^apps\/planner\/src\/runs\/plan-run\.ts$/, 'plans the runs that clocks start'],
  [
    /^apps\/console\/src\/queries\/(pools|queries\.controller|queue-statements)\.ts$/,
    'answers with pools and operations',
  ],
  [/^apps\/curtail\/src\/cli\/resources\/pools\.ts$/, 'shows pools and operations'],
  [/^apps\/curtail\/src\/cli\/(actions\/plan-tree|commands\/plan)\.ts$/, 'plans a tree of pools'],
  [/^libs\/agents\/src\/ytsaurus\//, 'reads paths that YTsaurus names so'],
  [/^apps\/curtail\/src\/cli\/output\/element-lines\.ts$/, 'shows the parts of a plan'],
  [/^apps\/curtail\/src\/cli\/scenario\/watch-scenario\.ts$/, 'shows pools and operations'],
];

const sources = execFileSync('git', ['ls-files', 'apps/*.ts', 'libs/*.ts'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => path.includes('/src/') && !path.endsWith('.spec.ts'));

/** A name as a string, also within SQL, or an import from the folder of a policy. */
const named = new RegExp(`['"\`](${names.join('|')})['"\`]|from '[^']*(${names.join('|')})/`);

const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');

describe('the name of a policy', () => {
  it('stands only in its folders, the registries and the schemas', () => {
    const elsewhere = sources.filter(
      (path) =>
        !folder.test(path) && !(path in mayName) && named.test(withoutComments(readFileSync(path, 'utf8'))),
    );
    expect(elsewhere).toEqual([]);
  });

  it('is not behind a word or a table of its own in code for all policies', () => {
    const leaks = sources
      .filter((path) => !(path in mayName) && !mayHaveWords.some(([where]) => where.test(path)))
      .flatMap((path) => {
        const own = folder.exec(path)?.[1];
        const text = withoutComments(readFileSync(path, 'utf8'));
        return Object.entries(ownWords).flatMap(([policy, words]) => {
          const found = policy === own ? null : words.exec(text);
          return found ? [`${path}: ${found[0]} is of ${policy}`] : [];
        });
      });
    expect(leaks).toEqual([]);
  });

  it('has words in each of the places that may have them', () => {
    const any = new RegExp(
      Object.values(ownWords)
        .map(({ source }) => source)
        .join('|'),
      'i',
    );
    const without = mayHaveWords.filter(
      ([where]) =>
        !sources.some((path) => where.test(path) && any.test(withoutComments(readFileSync(path, 'utf8')))),
    );
    expect(without).toEqual([]);
  });

  it('stands in each of the files that may have it', () => {
    const without = Object.keys(mayName).filter((path) => !named.test(readFileSync(path, 'utf8')));
    expect(without).toEqual([]);
  });

  it('stands in no folder of another policy', () => {
    const wrong = sources.flatMap((path) => {
      const own = folder.exec(path)?.[1];
      if (own === undefined) return [];
      const others = names.filter((name) => name !== own);
      const found = new RegExp(`['"\`](${others.join('|')})['"\`]`).test(
        withoutComments(readFileSync(path, 'utf8')),
      );
      return found ? [path] : [];
    });
    expect(wrong).toEqual([]);
  });
});
