/**
 * `npm run check:deploy`: has docker-compose.yml, the Helm chart, the alerts and the units of systemd judged by the tools that will read them.
 * Helm is built and promtool fetched if need be (`npm run infra -- helm`, `promtool`). A check whose tool is missing is named, and the
 * command then ends with status 1 unless `--allow-skipped` is given: nothing that was not checked passes for right. Nothing is started, no
 * cluster is asked. The tests in test/deploy need none of these.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './steps/run.mjs';

const chart = 'deploy/helm/curtail';
const rules = 'deploy/prometheus/curtail.rules.yaml';
const kubernetes = '1.34.0';
const secrets = { CURTAIL_DATABASE_PASSWORD: 'of-the-database', CURTAIL_TOKEN: 'a-token-of-the-check' };
const examples = readdirSync(join(root, chart, 'ci'));
const withValues = (file) => ['--kube-version', kubernetes, '--values', join(chart, 'ci', file)];
const allowsSkipped = process.argv.slice(2).includes('--allow-skipped');

const counted = { ok: 0, failed: 0, skipped: 0 };
const folder = mkdtempSync(join(tmpdir(), 'curtail-deploy-'));
try {
  if (has('docker', ['compose', 'version'])) {
    check('docker-compose.yml', 'docker', ['compose', 'config', '--quiet']);
  } else skip('docker-compose.yml', 'Docker with its compose plugin');

  if (has('docker', ['info'])) check('Dockerfile', 'docker', ['build', '--check', '.']);
  else skip('Dockerfile', 'a Docker engine');

  const helm = programFrom('helm');
  if (helm) for (const file of examples) checkChart(helm, file);
  else skip('the chart', 'Helm, or Go to build it with');

  const promtool = programFrom('promtool');
  if (promtool) check('the alerts', promtool, ['check', 'rules', rules]);
  else skip('the alerts', 'promtool, of Prometheus');

  if (has('systemd-analyze', ['--version'])) checkUnits();
  else skip('the units of systemd', 'systemd-analyze');
} finally {
  rmSync(folder, { recursive: true });
}
progress(`${counted.ok} ok, ${counted.failed} failed, ${counted.skipped} skipped`);
const isWrong = counted.failed > 0 || (counted.skipped > 0 && !allowsSkipped);
if (counted.failed === 0 && isWrong)
  progress('not everything was checked: install what is missing, or add -- --allow-skipped');
process.exitCode = isWrong ? 1 : 0;

/** Judges the chart with one of its files of values, and then each object that it makes. */
function checkChart(helm, file) {
  if (!check(`the chart with ${file}`, helm, ['lint', '--strict', chart, ...withValues(file)])) return;
  const { stdout } = run(helm, ['template', 'curtail', chart, ...withValues(file)]);
  const objects = join(folder, file);
  writeFileSync(objects, stdout);
  const name = `its objects with ${file}`;
  const options = ['-strict', '-ignore-missing-schemas', '-kubernetes-version', kubernetes];
  if (has('kubernetes-validate', ['--version']))
    check(name, 'kubernetes-validate', ['--strict', '--quiet', objects]);
  else if (has('kubeconform', ['-v'])) check(name, 'kubeconform', [...options, objects]);
  // On an API server, test/clusters/chart checks the same.
  else
    progress(`${name}: only by npm run test:clusters: neither kubernetes-validate nor kubeconform is there`);
}

function checkUnits() {
  for (const [source, name] of [
    ['curtail.service', 'curtail.service'],
    ['curtail@.service', 'curtail@timer.service'],
  ]) {
    const copy = join(folder, name);
    copyFileSync(join(root, 'deploy/systemd', source), copy);
    check(`deploy/systemd/${source}`, 'systemd-analyze', ['verify', copy]);
  }
}

/** The path that `npm run infra` prints for a program which it gets if need be; undefined if it is not to be had. */
function programFrom(command) {
  const { status, stdout, stderr } = run(process.execPath, ['scripts/infra.mjs', command]);
  if (status !== 0) progress(`${command}: ${stderr.trim()}`);
  return status === 0 ? stdout.trim() : undefined;
}

function check(name, program, words) {
  const { status, stdout, stderr } = run(program, words);
  const fine = status === 0;
  counted[fine ? 'ok' : 'failed'] += 1;
  progress(`${name}: ${fine ? 'ok' : `FAILED: ${program} ${words.join(' ')}\n${stdout}${stderr}`}`);
  return fine;
}

function skip(name, needed) {
  counted.skipped += 1;
  progress(`${name}: SKIPPED: missing ${needed}`);
}

function has(program, words) {
  return run(program, words).status === 0;
}

function run(program, words) {
  return spawnSync(program, words, { cwd: root, encoding: 'utf8', env: { ...process.env, ...secrets } });
}

function progress(line) {
  console.log(`== ${line}`);
}
