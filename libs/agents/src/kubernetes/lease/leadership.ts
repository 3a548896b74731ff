import { setTimeout as delay } from 'node:timers/promises';
import { within } from '#waiting';
import { AgentError } from '../../agent-error.js';
import type { ActInTerm } from '../../group-leadership.js';
import { type KubernetesApi, statusOf } from '../api.js';
import { KubernetesError } from '../kubernetes-error.js';
import { held, type Lease, released, sequenceOf } from './lease-record.js';

export interface LeaseOptions {
  namespace: string;
  name: string;
  /** Unique to this process. */
  identity: string;
  onTrouble: (error: Error) => void;
  /** By the clock of this machine; for people only, no decision depends on it. */
  now: () => Date;
  /** Milliseconds of a monotonic clock. */
  elapsed?: () => number;
  times?: Partial<LeaseTimes>;
}

export interface LeaseTimes {
  /** How long others wait after the holder's last renewal. */
  durationMs: number;
  /** The holder stops this long after it has sent its last accepted renewal. */
  holdMs: number;
  /** The interval between reads or renewals of the lease. */
  retryMs: number;
}

/** At least 5 s pass between one holder and the next, in which messages in flight arrive or are lost. */
const usualTimes: LeaseTimes = { durationMs: 15_000, holdMs: 10_000, retryMs: 2000 };

/** The reserved sequences until the next renewal; an agent cannot send that many reports in that time. */
const reserve = 10_000_000;

/**
 * Selects one active agent of several, by a Lease.
 *
 *     watching --free, or silent for durationMs--> holding --holdMs without a renewal, or taken--> watching
 *                                                     '--stopped, when the work has ended--> released
 *
 * No clocks are compared: a watcher waits by its own clock from the last change that it saw, a holder counts from before it sent its
 * last renewal, so the holder always ends first. The Lease stores a mark that no sequence of its holder exceeds; the next holder begins
 * above it, whatever the time of its clock.
 */
export class Leadership {
  private readonly path: string;
  private readonly times: LeaseTimes;
  private readonly elapsed: () => number;
  /** The last seen version of the lease, and when it was first seen. */
  private seen: { version: string | undefined; at: number } | undefined;

  constructor(
    private readonly api: KubernetesApi,
    private readonly options: LeaseOptions,
  ) {
    this.path = `/apis/coordination.k8s.io/v1/namespaces/${options.namespace}/leases`;
    this.times = { ...usualTimes, ...options.times };
    this.elapsed = options.elapsed ?? (() => performance.now());
  }

  /** Calls `act` for each term, until `signal` aborts. The lease is released only after `act` has resolved. */
  async run(act: ActInTerm, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const taken = await this.attempt(signal).catch((error: Error) => {
        if (!signal.aborted) this.options.onTrouble(error);
        return undefined;
      });
      if (taken) await this.hold(taken, act, signal);
      else await pause(this.times.retryMs, signal);
    }
  }

  /** Takes the lease if it is free. */
  private async attempt(signal: AbortSignal): Promise<Taken | undefined> {
    const lease = await this.read(signal);
    const { identity } = this.options;
    if (!this.isFree(lease) && lease?.spec.holderIdentity !== identity) return undefined;
    const sequenceAfter = Math.max(sequenceOf(lease), this.options.now().getTime() * 1000);
    const sentAt = this.elapsed();
    const written = await this.write(lease, sequenceAfter + reserve, signal);
    return written && { lease: written, sentAt, sequenceAfter };
  }

  private isFree(lease: Lease | undefined): boolean {
    if (!lease?.spec.holderIdentity) return true;
    const { resourceVersion: version } = lease.metadata;
    const at = this.elapsed();
    if (this.seen?.version !== version) this.seen = { version, at };
    const durationMs = Math.max(this.times.durationMs, (lease.spec.leaseDurationSeconds ?? 0) * 1000);
    return at - this.seen!.at > durationMs;
  }

  private async hold(
    { lease, sentAt, sequenceAfter }: Taken,
    act: ActInTerm,
    signal: AbortSignal,
  ): Promise<void> {
    const over = new AbortController();
    const state = { lease, heldUntil: sentAt + this.times.holdMs };
    const holds = () => !over.signal.aborted && this.elapsed() < state.heldUntil;
    let sequence = () => sequenceAfter;
    const end = () => over.abort();
    signal.addEventListener('abort', end, { once: true });
    const renewing = this.renew(state, () => sequence(), over).finally(end);
    try {
      await act({ signal: over.signal, sequenceAfter, holds }, (current) => {
        sequence = current;
      });
    } finally {
      end();
      signal.removeEventListener('abort', end);
      await renewing;
    }
    if (signal.aborted) await this.release(state.lease, sequence());
  }

  /** Resolves when the term is over. */
  private async renew(
    state: { lease: Lease; heldUntil: number },
    sequence: () => number,
    over: AbortController,
  ): Promise<void> {
    const { retryMs, holdMs } = this.times;
    while (!over.signal.aborted) {
      await pause(Math.max(0, Math.min(retryMs, state.heldUntil - this.elapsed())), over.signal);
      if (over.signal.aborted) return;
      if (this.elapsed() >= state.heldUntil) {
        this.options.onTrouble(
          new AgentError('not-active', 'could not renew the lease in time: this agent is no longer active'),
        );
        return;
      }
      const sentAt = this.elapsed();
      const lease = await this.again(
        state.lease,
        sequence() + reserve,
        state.heldUntil - sentAt,
        over.signal,
      );
      if (lease === 'lost') return;
      if (lease) Object.assign(state, { lease, heldUntil: sentAt + holdMs });
    }
  }

  /** @returns undefined if it failed and may be retried. */
  private async again(
    lease: Lease,
    sequence: number,
    withinMs: number,
    signal: AbortSignal,
  ): Promise<Lease | 'lost' | undefined> {
    const ms = Math.max(1, Math.ceil(withinMs));
    try {
      const found = await within({ ms, signals: [signal] }, async (inTime) => {
        const written = await this.write(lease, sequence, inTime);
        if (written) return { written };
        const there = await this.read(inTime);
        if (there?.spec.holderIdentity !== this.options.identity) return { there };
        return { written: await this.write(there, sequence, inTime) };
      });
      if ('written' in found) return found.written;
      const { there } = found;
      const holder = there?.spec.holderIdentity;
      const state = holder ? `the lease is held by ${holder} now` : 'the lease has no holder now';
      this.options.onTrouble(new AgentError('not-active', `${state}: this agent is no longer active`));
      return 'lost';
    } catch (error) {
      if (!signal.aborted) this.options.onTrouble(error as Error);
      return undefined;
    }
  }

  private async release(lease: Lease, sequence: number): Promise<void> {
    const mark = held(lease, this.writing(sequence));
    const signal = AbortSignal.timeout(this.times.retryMs);
    await this.put(released(mark), signal).catch((error: Error) => this.options.onTrouble(error));
  }

  private async read(signal: AbortSignal): Promise<Lease | undefined> {
    const { code, body } = await this.api.call('GET', `${this.path}/${this.options.name}`, { signal });
    if (code === 200) return body as Lease;
    if (code === 404) return undefined;
    throw refusal('GET', code, body);
  }

  /** @returns undefined if another client has written it meanwhile. */
  private write(
    before: Lease | undefined,
    sequence: number,
    signal: AbortSignal,
  ): Promise<Lease | undefined> {
    return this.put(held(before, this.writing(sequence)), signal);
  }

  private async put(lease: Lease, signal: AbortSignal): Promise<Lease | undefined> {
    const isNew = lease.metadata.resourceVersion === undefined;
    const [method, path] = isNew ? ['POST', this.path] : ['PUT', `${this.path}/${this.options.name}`];
    const { code, body } = await this.api.call(method, path, { body: lease, signal });
    if (code === 200 || code === 201) return body as Lease;
    // Or it was deleted: the first agent then creates it again.
    if (code === 409 || (code === 404 && !isNew)) return undefined;
    throw refusal(method, code, body);
  }

  private writing(sequence: number) {
    const { namespace, name, identity, now } = this.options;
    return {
      namespace,
      name,
      identity,
      now: now(),
      sequence,
      durationSeconds: Math.ceil(this.times.durationMs / 1000),
    };
  }
}

interface Taken {
  lease: Lease;
  sentAt: number;
  sequenceAfter: number;
}

const refusal = (method: string, code: number, body: unknown): Error =>
  new KubernetesError(
    'lease-refused',
    `the API server answered ${code} to ${method} of the lease: ${statusOf(body).message ?? 'no reason given'}`,
  );

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
