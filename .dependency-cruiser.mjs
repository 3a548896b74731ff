/**
 * Which way the arrows point: apps -> libs -> contracts (ARCHITECTURE.md). Checked by
 * `npm run check:imports`, and by `npm test`.
 */
const planningAndEnforcement = '^libs/(planning|enforcement)/';
const specs = '(\\.spec\\.ts$|/test(ing)?/)';

/** The floors of the command line, from the roof down: no file imports from a floor above its own. */
const cliFloors = [
  'commands',
  'actions',
  'scenario',
  'explanations',
  'resources',
  'server',
  'input',
  'output',
  'invocation',
  'contexts',
  'terminal',
];
const cli = '^apps/curtail/src/cli/';
const cliRules = cliFloors.slice(0, -1).map((floor, i) => ({
  name: `cli-below-${floor}`,
  severity: 'error',
  comment: `What ${floor} needs stands below; nothing below needs ${floor}.`,
  from: { path: `${cli}(${cliFloors.slice(i + 1).join('|')})/`, pathNot: specs },
  to: { path: `${cli}${floor}/` },
}));

/** Inside an app imports lead down: no file imports from a folder that contains its own, at any depth. */
const appRules = [1, 2, 3].map((depth) => ({
  name: `app-folders-down-${depth}`,
  severity: 'error',
  comment:
    'Files of a folder compose its subfolders; files that subfolders share have a subfolder of their own.',
  from: { path: `^(apps/.+/)${'[^/]+/'.repeat(depth)}[^/]+$`, pathNot: specs },
  to: { path: '^$1[^/]+$' },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Two modules that need each other are one idea, or a third is missing.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'pure-core',
      severity: 'error',
      comment: 'Planning and enforcement import contracts and nothing else: no framework, no I/O, no clock.',
      from: { path: planningAndEnforcement, pathNot: specs },
      to: { pathNot: '^libs/(contracts|planning|enforcement)/' },
    },
    {
      name: 'pure-core-apart',
      severity: 'error',
      comment: 'Planning and enforcement do not know each other; what they share is in contracts.',
      from: { path: '^libs/(planning|enforcement)/', pathNot: specs },
      to: { path: planningAndEnforcement, pathNot: '^libs/$1/' },
    },
    {
      name: 'contracts-at-the-end',
      severity: 'error',
      comment: 'Everything imports contracts, so contracts imports no other lib.',
      from: { path: '^libs/contracts/', pathNot: specs },
      to: { path: '^(libs|apps|migrations)/', pathNot: '^libs/contracts/' },
    },
    ...cliRules,
    ...appRules,
    {
      name: 'archive-below-replay',
      severity: 'error',
      comment: 'Where archives are is asked by every replay; archiving is one of them.',
      from: { path: '^apps/console/src/archive/', pathNot: specs },
      to: { path: '^apps/console/src/replay/' },
    },
    {
      name: 'contracts-load-nothing',
      severity: 'error',
      comment:
        'A short command starts fast: schemas and the catalog of events, which load zod, have an entry of their own.',
      from: {
        path: '^libs/contracts/src/(index|ground|input-error|words|(planning|shares)/)',
        pathNot: specs,
      },
      to: {
        path: '^node_modules/|^libs/contracts/src/(events|asyncapi)/',
        pathNot: '^libs/contracts/src/events/(cluster-source|configuration-(formats|limits))',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'answers-as-types',
      severity: 'error',
      comment: 'Pure libraries load nothing: of the answers of the API they import types only.',
      from: { path: '^libs/(planning|enforcement|configuration)/', pathNot: specs },
      to: { path: '^libs/contracts/src/api/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'client-by-the-document',
      severity: 'error',
      comment:
        'A client knows the API by its document alone: by the types that are made from it, not by the schemas of the server.',
      from: { path: '^apps/curtail/src/cli/' },
      to: { path: '^libs/contracts/src/api/' },
    },
    {
      name: 'client-in-a-browser',
      severity: 'error',
      comment:
        'The client of the API also runs in a browser: it loads openapi-fetch, and contracts, which load nothing.',
      from: { path: '^libs/api-client/', pathNot: specs },
      to: {
        pathNot: '^(libs/api-client/|libs/contracts/src/ground\\.ts|node_modules/openapi-fetch/)',
      },
    },
    {
      name: 'forecast-without-a-server',
      severity: 'error',
      comment: 'What a configuration would evict is also asked of a file, without a database or a cluster.',
      from: { path: '^libs/forecast/', pathNot: specs },
      to: {
        pathNot:
          '^(util$|libs/(contracts|configuration|enforcement|forecast)/|libs/(clusters/src/planning-view|holds/src/freezes)/)',
      },
    },
    {
      name: 'ground-floor',
      severity: 'error',
      comment: 'Every lib may log and measure, so the platform imports none that does.',
      from: { path: '^libs/(platform|configuration|waiting)/', pathNot: specs },
      to: { path: '^(libs|migrations)/', pathNot: '^libs/(contracts|waiting|$1)/' },
    },
    {
      name: 'roof',
      severity: 'error',
      comment: 'The runtime puts libs together for apps; no lib stands on it.',
      from: { path: '^libs/(?!runtime/)' },
      to: { path: '^libs/runtime/' },
    },
    {
      name: 'no-app-in-a-lib',
      severity: 'error',
      comment: 'What two apps need moves down into a lib, never the other way.',
      from: { path: '^(libs|migrations)/' },
      to: { path: '^apps/' },
    },
    {
      name: 'replay-without-a-cluster',
      severity: 'error',
      comment: 'What reads the log again cannot evict: it knows no cluster, not even one to look at.',
      from: { path: '^(apps/console/src/(replay|read-model|explain)|libs/replay)/', pathNot: specs },
      to: { path: '^libs/clusters/' },
    },
    {
      name: 'apps-apart',
      severity: 'error',
      comment: 'Apps talk through events. Only apps/curtail, the all-in-one process, wires the others.',
      from: { path: '^apps/(?!curtail/)([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'cli-apart',
      severity: 'error',
      comment: 'The command line asks a server, or libs. Only start/ wires apps.',
      from: { path: cli, pathNot: `${cli}actions/doctor\\.ts$` },
      to: { path: '^apps/(?!curtail/)' },
    },
    {
      name: 'doctor-asks-the-agent',
      severity: 'error',
      comment:
        "curtail doctor runs the checks of the agent, with its settings: those are the agent's own, and of no use to others.",
      from: { path: `${cli}actions/doctor\\.ts$` },
      to: { path: '^apps/(?!curtail/)', pathNot: '^apps/agent/src/(doctor|settings)/' },
    },
    {
      name: 'migrations-by-the-store',
      severity: 'error',
      comment: 'The start of a process applies migrations; no other part of a lib needs to know them.',
      from: { path: '^libs/(?!event-store/|runtime/)', pathNot: specs },
      to: { path: '^migrations/' },
    },
    {
      name: 'no-test-support-in-products',
      severity: 'error',
      comment: 'What ships does not import test support.',
      from: { path: '^(apps|libs|migrations)/', pathNot: specs },
      to: { path: '^test/' },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'An import that leads nowhere would pass every rule above.',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist/'] },
    exclude: { path: '^dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Type-only imports count too: they bind just as well.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['curtail-source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
