import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { callsFor, purposesOf } from '#agents/kubernetes';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { TestKubernetes, type Thing } from '../support/kubernetes.js';

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
      checks: { name: string; status: string; message: string; remedy?: string[]; manifest?: string }[];
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
    expect(enforce).toMatchObject({
      name: 'rights to enforce',
      message: expect.stringContaining('create pods/eviction'),
    });
  });

  describe('prints one manifest', () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const needed = callsFor(purposesOf({ mode: 'enforce', queues: 'namespaces', lease: false }));
    const verbs = needed.flatMap(({ group, resource, verbs }) =>
      verbs.map((verb) => ({ group, resource, verb })),
    );
    let made: string[] = [];
    afterEach(async () => {
      for (const path of made) await kubernetes.remove(path);
      made = [];
      await kubernetes.until('the rights to be withdrawn', async () => {
        const { checks } = await examine('nobody');
        return checks.find(({ name }) => name === 'rights to observe')?.status === 'problem';
      });
    });

    /** What `kubectl apply --server-side` does. */
    async function apply(manifest: string): Promise<void> {
      for (const document of parseAllDocuments(manifest)) {
        const object = document.toJS() as Thing & { kind: string };
        const path = `${rbac}/${object.kind.toLowerCase()}s/${object.metadata.name}`;
        made.push(path);
        await kubernetes.ask('PATCH', path, object, {
          contentType: 'application/apply-patch+yaml',
          query: { fieldManager: 'test', force: 'true' },
        });
      }
    }
    /** Gives `nobody` all that is needed but one. */
    async function grantAllBut(verb: string, resource: string): Promise<void> {
      const rules = verbs
        .filter((one) => one.verb !== verb || one.resource !== resource)
        .map(({ group, resource, verb }) => ({ apiGroups: [group], resources: [resource], verbs: [verb] }));
      const name = 'test-all-but-one';
      await kubernetes.ask('POST', `${rbac}/clusterroles`, { metadata: { name }, rules });
      await kubernetes.ask('POST', `${rbac}/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'User', name: 'nobody', apiGroup: 'rbac.authorization.k8s.io' }],
      });
      made.push(`${rbac}/clusterroles/${name}`, `${rbac}/clusterrolebindings/${name}`);
    }
    const manifestsOf = (checks: { manifest?: string }[]) =>
      checks.flatMap(({ manifest }) => (manifest === undefined ? [] : [manifest]));
    const untilSatisfied = () =>
      kubernetes.until('doctor to be satisfied', async () => (await examine('nobody')).healthy);

    it('with which doctor is satisfied from no rights on, also when it is applied again', async () => {
      const { checks } = await examine('nobody');
      const manifests = manifestsOf(checks);
      expect(manifests).toHaveLength(1);
      await apply(manifests[0]!);
      await apply(manifests[0]!);
      await untilSatisfied();
      expect((await examine('nobody')).problems).toEqual([]);
    });

    it('alone, for kubectl, with --manifest, and whole where it is shown with the checks', async () => {
      const env = {
        CURTAIL_KUBECONFIG: await kubernetes.kubeconfig({ user: 'nobody' }),
        CURTAIL_SERVER: 'http://127.0.0.1:1',
      };
      const alone = await curtail(['doctor', '--enforce', '--manifest'], { env });
      expect(alone.status).toBe(0);
      await apply(alone.stdout);
      await untilSatisfied();
      for (const path of made.splice(0)) await kubernetes.remove(path);
      await kubernetes.until('the rights to be withdrawn', async () => !(await examine('nobody')).healthy);
      const shown = (await curtail(['doctor', '--enforce', '-o', 'table'], { env })).stdout;
      const [, printed = ''] = /^kubectl apply -f - <<'EOF'\n([\s\S]*?\n)EOF$/m.exec(shown) ?? [];
      expect(printed).toBe(alone.stdout);
      expect(shown.match(/kind: ClusterRole\n/g)).toHaveLength(1 + 1);
      await apply(printed);
      await untilSatisfied();
    });

    it.each(verbs.map(({ verb, resource }) => [verb, resource]))('without %s %s', async (verb, resource) => {
      await grantAllBut(verb, resource);
      const { checks } = await kubernetes.until('only that to be missing', async () => {
        const found = await examine('nobody');
        const missing = found.checks
          .filter(({ name }) => name.startsWith('rights to'))
          .map(({ message }) => message);
        return (
          missing
            .filter((one) => one !== 'all granted')
            .join()
            .split(';').length === 1 &&
          missing.some((one) => one.startsWith(`missing: ${verb} `)) &&
          found
        );
      });
      const manifests = manifestsOf(checks);
      expect(manifests).toHaveLength(1);
      await apply(manifests[0]!);
      await untilSatisfied();
    });
  });
});
