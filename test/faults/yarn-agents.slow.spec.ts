import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentsOverKafka } from '../support/agents-over-kafka.js';
import { Chance } from '../support/chance.js';
import { PlayedManager } from '../support/played-manager.js';
import type { RunningService } from '../support/service-process.js';

const seed = Number(process.env.CURTAIL_TEST_SEED ?? Math.floor(Math.random() * 1e6));
/** As often is each fault played. */
const rounds = Number(process.env.CURTAIL_TEST_ROUNDS ?? 1);
/** Ends what hangs. */
const limitMs = 600_000 * rounds;
const partition = 'yarn';
const victimsOfFault = 3;
/** As Curtail repeats a request that is not answered. */
const repeatMs = 2000;
const nodes = ['n1:1', 'n2:1'] as const;
/** Of both agents together: each begins several while the node is away. */
const looksWithoutNode = 8;

/** Two agents of YARN in their own processes; the manager is played, and knows what really runs. */
describe(`agents of YARN under faults (CURTAIL_TEST_SEED=${seed})`, () => {
  const chance = new Chance(seed);
  let manager: PlayedManager;
  let agents: AgentsOverKafka;
  let alive: RunningService<'agent'>[];
  const asked = new Set<string>();

  const start = async () => {
    const agent = await agents.start({
      ...{ CURTAIL_AGENT_CLUSTER: 'yarn', CURTAIL_AGENT_PARTITION: partition },
      ...{ CURTAIL_YARN_URL: manager.url, CURTAIL_YARN_USER: 'curtail' },
    });
    alive.push(agent);
  };
  const isActive = ({ lines }: RunningService<'agent'>) => {
    const count = (words: string) => lines.all.filter((line) => line.includes(words)).length;
    return count('This agent is active') > count('no longer active.');
  };
  const active = async () => {
    await Promise.race(alive.map((agent) => agent.lines.when(() => isActive(agent))));
    return alive.find(isActive)!;
  };
  const some = <T>(all: readonly T[], count: number): T[] => {
    const left = [...all];
    return Array.from({ length: count }, () => left.splice(chance.between(0, left.length), 1)).flat();
  };
  const released = () =>
    agents.sent.all.filter(({ name }) => name === 'AllocationReleased').map(({ data }) => data.id as string);

  beforeAll(async () => {
    alive = [];
    manager = await PlayedManager.start(5 * victimsOfFault * rounds + 10, nodes);
    agents = await AgentsOverKafka.open();
    await Promise.all([start(), start()]);
    await agents.listed();
  });
  afterAll(async () => {
    await agents?.close();
    await manager?.stop();
  });

  /** Each begins while requests are under way, and is over once the promise resolves that it returns. */
  const faults: Record<string, () => Promise<() => Promise<void>>> = {
    'the active agent is killed': async () => {
      const victim = await active();
      await victim.kill();
      alive = alive.filter((agent) => agent !== victim);
      return start;
    },
    'the active agent is frozen for longer than its lease': async () => {
      const victim = await active();
      victim.freeze();
      alive = alive.filter((agent) => agent !== victim);
      return async () => {
        await active();
        victim.thaw();
        await victim.lines.when(() => !isActive(victim));
        alive.push(victim);
      };
    },
    'the answer to a signal is lost': async () => {
      manager.losesNextSignal = true;
      return async () => {};
    },
    'the manager is away': async () => {
      const paths = ['/info', '/apps', '/nodes', ...manager.containers.map(signalOf)];
      for (const path of paths) {
        manager.instead.set(path, (_request, response) => void response.destroy());
      }
      const before = manager.asked.length;
      return async () => {
        while (manager.asked.length < before + 3) await delay(50);
        for (const path of paths) manager.instead.delete(path);
      };
    },
    'the manager is started again, and one of its nodes comes back later': async () => {
      const looks = () => manager.asked.filter((path) => path === 'GET /nodes').length;
      const [before, gone] = [looks(), released()];
      // An agent that looks for the first time now sees work that is older than the manager, and waits two minutes.
      manager.startedOn = Date.now();
      manager.away.add(nodes[1]);
      return async () => {
        while (looks() < before + looksWithoutNode) await delay(50);
        expect(released().filter((id) => !gone.includes(id) && manager.containers.includes(id))).toEqual([]);
        manager.away.clear();
      };
    },
  };

  it(
    'signal what was asked, nothing else and nothing twice, and report nothing as ended that runs',
    async () => {
      const names = Array.from({ length: rounds }, () => Object.keys(faults)).flat();
      for (const name of some(names, names.length)) await play(name);
      const ofSignals = manager.signals.map((signal) => signal.split(' ')[0] ?? '');
      expect(ofSignals.sort()).toEqual([...asked].sort());
      expect(manager.signals.every((signal) => signal.endsWith(' GRACEFUL_SHUTDOWN'))).toBe(true);
      const known = () =>
        agents.sent.all.reduce((ids, { name, data }) => {
          if (name === 'InventoryListed')
            return new Set<string>(data.allocations.map((one: Named) => one.id));
          if (name === 'AllocationReleased') ids.delete(data.id);
          return ids;
        }, new Set<string>());
      await agents.sent.when(() => known().size === manager.containers.length);
      expect([...known()].sort()).toEqual([...manager.containers].sort());
    },
    limitMs,
  );

  async function play(name: string): Promise<void> {
    const tasks = manager.containers.filter((id) => !id.endsWith('_000001') && !asked.has(id));
    const victims = some(tasks, victimsOfFault);
    for (const victim of victims) asked.add(victim);
    const isAnswered = (victim: string) =>
      agents.answers().some(({ evictionId, answer }) => {
        return evictionId === `kill-${victim}` && answer !== 'refused';
      });
    const askAll = async (attempt: number) => {
      const open = victims.filter((victim) => !isAnswered(victim));
      const of = { partition, queue: 'root.prod', application: manager.app };
      await agents.ask(open, of, { attempt, graceSeconds: 3600 });
    };
    await askAll(1);
    const end = await faults[name]!();
    await whileRepeating(askAll, async () => {
      await end();
      await agents.sent.when(() => victims.every(isAnswered));
    });
    // A signal that was lost on its way is repeated after 30 s.
    while (manager.containers.some((id) => victims.includes(id))) await delay(100);
  }
});

/** Repeats the requests until `work` ends or fails, so that none of them disturbs a later suite. */
async function whileRepeating(
  ask: (attempt: number) => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const repeating = (async () => {
    for (let attempt = 2; ; attempt++) {
      await delay(repeatMs, undefined, { signal: over.signal }).catch(() => {});
      if (over.signal.aborted) return;
      await ask(attempt);
    }
  })();
  try {
    await Promise.race([work(), repeating]);
  } finally {
    over.abort();
    await repeating.catch(() => {});
  }
}

interface Named {
  id: string;
}

const signalOf = (container: string) => `/containers/${container}/signal/GRACEFUL_SHUTDOWN`;
