import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

/** On a machine without Docker and systemd, and with a Helm and a promtool that like everything. */
async function checkDeploy(...words: string[]): Promise<{ status: number; output: string }> {
  const given = { PATH: '/nonexistent', CURTAIL_HELM: '/bin/true', CURTAIL_PROMTOOL: '/bin/true' };
  return promisify(execFile)(process.execPath, ['scripts/check-deploy.mjs', ...words], { env: given }).then(
    ({ stdout }) => ({ status: 0, output: stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ status: code, output: stdout }),
  );
}

describe('npm run check:deploy', () => {
  it('does not end well where something could not be checked, and names it', async () => {
    const { status, output } = await checkDeploy();
    expect(output).toContain('docker-compose.yml: SKIPPED: missing Docker with its compose plugin');
    expect(output).toContain('the units of systemd: SKIPPED: missing systemd-analyze');
    expect(output).toMatch(/== 5 ok, 0 failed, 3 skipped\n== not everything was checked: install/);
    expect(status).toBe(1);
  });

  it('leaves out what is missing if asked to', async () => {
    const { status, output } = await checkDeploy('--allow-skipped');
    expect(output).toMatch(/== 5 ok, 0 failed, 3 skipped\n$/);
    expect(status).toBe(0);
  });
});
