import { createHash } from 'node:crypto';
import type { EvictionAnnouncement, EvictionOutcome, EvictionRequest, Evictor } from '../port.js';
import type { Answer, KubernetesApi } from './api.js';
import { statusOf } from './api.js';
import { InTurns } from './in-turns.js';
import type { OwnerReference, Pod } from './objects.js';
import { controllerOf, type PodWork, podWork } from './pod-work.js';

export const enforcementAnnotation = 'curtail.io/enforcement';
export const evictAfterAnnotation = 'curtail.io/evict-after';

export interface PodEvictorOptions {
  /** `observe`: nothing is written, and every request is refused. */
  mode: () => 'observe' | 'enforce';
  find: (id: string) => PodWork | undefined;
  /** Namespaces whose pods are never evicted. */
  isProtected: (namespace: string) => boolean;
  /** Whether an eviction there may be charged to a disruption budget, as far as can be known. */
  hasBudget: (namespace: string) => boolean;
  /** An event or an annotation could not be written: the eviction does not depend on it. */
  onUntold: (error: Error) => void;
  /** A name for an object that is new in its namespace. */
  newName: () => string;
  now: () => Date;
}

const strict = { fieldValidation: 'Strict' };
const mergePatch = 'application/merge-patch+json';
/** A budget is looked at again about as often as its controller counts. */
const budgetRetryMs = 5000;
const laterRetryMs = 2000;
const messageLimit = 1000;
/** Owners are told beside evictions, which are not to wait for that. */
const toldAtOnce = 2;
/** With 0 the API server forgets the pod at once, while it may still run on its node. */
const leastGraceSeconds = 1;
/** Of one request, when its pod changes at the same time. */
const mostAttempts = 3;

/** Carries out evictions through the Eviction API, and tells owners of them by events and annotations. */
export class PodEvictor implements Evictor {
  private readonly telling = new InTurns(toldAtOnce);

  constructor(
    private readonly api: KubernetesApi,
    private readonly options: PodEvictorOptions,
  ) {}

  /**
   * Evicts the pod that was seen, or none: another one under its name, one that is leaving already, and one that was given protection a
   * moment ago stay as they are, for its uid and its version are preconditions. Where there are disruption budgets it is asked for in a dry run
   * first: a real request is charged to the budget before its preconditions are checked, and would take the room from another pod. The pod
   * gets the time to finish that it asks for itself, or that of the request where that is longer.
   */
  async evict(request: EvictionRequest): Promise<EvictionOutcome> {
    const [namespace, name] = split(request.allocation);
    if (name === undefined)
      return refused(false, 'no-pod', `${request.allocation} names no pod of a namespace`);
    if (this.options.mode() === 'observe') {
      return refused(false, 'observe', 'the agent of this cluster only observes');
    }
    let pod = this.options.find(request.allocation);
    for (let attempt = 1; ; attempt++) {
      if (pod === undefined) {
        const read = await this.read(namespace, name);
        if ('answer' in read) return outcomeOf(read.answer, name);
        const { uid } = read.pod.metadata;
        if (uid !== request.uid) return { answer: 'other-incarnation', uid };
        pod = podWork(read.pod, []);
        // One that has ended holds nothing any more.
        if (pod === undefined) return { answer: 'gone' };
      }
      if (pod.uid !== request.uid) return { answer: 'other-incarnation', uid: pod.uid };
      if (this.options.isProtected(namespace) || pod.isProtected) {
        return refused(false, 'protected', `pod ${request.allocation} is protected from evictions`);
      }
      // A second request could only shorten the time that it has.
      if (pod.bound?.state === 'releasing') {
        await this.tellUntold(request);
        return { answer: 'accepted', repeated: true };
      }
      const answer = await this.rehearseAndEvict(namespace, name, pod, request);
      if (answer.code === 201) {
        const { owner } = pod;
        this.telling.add(() => this.tellEviction(request, owner));
        return { answer: 'accepted' };
      }
      if (answer.code !== 409 || attempt === mostAttempts) return outcomeOf(answer, name);
      // It has changed since it was seen.
      pod = undefined;
    }
  }

  /** Tells the owner when the pod may be evicted, so that it can save its state. */
  async announce({ allocation, uid, killAt, reason }: EvictionAnnouncement): Promise<void> {
    const [namespace, name] = split(allocation);
    const pod = this.options.find(allocation);
    if (name === undefined || pod?.uid !== uid) return;
    await this.annotate(namespace, name, uid, { [evictAfterAnnotation]: killAt });
    const note = `This pod may be evicted from ${killAt} on. ${reason}`;
    await this.event(
      namespace,
      { kind: 'Pod', name, uid, apiVersion: 'v1' },
      'EvictionAnnounced',
      note,
      'Normal',
    );
    if (pod.owner) {
      const ofOwner = `Pod ${name} may be evicted from ${killAt} on. ${reason}`;
      await this.event(namespace, pod.owner, 'EvictionAnnounced', ofOwner, 'Normal');
    }
  }

  /**
   * An event on an object of a namespace. Whether it could be written plays no part.
   *
   * @param id what may be told twice has one of its own, and is written once.
   */
  async event(
    namespace: string,
    { kind, name, uid, apiVersion = 'v1' }: Pick<OwnerReference, 'kind' | 'name' | 'uid' | 'apiVersion'>,
    reason: string,
    note: string,
    type: 'Normal' | 'Warning',
    id = this.options.newName(),
  ): Promise<void> {
    const at = this.options.now().toISOString();
    await this.write('POST', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`, {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: `${name.slice(0, 200).replace(/[-.]+$/, '')}.${id}`, namespace },
      eventTime: at.replace(/Z$/, '000Z'),
      reportingController: 'curtail.io/agent',
      reportingInstance: 'curtail-agent',
      action: 'Evict',
      reason,
      regarding: { apiVersion, kind, namespace, name, uid },
      note: note.slice(0, messageLimit),
      type,
    });
  }

  /**
   * An agent may have died between an eviction and its telling. The pod does not say who evicted it: one that is drained by somebody else
   * in the moment in which Curtail asks for it counts as evicted for Curtail, as it does in Curtail's log.
   */
  private async tellUntold(request: EvictionRequest): Promise<void> {
    const [namespace, name = ''] = split(request.allocation);
    try {
      const read = await this.read(namespace, name);
      if ('answer' in read) return;
      const { metadata, status } = read.pod;
      if (metadata.uid !== request.uid || metadata.annotations?.[enforcementAnnotation] !== undefined) return;
      const isEvicted = status?.conditions?.some(({ reason }) => reason === 'EvictionByEvictionAPI');
      if (isEvicted) await this.tellEviction(request, controllerOf(metadata));
    } catch (error) {
      this.options.onUntold(error as Error);
    }
  }

  /** The annotation comes last: it says that all of it is told. */
  private async tellEviction(request: EvictionRequest, owner: OwnerReference | undefined): Promise<void> {
    const [namespace, name = ''] = split(request.allocation);
    const { uid, evictionId, queue, reason } = request;
    const note = `Evicted by Curtail (${evictionId}) from queue ${queue}: ${reason}`;
    const tell = (on: OwnerReference, what: string, text: string) => {
      const id = createHash('sha256').update(`${what} ${uid}`).digest('hex').slice(0, 16);
      return this.event(namespace, on, what, text, 'Warning', id);
    };
    await tell({ kind: 'Pod', name, uid, apiVersion: 'v1' }, 'Evicted', note);
    if (owner) await tell(owner, 'PodEvicted', `Pod ${name}: ${note}`);
    await this.annotate(namespace, name, uid, { [enforcementAnnotation]: evictionId });
  }

  /** The uid in a patch is a precondition: another pod of this name is left as it is. */
  private annotate(
    namespace: string,
    name: string,
    uid: string,
    annotations: Record<string, string>,
  ): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    return this.write('PATCH', path, { metadata: { uid, annotations } }, mergePatch);
  }

  private async write(method: string, path: string, body: object, contentType?: string): Promise<void> {
    if (this.options.mode() === 'observe') return;
    try {
      const answer = await this.api.call(method, path, {
        query: strict,
        body,
        ...(contentType && { contentType }),
      });
      // Gone in the meantime, or another one: nobody is left to be told. Or it was told before.
      if (answer.code < 300 || answer.code === 404 || answer.code === 409) return;
      throw new Error(`${method} ${path}: ${answer.code} ${statusOf(answer.body).message ?? ''}`);
    } catch (error) {
      this.options.onUntold(error as Error);
    }
  }

  private async rehearseAndEvict(
    namespace: string,
    name: string,
    { uid, version, graceSeconds: own }: PodWork,
    { graceSeconds: asked }: EvictionRequest,
  ): Promise<Answer> {
    const post = (isRehearsal: boolean) =>
      this.api.call('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, {
        query: strict,
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name, namespace },
          deleteOptions: {
            gracePeriodSeconds: Math.max(Math.ceil(asked), own, leastGraceSeconds),
            preconditions: { uid, resourceVersion: version },
            // In the body: the query is not looked at where there is one.
            ...(isRehearsal && { dryRun: ['All'] }),
          },
        },
      });
    if (!this.options.hasBudget(namespace)) return post(false);
    const rehearsed = await post(true);
    return rehearsed.code === 201 ? post(false) : rehearsed;
  }

  /** The pod as it is now, or what the API server says instead. */
  private async read(namespace: string, name: string): Promise<{ pod: Pod } | { answer: Answer }> {
    const answer = await this.api.call('GET', `/api/v1/namespaces/${namespace}/pods/${name}`);
    return answer.code === 200 ? { pod: answer.body as Pod } : { answer };
  }
}

function outcomeOf(answer: Answer, name: string): EvictionOutcome {
  const { kind, reason, message = 'no reason given', details } = statusOf(answer.body);
  const wait = answer.retryAfterMs ?? (details?.retryAfterSeconds ?? 0) * 1000;
  const later = (code: string, atLeastMs: number) =>
    refused(true, code, message, Math.min(Math.max(wait, atLeastMs), 86_400_000));
  switch (answer.code) {
    case 404: {
      // A proxy, or a server that has lost the resource, answers 404 too, and knows nothing of the pod.
      const isOfPod = kind === 'Status' && reason === 'NotFound' && details?.kind === 'pods';
      if (isOfPod && details.name === name) return { answer: 'gone' };
      return later('server-error', laterRetryMs);
    }
    case 409:
      return later('conflict', laterRetryMs);
    case 429: {
      const isBudget = details?.causes?.some(({ reason }) => reason === 'DisruptionBudget');
      return isBudget ? later('disruption-budget', budgetRetryMs) : later('too-many-requests', laterRetryMs);
    }
    case 400:
    case 422:
      return refused(false, 'bad-request', message);
    case 401:
      return later('unauthorized', laterRetryMs);
    case 403:
      return refused(false, 'forbidden', message);
    case 500:
      // A sentence of the API server, which gives no reason of its own here.
      if (message.includes('more than one PodDisruptionBudget')) {
        const remedy = 'leave one of them that selects this pod';
        return refused(false, 'disruption-budgets-several', `${message} Remedy: ${remedy}.`);
      }
      return later('server-error', laterRetryMs);
    default:
      return later('server-error', laterRetryMs);
  }
}

function split(allocation: string): [namespace: string, name: string | undefined] {
  const slash = allocation.indexOf('/');
  const isName = (text: string) => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text);
  const [namespace, name] = [allocation.slice(0, slash), allocation.slice(slash + 1)];
  return slash > 0 && isName(namespace) && isName(name) ? [namespace, name] : ['', undefined];
}

function refused(retryable: boolean, code: string, message: string, retryAfterMs?: number): EvictionOutcome {
  return {
    answer: 'refused',
    retryable,
    code,
    message: message.slice(0, messageLimit),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
