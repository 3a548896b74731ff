import type { GuideCommand } from './guide-commands.js';

/** Commands of guides that no suite of the guides runs, with the reason: `run by` another suite, or why none does. Their options, files and values are checked all the same. */
const reasons: [pattern: RegExp, why: string][] = [
  [/^docker /, 'needs a Docker daemon'],
  [/^curtail (login|logout)$|--server unix:/, 'run by test/e2e/login.int.spec.ts'],
  [
    /^kubectl (get pods|rollout restart) .*agent/,
    'needs an agent that runs in the cluster as the chart installs it',
  ],
  [/^systemctl /, 'needs services of systemd'],
  [/^chronyc /, 'sets the clock of the machine'],
  [/^rm /, 'removes a file of the reader; the suite of the runbooks makes room instead'],
  [/^df /, 'shows the disks of the machine'],
  [/^helm /, 'needs Helm, and a cluster to install into; test/deploy checks the chart'],
  [/^kubectl create secret /, 'belongs to the cluster that the chart is installed into'],
  [/--cluster yarn /, 'needs a YARN with an administrator; test/clusters/yarn.clusters.spec.ts starts one'],
  [/--cluster ytsaurus /, 'run by test/readme/ytsaurus-guide.slow.spec.ts'],
  [
    /--yarn-(url|answers) /,
    'needs a YARN or its answers; apps/curtail/src/cli/yarn-cluster.spec.ts runs it with recorded ones',
  ],
  [/--ytsaurus-(url|answers) /, 'run by test/readme/ytsaurus-guide.slow.spec.ts'],
  [/^CURTAIL_AGENT_CLUSTER=yarn /, 'run by apps/agent/src/agent-program-yarn.int.spec.ts'],
  [/^CURTAIL_AGENT_CLUSTER=ytsaurus /, 'run by apps/agent/src/agent-program-ytsaurus.int.spec.ts'],
  [/port-forward /, 'needs the Service of a YuniKorn that runs in the cluster'],
  [/\b(pg_dump|pg_restore|createdb|psql|pg_ctl|PGHOST)\b/, "needs PostgreSQL's own client programs"],
  [/^cd \.curtail$/, "a step of the backup with PostgreSQL's own programs"],
  [/^gunzip -c events_/, 'reads a file of the archive, which only a log of past months has'],
  [/^git /, 'needs the repository that the reader has cloned'],
  [/^npm (ci|install)\b/, 'changes node_modules, and needs the npm registry'],
  [/^npm pack$/, 'run by test/e2e/installed-package.slow.spec.ts'],
  [/^npx --no-install /, 'run by test/e2e/installed-package.slow.spec.ts, in an empty folder'],
  [
    /^(cp|install|ln|systemctl|systemd-sysusers|journalctl) |^systemd-sysusers$|^curtail --version$/,
    'changes the machine; test/deploy/systemd.spec.ts checks the units, and test/deploy/install-guide.spec.ts the files',
  ],
  [/\bnpm (run )?test\b|npx jest|^export NODE_OPTIONS|CURTAIL_TEST_/, 'runs tests'],
  [/^npm run (typecheck|lint|check:imports)$/, 'a step of npm test'],
  [
    /^npm run (check:deploy|docs|screenshots|bench)\b/,
    'for developers; takes minutes, or changes the checkout',
  ],
  [/^npx vite build .*--watch|^npm run dev\b|^node --(inspect|cpu-prof) /, 'for developers; does not end'],
  [/^npx nest build /, 'run by test/e2e/nest-build.slow.spec.ts'],
  [
    /^node scripts\/(complete-lock|record-histories|browser)\.mjs/,
    'changes the checkout, or needs a network',
  ],
  [
    /infra(\.mjs)? (-- )?(list-artifacts|setup|control-plane|helm|promtool)/,
    'needs a network or Go; npm test runs all but the first',
  ],
  [
    /npm run (-s )?infra -- (up|status|down)/,
    'run by scripts/infra/command/command.slow.spec.ts, with ports of its own',
  ],
  [/^npm run start:distributed/, 'run by test/e2e/distributed.slow.spec.ts'],
  [/^npm run demo:kubernetes/, 'run by test/readme/demo.clusters.spec.ts'],
  [/^npm run demo:yarn/, 'run by test/readme/demo.clusters.spec.ts'],
  [/^npm run demo:ytsaurus/, 'run by test/readme/demo-ytsaurus.slow.spec.ts'],
  [/simulate load .*--allocations 1000000 /s, 'takes minutes; the tutorial of a larger cluster loads 20,000'],
  [/--port 9000/, 'takes a port that may be in use'],
  [/^cd examples\/platform-service/, 'run by test/e2e/platform-service.slow.spec.ts'],
  [/platform_service\.py$/, 'run by test/e2e/platform-service.slow.spec.ts'],
  [/^python3 -m venv|^\.venv\/bin\/|docs\/openapi\.json/, 'run by test/generated-clients'],
  [/^node dist\/apps\//, 'run by test/e2e/distributed.slow.spec.ts and test/readme/shapes'],
  [/^openssl (genpkey|pkey)/, 'run by test/e2e/checkpoints.int.spec.ts, with keys of its own'],
  [/--client-cert/, 'run by test/security/certificates.int.spec.ts, with certificates of its own'],
  [
    /^kafka-acls\.sh/,
    'run by test/security/kafka-rights.slow.spec.ts, by the same calls of an administrator',
  ],
  [/^kcat -b BROKER/, 'names a broker and a topic of the reader'],
  [
    /verify .*(--archive|--checkpoints|--audit)|log verify \//,
    'run by archive.int.spec.ts, checkpoints.int.spec.ts and audit.int.spec.ts in test/e2e',
  ],
  [/^node scripts\/sbom\.mjs/, 'run by test/documents/supply-chain.spec.ts'],
  [/^(docker |npm publish)/, 'publishes, or needs Docker'],
  [/^openssl rand/, 'names no file and starts nothing'],
];

/** Commands that a sentence names: run if they only read. */
const reading =
  /^(npx )?curtail (diff|explain|export|get|inventory status|plan|report|start --help|status|validate|what-if|dead-letters list)\b/;
const placeholder = /(^|[ /=])[A-Z]{2,}(?![a-z-])|…/;

/** Why a command is not run by the suites of the guides; undefined if it is. */
export function whyNotRun(command: GuideCommand): string | undefined {
  const listed = reasons.find(([pattern]) => pattern.test(command.text));
  if (listed) return listed[1];
  if (command.place !== 'sentence') return undefined;
  if (command.text.startsWith('npm start')) return undefined;
  if (!reading.test(command.text) && !command.text.startsWith('kubectl describe '))
    return 'a sentence names it, and it changes something or is not Curtail';
  return placeholder.test(command.text) ? 'a sentence names it with words that stand for others' : undefined;
}
