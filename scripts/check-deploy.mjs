/**
 * `npm run check:deploy`: has docker-compose.yml and the Helm chart judged by the tools that will read them, as far as they are
 * there; skipped checks are named. Nothing is started, no cluster is asked. The tests in test/deploy need none of these.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './steps/run.mjs';

const chart = 'deploy/helm/curtail';
const kubernetes = '1.34.0';
const secrets = { CURTAIL_DATABASE_PASSWORD: 'of-the-database', CURTAIL_TOKEN: 'a-token-of-the-check' };
const examples = readdirSync(join(root, chart, 'ci'));
const withValues = (file) => ['--kube-version', kubernetes, '--values', join(chart, 'ci', file)];

const counted = { ok: 0, failed: 0, skipped: 0 };
const folder = mkdtempSync(join(tmpdir(), 'curtail-deploy-'));
try {
  if (has('docker', ['compose', 'version'])) {
    check('docker-compose.yml', 'docker', ['compose', 'config', '--quiet']);
  } else skip('docker-compose.yml', 'Docker with its compose plugin');

  if (has('docker', ['info'])) check('Dockerfile', 'docker', ['build', '--check', '.']);
  else skip('Dockerfile', 'a Docker engine');

  if (has('helm', ['version'])) for (const file of examples) checkChart(file);
  else skip('the chart', 'Helm');
} finally {
  rmSync(folder, { recursive: true });
}
progress(`${counted.ok} ok, ${counted.failed} failed, ${counted.skipped} skipped`);
process.exitCode = counted.failed > 0 ? 1 : 0;

/** Judges the chart with one of its files of values, and then each object that it makes. */
function checkChart(file) {
  if (!check(`the chart with ${file}`, 'helm', ['lint', '--strict', chart, ...withValues(file)])) return;
  const { stdout } = run('helm', ['template', 'curtail', chart, ...withValues(file)]);
  const objects = join(folder, file);
  writeFileSync(objects, stdout);
  const name = `its objects with ${file}`;
  if (has('kubernetes-validate', ['--version'])) {
    check(name, 'kubernetes-validate', ['--strict', '--quiet', objects]);
  } else if (has('kubeconform', ['-v'])) {
    const options = ['-strict', '-ignore-missing-schemas', '-kubernetes-version', kubernetes];
    check(name, 'kubeconform', [...options, objects]);
  } else skip(name, 'kubernetes-validate or kubeconform');
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
  progress(`${name}: skipped: missing ${needed}`);
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
