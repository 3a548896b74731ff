import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { curtail } from '../../apps/curtail/src/cli/test-terminal.js';
import { TestKubernetes } from '../support/kubernetes.js';

describe('curtail doctor on a real API server', () => {
  let kubernetes: TestKubernetes;
  beforeAll(async () => {
    kubernetes = await TestKubernetes.open();
  });
  afterAll(() => kubernetes?.close());

  async function examine(user: 'admin' | 'nobody') {
    const env = {
      CURTAIL_KUBECONFIG: await kubernetes.kubeconfig({ user }),
      CURTAIL_SERVER: 'http://127.0.0.1:1',
    };
    const { status, stdout } = await curtail(['doctor', '--enforce', '-o', 'json'], { env });
    const { healthy, checks } = JSON.parse(stdout) as {
      healthy: boolean;
      checks: { name: string; status: string; message: string; remedy?: string[] }[];
    };
    return { status, healthy, checks, problems: checks.filter((check) => check.status === 'problem') };
  }

  it('finds no problem in a working cluster: exit status 0', async () => {
    const { status, healthy, problems, checks } = await examine('admin');
    expect(problems).toEqual([]);
    expect({ status, healthy }).toEqual({ status: 0, healthy: true });
    const names = checks.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['API server', 'TLS', 'clock of the API server', 'rights to enforce', 'quotas']),
    );
  });

  it('names every permission for a user without any: exit status 1', async () => {
    const { status, problems } = await examine('nobody');
    expect(status).toBe(1);
    const [observe, enforce] = problems;
    expect(observe).toMatchObject({
      name: 'rights to observe',
      message: expect.stringContaining('watch resourcequotas'),
    });
    expect(observe?.remedy?.[0]).toBe(
      'kubectl create clusterrole curtail-agent-pods --verb=list,watch --resource=pods',
    );
    expect(enforce).toMatchObject({
      name: 'rights to enforce',
      message: expect.stringContaining('create pods/eviction'),
    });
  });
});
