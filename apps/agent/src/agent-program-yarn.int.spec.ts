import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentsOverKafka } from '../../../test/support/agents-over-kafka.js';
import { PlayedManager } from '../../../test/support/played-manager.js';
import type { RunningService } from '../../../test/support/service-process.js';

const partition = 'yarn';

/** Agents of YARN in their own processes, with a manager that is played. */
describe('agents of YARN', () => {
  let manager: PlayedManager;
  let agents: AgentsOverKafka;
  beforeEach(async () => {
    manager = await PlayedManager.start();
    agents = await AgentsOverKafka.open();
  });
  afterEach(async () => {
    await agents.close();
    await manager.stop();
  });

  const start = () =>
    agents.start({
      CURTAIL_AGENT_CLUSTER: 'yarn',
      CURTAIL_YARN_URL: manager.url,
      CURTAIL_YARN_USER: 'curtail',
      CURTAIL_AGENT_PARTITION: partition,
    });
  const ask = (containers: string[]) =>
    agents.ask(containers, { partition, queue: 'root.prod', application: manager.app });

  it('report a whole listing and the configuration, evict on request, and answer', async () => {
    const agent = await start();
    await agents.listed();
    await agent.logged(/Connected to YARN/);
    expect((await fetch(`${agent.url}/readyz`)).status).toBe(200);
    expect(agents.listings()[0]).toMatchObject({ partition, allocations: { length: 4 }, last: true });
    await agents.sent.when((all) => all.some(({ name }) => name === 'ConfigSubmitted'));
    const [master = '', task = ''] = manager.containers;
    await ask([task, master]);
    await agents.answered(task);
    await agents.answered(master);
    expect(agents.answers()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ evictionId: `kill-${task}`, answer: 'accepted' }),
        expect.objectContaining({ evictionId: `kill-${master}`, answer: 'refused', code: 'protected' }),
      ]),
    );
    expect(manager.signals).toEqual([`${task} GRACEFUL_SHUTDOWN`]);
    await agents.sent.when((all) => all.some(({ name }) => name === 'AllocationReleased'));
    const metrics = await (await fetch(`${agent.url}/metrics`)).text();
    expect(metrics).toContain('curtail_agent_leads 1');
    expect(await agent.stop()).toBe(0);
  });

  it('runs twice with one active agent; if that one freezes or dies, the other takes over, and no container gets a signal twice', async () => {
    const one = await start();
    await one.logged(/This agent is active/);
    await agents.listed();
    const other = await start();
    const terms = ({ lines }: RunningService<'agent'>) => ({
      begun: lines.all.filter((line) => line.includes('This agent is active')).length,
      ended: lines.all.filter((line) => line.includes('no longer active.')).length,
    });
    const isActive = (agent: RunningService<'agent'>) => terms(agent).begun > terms(agent).ended;
    await other.logged(/on standby/);
    // Kafka rebalances the group when the second agent joins: the first term ends, and another one begins.
    await one.lines.when(() => terms(one).ended === 1);
    await Promise.race([one, other].map((agent) => agent.lines.when(() => isActive(agent))));
    const [active, standby] = isActive(one) ? [one, other] : [other, one];
    const before = Math.max(...agents.listings().map(({ sequence }) => sequence));
    const [, first = '', second = ''] = manager.containers;
    active.freeze();
    await standby.lines.when(() => isActive(standby));
    await ask([first]);
    await agents.answered(first);
    active.thaw();
    await active.lines.when(() => !isActive(active));
    await ask([second]);
    await agents.answered(second);
    const after = agents.listings().map(({ sequence }) => sequence);
    expect(Math.max(...after)).toBeGreaterThan(before);
    expect(manager.signals).toEqual([`${first} GRACEFUL_SHUTDOWN`, `${second} GRACEFUL_SHUTDOWN`]);
  });

  it('wait for a manager that is down, are not ready meanwhile, and say so', async () => {
    manager.instead.set('/info', (_request, response) => void response.destroy());
    const agent = await start();
    await agent.logged(/Could not read YARN; nothing is concluded from that/);
    const ready = await fetch(`${agent.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain('yarn');
    expect(agents.sent.all).toEqual([]);
    manager.instead.clear();
    await agents.listed();
  });
});
