import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Agent } from './agent.js';
import { type InventoryChanges, Sequence } from './inventory-changes.js';
import type {
  AgentTransport,
  AnswerOfOwner,
  Evictor,
  FromCurtail,
  Message,
  ReportSource,
  RequestToAgent,
  SourceConfiguration,
} from './port.js';

const nothing: InventoryChanges = {
  nodes: [],
  nodesGone: [],
  applications: [],
  applicationsGone: [],
  allocations: [],
  allocationsGone: [],
  budgets: [],
  budgetsGone: [],
};

/** A cluster with one node after the other. */
class Cluster implements ReportSource {
  isSynced = true;
  now = 1;
  /** How far its clock is ahead of that of the process. */
  aheadMs = 0;
  readonly troubles: string[] = [];
  evict: Evictor['evict'] = async () => ({ answer: 'accepted' });
  stir = () => {};
  private added: string[] = [];

  async start(onChange: () => void): Promise<void> {
    this.stir = onChange;
  }
  async stop(): Promise<void> {}
  add(id: string): void {
    this.added.push(id);
    this.stir();
  }
  changes(): InventoryChanges {
    return { ...nothing, nodes: this.added.splice(0).map((id) => ({ id })) };
  }
  listing(): ReturnType<ReportSource['listing']> {
    this.changes();
    return { nodes: [], applications: [], allocations: [], budgets: [] };
  }
  answers: () => boolean | Promise<boolean> = () => true;
  async isCurrent(): Promise<boolean> {
    return this.isSynced && (await this.answers());
  }
}

/** Keeps what was sent. */
class Wire implements AgentTransport {
  readonly sent: Message[] = [];
  handlers: FromCurtail | undefined;
  private waiting: { is: () => boolean; found: () => void }[] = [];

  async start(handlers: FromCurtail): Promise<void> {
    this.handlers = handlers;
  }
  async stop(): Promise<void> {}
  async send(messages: Message[]): Promise<void> {
    this.sent.push(...messages);
    for (const { is, found } of this.waiting) if (is()) found();
  }
  names(): string[] {
    return this.sent.map(({ event }) => event.name);
  }
  submissions(): string[] {
    return this.sent.flatMap(({ event }) =>
      event.name === 'ConfigSubmitted' ? [event.data.submission] : [],
    );
  }
  async untilSent(is: () => boolean): Promise<void> {
    if (!is()) await new Promise<void>((found) => this.waiting.push({ is, found }));
  }
  async until(name: string): Promise<Message> {
    await this.untilSent(() => this.names().includes(name));
    return this.sent.find(({ event }) => event.name === name)!;
  }
}

describe('an agent', () => {
  let agent: Agent | undefined;
  afterEach(() => agent?.stop());

  function start(cluster: Cluster, wire: Wire, configuration?: () => SourceConfiguration | undefined) {
    agent = new Agent({
      partition: 'default',
      reports: cluster,
      ...(configuration && {
        configuration: {
          start: async () => {},
          stop: async () => {},
          configuration,
          recordOutcome: async () => {},
        },
      }),
      evictor: { evict: (request, isValid) => cluster.evict(request, isValid), announce: async () => {} },
      transport: wire,
      sequence: new Sequence(1),
      now: () => cluster.now,
      elapsed: () => performance.now() + cluster.aheadMs,
      onTrouble: (what) => cluster.troubles.push(what),
    });
    return agent.start();
  }

  it('sends a configuration between the pages of a long listing', async () => {
    const cluster = new Cluster();
    const nodes = Array.from({ length: 3000 }, (_, index) => ({ id: `n${index}` }));
    cluster.listing = () => ({ nodes, applications: [], allocations: [], budgets: [] });
    const wire = new Wire();
    let data: SourceConfiguration = { submission: 'queues@1', configuration: 'partitions: []' };
    const send = wire.send.bind(wire);
    wire.send = async (messages) => {
      if (messages.some(({ event }) => event.name === 'InventoryListed'))
        data = { ...data, submission: 'queues@2' };
      await send(messages);
    };
    await start(cluster, wire, () => data);
    await wire.until('InventoryConfirmed');
    const pages = wire.names().filter((name) => name === 'InventoryListed').length;
    expect(pages).toBeGreaterThan(1);
    expect(wire.names().slice(0, 3)).toEqual(['ConfigSubmitted', 'InventoryListed', 'ConfigSubmitted']);
    expect(wire.submissions()).toEqual(['queues@1', 'queues@2']);
  });

  it('sends nothing that would count as a sign of life while its cluster is not synced', async () => {
    const cluster = new Cluster();
    const wire = new Wire();
    let data: SourceConfiguration = { submission: 'queues@1', configuration: 'partitions: []' };
    await start(cluster, wire, () => data);
    await wire.until('InventoryConfirmed');
    cluster.isSynced = false;
    cluster.add('n1');
    // Two rounds: the node would have been reported at the end of the first.
    for (const submission of ['queues@2', 'queues@3']) {
      data = { ...data, submission };
      cluster.stir();
      await wire.untilSent(() => wire.submissions().includes(submission));
    }
    expect(wire.names()).not.toContain('NodeAdded');
    cluster.isSynced = true;
    expect((await wire.until('NodeAdded')).event.data).toMatchObject({ id: 'n1' });
  });

  it('lists nothing again because its cluster gives no answer', async () => {
    const cluster = new Cluster();
    const wire = new Wire();
    let asked = 0;
    await start(cluster, wire);
    await wire.until('InventoryConfirmed');
    cluster.answers = () => {
      asked++;
      throw new Error('no answer');
    };
    cluster.aheadMs = 10_000;
    cluster.add('n1');
    await wire.until('NodeAdded');
    cluster.add('n2');
    await wire.untilSent(() => wire.names().filter((name) => name === 'NodeAdded').length === 2);
    expect(wire.names()).toEqual(['InventoryListed', 'InventoryConfirmed', 'NodeAdded', 'NodeAdded']);
    expect({ asked, troubles: cluster.troubles }).toEqual({
      asked: 1,
      troubles: ['The cluster does not answer'],
    });
  });

  it('confirms and lists again in its time, though somebody sets the clock of its machine back', async () => {
    const cluster = new Cluster();
    const wire = new Wire();
    const times = (name: string) => wire.names().filter((one) => one === name).length;
    await start(cluster, wire);
    await wire.until('InventoryConfirmed');
    cluster.now -= 3_600_000;
    for (const [aheadMs, name] of [
      [5000, 'InventoryConfirmed'],
      [700_000, 'InventoryListed'],
    ] as const) {
      cluster.aheadMs = aheadMs;
      cluster.stir();
      await wire.untilSent(() => times(name) === 2);
    }
  });

  it('reports while it asks its cluster whether it is there, and confirms what it has reported until then', async () => {
    const cluster = new Cluster();
    const wire = new Wire();
    let answer = (_: boolean) => {};
    cluster.answers = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    await start(cluster, wire);
    await wire.until('InventoryListed');
    cluster.add('n1');
    const { event } = await wire.until('NodeAdded');
    expect(wire.names()).toEqual(['InventoryListed', 'NodeAdded']);
    answer(true);
    expect((await wire.until('InventoryConfirmed')).event.data).toMatchObject({
      lastSequence: (event.data as { sequence: number }).sequence,
    });
  });

  it('rests while a cluster takes its time to answer, as one that is polled does', async () => {
    const cluster = new Cluster();
    const wire = new Wire();
    await start(cluster, wire);
    await wire.until('InventoryConfirmed');
    let reports = 0;
    const { changes } = cluster;
    cluster.changes = () => {
      reports++;
      return changes.call(cluster);
    };
    const answered = new Promise<void>((resolve) => {
      cluster.answers = async () => {
        // Its next confirmation is due long since.
        cluster.aheadMs += 10_000;
        await delay(500);
        resolve();
        return true;
      };
    });
    cluster.aheadMs += 10_000;
    cluster.stir();
    await answered;
    expect(reports).toBe(1);
  });

  it('submits a configuration again when its id has changed, and only then', async () => {
    const cluster = new Cluster();
    const wire = new Wire();
    let data: SourceConfiguration = { submission: 'queues@1', configuration: 'partitions: []' };
    await start(cluster, wire, () => data);
    await wire.until('InventoryConfirmed');
    data = { ...data, configuration: 'partitions: [ ]' };
    cluster.add('n1');
    await wire.until('NodeAdded');
    data = { ...data, submission: 'queues@2' };
    cluster.stir();
    await wire.untilSent(() => wire.submissions().length === 2);
    expect(wire.submissions()).toEqual(['queues@1', 'queues@2']);
  });

  it('sends answers of owners after the reports, and again if they were lost, while reports go on', async () => {
    const cluster = new Cluster();
    const wire = new Wire();
    const answer = { allocation: 'ns/p', uid: 'u', answer: 'extend', id: 'u/extend', by: 'ann' } as const;
    const given: AnswerOfOwner[] = [answer];
    const source = Object.assign(cluster, { ownerAnswers: () => given.splice(0) });
    const send = wire.send.bind(wire);
    let lost = 0;
    wire.send = async (messages) => {
      if (lost === 0 && messages.some(({ event }) => event.name === 'OwnerAnswerSent')) {
        lost++;
        throw new Error('not allowed');
      }
      await send(messages);
    };
    await start(source, wire);
    await wire.until('InventoryListed');
    cluster.add('n1');
    const { event, key } = await wire.until('OwnerAnswerSent');
    expect({ key, data: event.data }).toEqual({ key: 'ns/p', data: { partition: 'default', ...answer } });
    expect(wire.names().slice(0, 2)).not.toContain('OwnerAnswerSent');
    cluster.aheadMs = 5000;
    cluster.add('n2');
    await wire.untilSent(() => wire.names().filter((name) => name === 'NodeAdded').length === 2);
    expect(wire.names().filter((name) => name === 'OwnerAnswerSent' || name === 'InventoryListed')).toEqual([
      'InventoryListed',
      'OwnerAnswerSent',
    ]);
    expect(cluster.troubles).toEqual(['Could not send answers of owners; retrying']);
  });

  it('skips a request that has waited longer than it is valid, whatever the time of its own clock', async () => {
    const cluster = new Cluster();
    const wire = new Wire();
    const asked: string[] = [];
    const valid: (() => boolean)[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    cluster.evict = async ({ evictionId }, isValid) => {
      asked.push(evictionId);
      valid.push(isValid);
      await held;
      return { answer: 'accepted' };
    };
    await start(cluster, wire);
    const request = (evictionId: string, validSeconds: number): RequestToAgent => ({
      ...{ partition: 'default', evictionId, attempt: 1, enforcement: 'e', queue: 'root.a', reason: 'why' },
      ...{
        application: 'a',
        allocation: 'ns/p',
        uid: 'u',
        graceSeconds: 1,
        deadlineAt: '2999-01-01T00:00:00.000Z',
        validSeconds,
      },
    });
    // So many are carried out at once: the others wait for them.
    const first = Array.from({ length: 16 }, (_, n) => `first-${n}`);
    for (const id of first) wire.handlers?.evict(request(id, 60));
    wire.handlers?.evict(request('late', 1e-9));
    wire.handlers?.evict(request('in-time', 60));
    release();
    await wire.untilSent(() => wire.names().filter((name) => name === 'EvictionAnswered').length === 17);
    expect(asked).toEqual([...first, 'in-time']);
    // The cluster may take longer than that too.
    expect(valid.at(-1)?.()).toBe(true);
    cluster.aheadMs += 60_000;
    expect(valid.at(-1)?.()).toBe(false);
  });
});
