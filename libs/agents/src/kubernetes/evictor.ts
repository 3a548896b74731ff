import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  AnnouncedToAgent,
  AnswerResult,
  EvictionOutcome,
  Evictor,
  RecordedEviction,
  RequestToAgent,
} from '../port.js';
import type { KubernetesApi, ServerAnswer } from './api.js';
import { statusOf } from './api.js';
import { InTurns } from './in-turns.js';
import { KubernetesError } from './kubernetes-error.js';
import type { OwnerReference, Pod } from './objects.js';
import { isOfAnnotation, resultText } from './owner-answer.js';
import { controllerOf, type PodWork, podWork } from './pod-work.js';

export const enforcementAnnotation = 'curtail.io/enforcement';
export const evictAfterAnnotation = 'curtail.io/evict-after';

export interface PodEvictorOptions {
  /** `observe`: nothing is written, and every request is refused. */
  mode: () => 'observe' | 'enforce';
  find: (id: string) => PodWork | undefined;
  /** Namespaces whose pods are never evicted. */
  isProtected: (namespace: string) => boolean;
  /** Whether an eviction there may be charged to a disruption budget, as far as known. */
  hasBudget: (namespace: string) => boolean;
  /** Called when an event or an annotation could not be written; the eviction does not depend on it. */
  onNotifyFailed: (error: Error) => void;
  /** Returns a unique name suffix for a new object. */
  newName: () => string;
  now: () => Date;
}

const strict = { fieldValidation: 'Strict' };
const mergePatch = 'application/merge-patch+json';
/** Evictions refused by a budget are retried about as often as its controller updates it. */
const budgetRetryMs = 5000;
const laterRetryMs = 2000;
const messageLimit = 1000;
/** The agent notifies owners only of answers that were accepted within this time. */
const newsForMs = 3_600_000;
/** Owners are notified in the background, so that evictions do not wait. */
const notificationsAtOnce = 2;
/** With 0 the API server deletes the pod at once, while it may still run on its node. */
const leastGraceSeconds = 1;
/** Attempts of one request whose pod changes at the same time. */
const mostAttempts = 3;
/** How long, and how often, a pod is read back after a lost answer: the API server may still be working on the request. */
const readBackMs = { whole: 15_000, pause: 500 };
/** Pods whose owners were notified by this process. */
const mostTold = 10_000;

/** An eviction as owners hear of it. */
type Told = Pick<RequestToAgent, 'allocation' | 'uid' | 'evictionId' | 'queue' | 'reason'>;

/** Carries out evictions through the Eviction API, and notifies owners by events and annotations. */
export class PodEvictor implements Evictor {
  private readonly notifications = new InTurns(notificationsAtOnce);
  /** Uids of pods whose owners this process has notified, or is about to. */
  private readonly told = new Set<string>();

  constructor(
    private readonly api: KubernetesApi,
    private readonly options: PodEvictorOptions,
  ) {}

  /**
   * Evicts exactly the observed pod: its uid and version are preconditions, so a different pod of that name, a pod that is leaving
   * already, and a pod that was just protected stay. A namespace with disruption budgets gets a dry run first: a real request is charged
   * to the budget before its preconditions are checked, and would use up the allowance of another pod. The grace period is the longer
   * one of the pod and the request. After a lost answer the pod is read back: one that the Eviction API has let go since is evicted.
   *
   * @throws KubernetesError once the request is no longer valid; nothing was evicted then. Error if it is not known whether the pod was evicted.
   */
  async evict(request: RequestToAgent, isValid = () => true): Promise<EvictionOutcome> {
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
        // An ended pod holds no resources.
        if (pod === undefined) return { answer: 'gone' };
      }
      if (pod.uid !== request.uid) return { answer: 'other-incarnation', uid: pod.uid };
      if (this.options.isProtected(namespace) || pod.isProtected) {
        return refused(false, 'protected', `pod ${request.allocation} is protected from evictions`);
      }
      // A second request could only shorten its grace period.
      if (pod.bound?.state === 'releasing') {
        this.noteTold(request.uid);
        await this.notifyIfMissed(request);
        return { answer: 'accepted', repeated: true };
      }
      const { owner } = pod;
      const answer = await this.rehearseAndEvict(namespace, name, pod, request, isValid).catch(
        async (error: Error) => {
          if (isUnsent(error) || !(await this.isCarriedOut(request, isValid))) throw error;
          return 'carried out' as const;
        },
      );
      if (answer === 'carried out' || answer.code === 201) {
        this.tell(request, owner);
        return { answer: 'accepted' };
      }
      if (answer.code !== 409 || attempt === mostAttempts) return outcomeOf(answer, name);
      // It has changed since it was observed.
      pod = undefined;
    }
  }

  /** Notifies the owner of the time of the eviction, so that the pod can save its state. */
  async announce({ allocation, uid, killAt, reason }: AnnouncedToAgent): Promise<void> {
    const [namespace, name] = split(allocation);
    const pod = this.options.find(allocation);
    if (name === undefined || pod?.uid !== uid) return;
    await this.annotate(namespace, name, uid, { [evictAfterAnnotation]: killAt });
    const note = `This pod may be evicted at ${killAt} or later. ${reason}`;
    await this.event(
      namespace,
      { kind: 'Pod', name, uid, apiVersion: 'v1' },
      'EvictionAnnounced',
      note,
      'Normal',
    );
    if (pod.owner) {
      const ofOwner = `Pod ${name} may be evicted at ${killAt} or later. ${reason}`;
      await this.event(namespace, pod.owner, 'EvictionAnnounced', ofOwner, 'Normal');
    }
  }

  /** Notifies the owner who answered by an annotation of what became of the answer; once, however often it is delivered. */
  async answered(result: AnswerResult): Promise<void> {
    const { allocation, id } = result.data;
    const [namespace, name] = split(allocation);
    const pod = this.options.find(allocation);
    if (name === undefined || pod === undefined || !isOfAnnotation(pod.uid, result.data)) return;
    // An agent that reads its topic from the beginning would announce what was true once.
    const isNews =
      result.kind === 'refused' ||
      this.options.now().getTime() - Date.parse(result.data.answeredAt) < newsForMs;
    if (!isNews) return;
    const [reason, type] =
      result.kind === 'accepted' ? (['Accepted', 'Normal'] as const) : (['Refused', 'Warning'] as const);
    const text = resultText(result);
    const notify = (on: OwnerReference, what: string, note: string) =>
      this.event(namespace, on, what, note, type, nameOf(`${what} ${id}`));
    const ofPod = { kind: 'Pod', name, uid: pod.uid, apiVersion: 'v1' };
    await notify(ofPod, `Answer${reason}`, text);
    if (pod.owner) await notify(pod.owner, `PodAnswer${reason}`, `Pod ${name}: ${text}`);
  }

  /**
   * Notifies the owner of an eviction that Curtail has recorded and this process has not told of: the agent was killed or started anew between
   * the two. The pod may be gone: events may name objects that are.
   */
  async recorded({ kind, data }: RecordedEviction): Promise<void> {
    const { allocation, uid, enforcement, victimQueue: queue } = data;
    const [namespace, name] = split(allocation);
    if (name === undefined || uid === undefined || this.told.has(uid)) return;
    this.noteTold(uid);
    if (kind === 'evicted') {
      const { evictionId, reason } = data;
      const read = await this.read(namespace, name);
      const pod = 'pod' in read && read.pod.metadata.uid === uid ? read.pod : undefined;
      const owner = pod && controllerOf(pod.metadata);
      this.notifications.add(() => this.notifyOwners({ allocation, uid, evictionId, queue, reason }, owner));
      return;
    }
    const note = `Curtail (${enforcement}) requested the eviction of this pod from queue ${queue}, received no answer, and the pod is gone since.`;
    const ofPod = { kind: 'Pod', name, uid, apiVersion: 'v1' };
    this.notifications.add(() =>
      this.event(namespace, ofPod, 'Evicted', note, 'Warning', nameOf(`Evicted ${uid}`)),
    );
  }

  /**
   * Writes an event on an object of a namespace. A failure is reported and otherwise ignored.
   *
   * @param id an event with the same id is written once.
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
   * Notifies owners if an agent died between an eviction and its notification. The pod does not record who evicted it: a pod that
   * another client drains at the moment of Curtail's request counts as evicted by Curtail, as it does in Curtail's log.
   */
  private async notifyIfMissed(request: RequestToAgent): Promise<void> {
    const [namespace, name = ''] = split(request.allocation);
    try {
      const read = await this.read(namespace, name);
      if ('answer' in read) return;
      const { metadata, status } = read.pod;
      if (metadata.uid !== request.uid || metadata.annotations?.[enforcementAnnotation] !== undefined) return;
      if (isEvicted({ status })) await this.notifyOwners(request, controllerOf(metadata));
    } catch (error) {
      this.options.onNotifyFailed(error as Error);
    }
  }

  /** Whether the request of a lost answer was carried out; false also if that cannot be known. */
  private async isCarriedOut({ allocation, uid }: RequestToAgent, isValid: () => boolean): Promise<boolean> {
    const [namespace, name = ''] = split(allocation);
    for (let waited = 0; waited < readBackMs.whole; waited += readBackMs.pause) {
      try {
        const read = await this.read(namespace, name);
        if ('answer' in read) {
          if (read.answer.code === 404) return false;
        } else {
          if (read.pod.metadata.uid !== uid) return false;
          if (read.pod.metadata.deletionTimestamp !== undefined) return isEvicted(read.pod);
          if (!isValid()) return false;
        }
      } catch (error) {
        this.options.onNotifyFailed(error as Error);
      }
      await delay(readBackMs.pause);
    }
    return false;
  }

  private tell(request: RequestToAgent, owner: OwnerReference | undefined): void {
    this.noteTold(request.uid);
    this.notifications.add(() => this.notifyOwners(request, owner));
  }

  private noteTold(uid: string | undefined): void {
    if (uid === undefined) return;
    this.told.add(uid);
    const [first] = this.told;
    if (this.told.size > mostTold && first !== undefined) this.told.delete(first);
  }

  /** The annotation is written last: it marks the notification as complete. */
  private async notifyOwners(request: Told, owner: OwnerReference | undefined): Promise<void> {
    const [namespace, name = ''] = split(request.allocation);
    const { uid, evictionId, queue, reason } = request;
    const note = `Evicted by Curtail (${evictionId}) from queue ${queue}: ${reason}`;
    const notify = (on: OwnerReference, what: string, text: string) => {
      return this.event(namespace, on, what, text, 'Warning', nameOf(`${what} ${uid}`));
    };
    await notify({ kind: 'Pod', name, uid, apiVersion: 'v1' }, 'Evicted', note);
    if (owner) await notify(owner, 'PodEvicted', `Pod ${name}: ${note}`);
    await this.annotate(namespace, name, uid, { [enforcementAnnotation]: evictionId });
  }

  /** The uid in a patch is a precondition: another pod of this name does not change. */
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
      // The pod is gone or replaced, so there is no owner to notify; or the event exists already.
      if (answer.code < 300 || answer.code === 404 || answer.code === 409) return;
      throw new KubernetesError(
        'request-refused',
        `${method} ${path}: ${answer.code} ${statusOf(answer.body).message ?? ''}`,
      );
    } catch (error) {
      this.options.onNotifyFailed(error as Error);
    }
  }

  private async rehearseAndEvict(
    namespace: string,
    name: string,
    { uid, version, graceSeconds: own }: PodWork,
    { graceSeconds: asked }: RequestToAgent,
    isValid: () => boolean,
  ): Promise<ServerAnswer> {
    const post = (isRehearsal: boolean) =>
      this.api.call('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, {
        query: strict,
        mayBeSent: isValid,
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name, namespace },
          deleteOptions: {
            gracePeriodSeconds: Math.max(Math.ceil(asked), own, leastGraceSeconds),
            preconditions: { uid, resourceVersion: version },
            // In the body: the API server ignores the query if there is a body.
            ...(isRehearsal && { dryRun: ['All'] }),
          },
        },
      });
    if (!this.options.hasBudget(namespace)) return post(false);
    const rehearsed = await post(true);
    return rehearsed.code === 201 ? post(false) : rehearsed;
  }

  /** Reads the pod as it is now, or returns the answer of the API server. */
  private async read(namespace: string, name: string): Promise<{ pod: Pod } | { answer: ServerAnswer }> {
    const answer = await this.api.call('GET', `/api/v1/namespaces/${namespace}/pods/${name}`);
    return answer.code === 200 ? { pod: answer.body as Pod } : { answer };
  }
}

/** The request was never sent: its time was over. */
const isUnsent = (error: Error): boolean => error instanceof KubernetesError && error.code === 'too-late';

/** The API server marks a pod that the Eviction API lets go. */
const isEvicted = ({ status }: Pick<Pod, 'status'>): boolean =>
  status?.conditions?.some(({ reason }) => reason === 'EvictionByEvictionAPI') === true;

/** The suffix of an event that is written once. */
const nameOf = (what: string): string => createHash('sha256').update(what).digest('hex').slice(0, 16);

function outcomeOf(answer: ServerAnswer, name: string): EvictionOutcome {
  const { kind, reason, message = 'no reason given', details } = statusOf(answer.body);
  const wait = answer.retryAfterMs ?? (details?.retryAfterSeconds ?? 0) * 1000;
  const later = (code: string, atLeastMs: number) =>
    refused(true, code, message, Math.min(Math.max(wait, atLeastMs), 86_400_000));
  switch (answer.code) {
    case 404: {
      // A proxy, or a server without the resource, also answers 404, but does not know the pod.
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
      // The API server gives no machine-readable reason here, only this sentence.
      if (message.includes('more than one PodDisruptionBudget')) {
        const remedy = 'keep only one that selects this pod';
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
