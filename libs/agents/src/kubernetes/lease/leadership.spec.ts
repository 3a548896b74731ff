import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Term } from '../../group-leadership.js';
import type { KubernetesApi } from '../api.js';
import { Leadership } from './leadership.js';
import { type Lease, sequenceOf } from './lease-record.js';

/** One Lease of an API server, that several callers see. */
class Leases {
  lease: Lease | undefined;
  private version = 0;
  private waiting: { holds: () => boolean; resolve: () => void }[] = [];

  /** @param isAway whether calls of this caller fail now. */
  seenBy(isAway: () => boolean = () => false): KubernetesApi {
    return {
      call: async (method: string, _: string, call: { body?: unknown; signal?: AbortSignal }) => {
        call.signal?.throwIfAborted();
        if (isAway()) throw new Error('connection refused');
        return this.answer(method, call.body as Lease);
      },
    } as unknown as KubernetesApi;
  }

  edit(change: (lease: Lease) => Lease): void {
    this.lease = {
      ...change(this.lease!),
      metadata: { ...change(this.lease!).metadata, resourceVersion: `${++this.version}` },
    };
  }

  async until(holds: (lease: Lease) => boolean): Promise<void> {
    const is = () => this.lease !== undefined && holds(this.lease);
    if (!is()) await new Promise<void>((resolve) => this.waiting.push({ holds: is, resolve }));
  }

  private answer(method: string, body: Lease): { code: number; body: unknown } {
    if (method === 'GET')
      return this.lease ? { code: 200, body: structuredClone(this.lease) } : { code: 404, body: {} };
    const there = this.lease?.metadata.resourceVersion;
    if (body.metadata.resourceVersion !== there) return { code: 409, body: {} };
    this.lease = { ...body, metadata: { ...body.metadata, resourceVersion: `${++this.version}` } };
    for (const { holds, resolve } of this.waiting) if (holds()) resolve();
    return { code: method === 'POST' ? 201 : 200, body: structuredClone(this.lease) };
  }
}

const times = { durationMs: 300, holdMs: 150, retryMs: 20 };
const clock = new Date('2026-01-01T00:00:00Z');

describe('leadership', () => {
  let leases: Leases;
  let log: string[];
  let listeners: (() => void)[];
  let running: { stop: AbortController; ended: Promise<void> }[];
  beforeEach(() => {
    [leases, log, listeners, running] = [new Leases(), [], [], []];
  });
  afterEach(async () => {
    for (const { stop } of running) stop.abort();
    await Promise.all(running.map(({ ended }) => ended));
  });

  function note(line: string): void {
    log.push(line);
    for (const listener of listeners) listener();
  }
  function logged(line: string): Promise<void> {
    return new Promise((resolve) => {
      const check = () => log.includes(line) && resolve();
      listeners.push(check);
      check();
    });
  }
  function start(
    name: string,
    more: {
      isAway?: () => boolean;
      now?: Date;
      elapsed?: () => number;
      sequence?: number;
      onTerm?: (term: Term) => void;
    } = {},
  ): () => Promise<void> {
    const stop = new AbortController();
    const leadership = new Leadership(leases.seenBy(more.isAway), {
      namespace: 'curtail',
      name: 'agent',
      identity: name,
      now: () => more.now ?? clock,
      ...(more.elapsed && { elapsed: more.elapsed }),
      onTrouble: () => {},
      times,
    });
    const ended = leadership.run(async (term, registerSequence) => {
      registerSequence(() => term.sequenceAfter + (more.sequence ?? 0));
      note(`${name} acts after ${term.sequenceAfter}`);
      note(`${name} acts`);
      more.onTerm?.(term);
      if (!term.signal.aborted)
        await new Promise<void>((resolve) =>
          term.signal.addEventListener('abort', () => resolve(), { once: true }),
        );
      note(`${name} has stopped`);
    }, stop.signal);
    running.push({ stop, ended });
    return async () => {
      stop.abort();
      await ended;
    };
  }
  const acts = () => log.filter((line) => !line.includes('after'));

  it('lets one agent act, and the next one when the first has stopped in order', async () => {
    const stopFirst = start('a');
    await logged('a acts');
    start('b');
    await leases.until(({ metadata }) => Number(metadata.resourceVersion) >= 4);
    expect(acts()).toEqual(['a acts']);
    await stopFirst();
    await logged('b acts');
    expect(acts()).toEqual(['a acts', 'a has stopped', 'b acts']);
    expect(leases.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('has a holder that cannot renew stop before another one begins', async () => {
    let isAway = false;
    start('a', { isAway: () => isAway });
    await logged('a acts');
    start('b');
    isAway = true;
    await logged('b acts');
    expect(acts()).toEqual(['a acts', 'a has stopped', 'b acts']);
  });

  it('knows at once that its time is over, although it was frozen and no timer went off', async () => {
    let now = 0;
    const terms: Term[] = [];
    start('a', { elapsed: () => now, onTerm: (term) => terms.push(term) });
    await logged('a acts');
    expect(terms[0]?.holds()).toBe(true);
    now = 1_000_000;
    expect(terms[0]?.holds()).toBe(false);
    expect(terms[0]?.signal.aborted).toBe(false);
  });

  it('begins above every earlier sequence, whatever the time of its clock', async () => {
    const stopFirst = start('a', { now: new Date('2030-01-01T00:00:00Z'), sequence: 17 });
    await logged('a acts');
    await leases.until((lease) => sequenceOf(lease) > Date.parse('2030-01-01') * 1000 + 17);
    await stopFirst();
    start('b', { now: new Date('2020-01-01T00:00:00Z') });
    await logged(`b acts after ${Date.parse('2030-01-01') * 1000 + 17}`);
  });

  it('begins above what a holder that died may have come to', async () => {
    const beginning = clock.getTime() * 1000;
    leases.lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: 'agent',
        namespace: 'curtail',
        resourceVersion: '0',
        annotations: { 'curtail.io/sequence': `${beginning + 5}` },
      },
      spec: { holderIdentity: 'dead', leaseDurationSeconds: 0 },
    };
    start('b');
    await logged(`b acts after ${beginning + 5}`);
  });

  it('continues after another client has changed something else in the lease', async () => {
    start('a');
    await logged('a acts');
    leases.edit((lease) => ({ ...lease, metadata: { ...lease.metadata, annotations: { note: 'seen' } } }));
    const version = Number(leases.lease?.metadata.resourceVersion);
    await leases.until(({ metadata }) => Number(metadata.resourceVersion) > version + 1);
    expect(acts()).toEqual(['a acts']);
    expect(leases.lease?.metadata.annotations).toMatchObject({ note: 'seen' });
  });

  it('stops when the lease was given to another', async () => {
    start('a');
    await logged('a acts');
    leases.edit((lease) => ({
      ...lease,
      spec: { ...lease.spec, holderIdentity: 'somebody', leaseDurationSeconds: 3600 },
    }));
    await logged('a has stopped');
    expect(leases.lease?.spec.holderIdentity).toBe('somebody');
  });
});
