import { availableParallelism } from 'node:os';

const servers = {
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};
const longestFirst = { testSequencer: '<rootDir>/test/support/longest-first.mjs' };
const lanes = {
  // Long enough for a slow machine that others use: the limits end what hangs, and assert nothing.
  unit: { testRegex: '(?<!\\.int|\\.slow|\\.clusters)\\.spec\\.ts$', testTimeout: 60_000 },
  int: { testRegex: '\\.int\\.spec\\.ts$', testTimeout: 300_000, ...longestFirst, ...servers },
  slow: { testRegex: '\\.slow\\.spec\\.ts$', testTimeout: 300_000, ...longestFirst, ...servers },
  // One suite after the other: an agent watches the whole cluster, what the others have put there too.
  clusters: { testRegex: '\\.clusters\\.spec\\.ts$', testTimeout: 300_000, ...servers, maxWorkers: 1 },
};
const lane = process.env.CURTAIL_TEST_LANE ?? 'unit';

/** ESM throughout: run with NODE_OPTIONS=--experimental-vm-modules (scripts/test.mjs does). */
export default {
  // Packages are loaded once for each worker, not for each suite (docs/development.md).
  runtime: '<rootDir>/test/support/jest-patches/shared-packages.mjs',
  testEnvironment: '<rootDir>/test/support/jest-patches/one-realm.mjs',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/migrations', '<rootDir>/scripts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        module: { type: 'es6' },
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  coverageProvider: 'v8',
  // Many tests wait for servers and clocks, so that even two cores carry two. A third one on two cores saves nothing: suites of the int
  // lane start processes of their own, which then wait for each other.
  maxWorkers: Math.min(Math.max(availableParallelism(), 2), 4),
  workerIdleMemoryLimit: '512MB',
  ...lanes[lane],
};
