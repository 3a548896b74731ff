import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { kafkaBrokers } from '../../../test/support/kafka.js';
import { ServiceProcess } from '../../../test/support/service-process.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';

/** The program without a Kubernetes. `agent-program.clusters.spec.ts` has what it does with one. */
describe('the program of the agent', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder.remove());

  async function kubeconfig(server: string): Promise<string> {
    const path = join(folder.path, 'kubeconfig');
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'here' },
      contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
      clusters: [{ name: 'here', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'me', user: { token: 'secret' } }],
    };
    await writeFile(path, JSON.stringify(config));
    return path;
  }

  describe('refuses to start, with exit status 2 and what would be right,', () => {
    /** Its output, after it has ended. */
    async function refused(environment: Record<string, string>): Promise<string> {
      const agent = ServiceProcess.spawn('agent', environment);
      expect(await agent.ended).toEqual({ code: 2, signal: null });
      return agent.output;
    }
    const kafka = { KAFKA_BROKERS: '127.0.0.1:1' };

    it('without Kafka, over which alone it can speak', async () => {
      const output = await refused({ CURTAIL_KUBECONFIG: await kubeconfig('http://127.0.0.1:1') });
      expect(output).toContain('KAFKA_BROKERS is not set: name the brokers that Curtail uses');
    });

    it('for a context that its kubeconfig does not have', async () => {
      const path = await kubeconfig('http://127.0.0.1:1');
      const output = await refused({
        ...kafka,
        ...{ CURTAIL_KUBECONFIG: path, CURTAIL_KUBERNETES_CONTEXT: 'there' },
      });
      expect(output).toContain(
        `CURTAIL_KUBERNETES_CONTEXT names no cluster: ${path} has no context "there": it has here`,
      );
    });

    it('for a kubeconfig that does not exist', async () => {
      const path = join(folder.path, 'none');
      const output = await refused({ ...kafka, CURTAIL_KUBECONFIG: path });
      expect(output).toContain('CURTAIL_KUBECONFIG cannot be used');
      expect(output).toContain(path);
    });

    it('for a mode that does not exist', async () => {
      const path = await kubeconfig('http://127.0.0.1:1');
      const output = await refused({ ...kafka, CURTAIL_KUBECONFIG: path, CURTAIL_MODE: 'dry-run' });
      expect(output).toContain('CURTAIL_MODE');
      expect(output).toMatch(/observe.*enforce/);
    });
  });

  describe('where the API server cannot be used,', () => {
    let api: Server;
    let asked: string[];
    let answer: number;
    let agent: ServiceProcess<'agent'>;
    beforeEach(async () => {
      [asked, answer] = [[], 500];
      api = createServer((request, response) => {
        asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
        response.writeHead(answer, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ kind: 'Status', message: 'not now', code: answer }));
      });
      api.listen(0, '127.0.0.1');
      await once(api, 'listening');
      const { port } = api.address() as AddressInfo;
      agent = ServiceProcess.spawn('agent', {
        KAFKA_BROKERS: kafkaBrokers().join(','),
        CURTAIL_KUBECONFIG: await kubeconfig(`http://127.0.0.1:${port}`),
        CURTAIL_MODE: 'enforce',
      });
    });
    afterEach(async () => {
      if (!agent.hasEnded) await agent.kill();
      api.closeAllConnections();
      api.close();
    });

    it('lives, is not ready, says so, tries again, and ends cleanly', async () => {
      const url = await agent.listening();
      await agent.logged(/Could not ask the API server for the permissions; retrying/);
      expect(asked).toContain('POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews Bearer secret');
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      const ready = await fetch(`${url}/readyz`);
      expect(ready.status).toBe(503);
      expect(await ready.text()).toContain('Not reachable or not ready: kubernetes, rights.');
      expect(agent.output).not.toContain('This agent is active');
      expect(await agent.stop()).toBe(0);
    });

    it('ends cleanly also while a request is under way that is never answered', async () => {
      api.removeAllListeners('request');
      const held = once(api, 'request');
      await held;
      expect(await agent.stop()).toBe(0);
    });
  });
});
