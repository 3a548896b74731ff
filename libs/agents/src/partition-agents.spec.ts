import { describe, expect, it } from '@jest/globals';
import { Agent } from './agent.js';
import { Sequence } from './inventory-changes.js';
import { PartitionAgents } from './partition-agents.js';
import type { AgentTransport, FromCurtail, Message, RequestToAgent } from './port.js';

describe('agents of a cluster with several partitions', () => {
  it('begin when their partition is there, report each its own, and take what is meant for it', async () => {
    const partitions = ['default'];
    let changed = () => {};
    let handlers: FromCurtail | undefined;
    const sent: Message[] = [];
    const waiting: { is: () => boolean; found: () => void }[] = [];
    const until = async (is: () => boolean) => {
      if (!is()) await new Promise<void>((found) => waiting.push({ is, found }));
    };
    const check = () => {
      for (const { is, found } of waiting) if (is()) found();
    };
    const transport: AgentTransport = {
      start: async (from) => {
        handlers = from;
      },
      send: async (messages) => {
        sent.push(...messages);
        check();
      },
      stop: async () => {},
    };
    const evicted: string[] = [];
    const cluster = {
      partitions,
      start: async (onChange: () => void) => {
        changed = onChange;
      },
      stop: async () => {},
    };
    const agentOf = (partition: string, way: AgentTransport) =>
      new Agent({
        partition,
        reports: {
          start: async () => {},
          stop: async () => {},
          changes: () => ({
            nodes: [],
            nodesGone: [],
            applications: [],
            applicationsGone: [],
            allocations: [],
            allocationsGone: [],
            budgets: [],
            budgetsGone: [],
          }),
          listing: () => ({
            nodes: [{ id: `node-of-${partition}` }],
            applications: [],
            allocations: [],
            budgets: [],
          }),
          isSynced: true,
          isCurrent: async () => true,
        },
        evictor: {
          evict: async ({ evictionId }) => {
            evicted.push(`${partition}: ${evictionId}`);
            return { answer: 'accepted' };
          },
          announce: async () => {},
        },
        transport: way,
        sequence: new Sequence(1),
        now: () => 1,
        onTrouble: (_, error) => {
          throw error;
        },
      });
    const agents = new PartitionAgents(cluster, transport, agentOf, (_, error) => {
      throw error;
    });
    const listed = () =>
      sent.flatMap(({ event }) =>
        event.name === 'InventoryListed' ? (event.data.nodes?.map(({ id }) => id) ?? []) : [],
      );
    await agents.start();
    await until(() => listed().length === 1);
    partitions.push('gpu');
    changed();
    changed();
    await until(() => listed().length === 2);
    expect(listed()).toEqual(['node-of-default', 'node-of-gpu']);
    const request = { partition: 'gpu', deadlineAt: '2100-01-01T00:00:00Z', attempt: 1, queue: 'root' };
    handlers?.evict({ ...request, evictionId: 'e-1' } as RequestToAgent);
    await until(() => sent.some(({ event }) => event.name === 'EvictionAnswered'));
    expect(evicted).toEqual(['gpu: e-1']);
    await agents.stop();
  });
});
