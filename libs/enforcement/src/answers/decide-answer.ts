import {
  counted,
  type DomainEvent,
  type EventData,
  type Notice,
  partitionOptionText,
  type SnapshotAllocation,
} from '#contracts';
import { addMs, toMs } from '../instants.js';
import { fromOpening, latestExtension } from '../run/owner-answers.js';

/** An answer as its owner sent it. docs/how-to/checkpoint-handshake.md */
export interface GivenAnswer {
  partition: string;
  allocation: string;
  /** The incarnation; undefined: the one that runs. */
  uid?: string | undefined;
  answer: EventData<'OwnerAnswered'>['answer'];
  /** Of `checkpointed`, RFC 3339; undefined: now. */
  at?: string | undefined;
  id: string;
  by: string;
}

/** The run that is to evict the allocation. */
export interface AnsweredRun {
  enforcement: string;
  /** Undefined: it is not open yet. */
  opened?: Pick<EventData<'EnforcementOpened'>, 'openedAt' | 'deadlineAt'> | undefined;
  /** Its eviction is ordered, and may have been requested. */
  isOrdered: boolean;
  /** It was asked to finish, and is evicted then. */
  killAt?: string | undefined;
}

export interface AnswerFacts {
  /** By the clock of the database. */
  now: string;
  /** As the cluster has it; undefined: no allocation has this id. */
  live: SnapshotAllocation | undefined;
  /** The open run that is to evict this incarnation. */
  run?: AnsweredRun | undefined;
  /** The run that is due next in its queue or above, and has not planned. */
  clock?: { enforcement: string; dueAt: string } | undefined;
  /** In force for the queue of the allocation. */
  limits: { extensions: number; extensionSeconds: number };
  /** The answer that was recorded with this id. */
  sameId?: EventData<'OwnerAnswered'> | undefined;
  /** Answers of this incarnation to this run. */
  earlier: readonly EventData<'OwnerAnswered'>[];
}

/** Why an answer changes nothing, and what would be right. */
export interface AnswerRefusal extends Notice {
  remedy: string;
}

export type AnswerDecision =
  /** `repeated`: it is recorded already. */
  | { event: DomainEvent<'OwnerAnswered'>; repeated: boolean; refusal?: never }
  | { refusal: AnswerRefusal; event?: never };

/**
 * Decides about an answer. An extension is granted at most as often as the queue allows, ends before the deadline of its run, and never
 * concerns an eviction that may have been requested already.
 */
export function decideAnswer(given: GivenAnswer, facts: AnswerFacts): AnswerDecision {
  const { partition, allocation, answer, id, by } = given;
  const { live, now } = facts;
  const refused = (code: string, message: string, remedy: string): AnswerDecision => ({
    refusal: { code, message, remedy, about: { kind: 'allocation', name: allocation } },
  });
  const { sameId } = facts;
  if (sameId) {
    const isSame = sameId.answer === answer && (given.uid === undefined || given.uid === sameId.uid);
    if (isSame) return { event: { name: 'OwnerAnswered', data: sameId }, repeated: true };
    return refused(
      'id-used',
      `The id ${id} belongs to another answer about ${allocation}: ${sameId.answer}.`,
      'Give each answer an id of its own.',
    );
  }
  if (!live) {
    return refused(
      'allocation-gone',
      `No allocation ${allocation} runs in partition ${partition}.`,
      `Find it: curtail get allocations${partitionOptionText(partition)}`,
    );
  }
  if (given.uid !== undefined && live.uid !== undefined && live.uid !== given.uid) {
    return refused(
      'other-incarnation',
      `Another incarnation of ${allocation} runs: ${live.uid}, not ${given.uid}.`,
      'Answer for the incarnation that runs, or omit the uid.',
    );
  }
  if ((live.state ?? 'running') !== 'running') {
    return refused('leaving', `${allocation} is leaving already.`, 'End the work within its grace period.');
  }
  const accepted = (more: Partial<EventData<'OwnerAnswered'>>): AnswerDecision => ({
    repeated: false,
    event: {
      name: 'OwnerAnswered',
      data: {
        partition,
        queue: live.queue,
        allocation,
        ...(live.uid !== undefined && { uid: live.uid }),
        application: live.application,
        answer,
        id,
        by,
        answeredAt: now,
        ...more,
      },
    },
  });
  if (answer === 'checkpointed') {
    const at = given.at === undefined || toMs(given.at) > toMs(now) ? now : addMs(given.at, 0);
    if (toMs(at) >= toMs(live.startedAt)) return accepted({ checkpointedAt: at });
    return refused(
      'checkpoint-before-start',
      `${allocation} started at ${live.startedAt}, after the checkpoint of ${at}.`,
      'Give the time of a checkpoint of this incarnation.',
    );
  }
  const enforcement = facts.run?.enforcement ?? (answer === 'extend' ? facts.clock?.enforcement : undefined);
  if (enforcement === undefined) {
    return refused(
      'no-run',
      answer === 'ready'
        ? `No open run is to evict ${allocation}: nothing waits for it.`
        : `No open run is to evict ${allocation}, and no clock runs for ${live.queue} or a queue above.`,
      answer === 'ready'
        ? 'Answer again when it is a victim of a run, or end the work.'
        : `See that nothing waits for it: curtail explain allocation ${allocation}${partitionOptionText(partition)}`,
    );
  }
  if (facts.run?.isOrdered) {
    return refused(
      'ordered',
      `The eviction of ${allocation} by run ${enforcement} is ordered already.`,
      'End the work within its grace period.',
    );
  }
  const isReady = facts.earlier.some((earlier) => earlier.answer === 'ready');
  if (answer === 'ready') return accepted({ enforcement });
  if (isReady) {
    return refused(
      'ready',
      `The owner of ${allocation} has answered that it is ready: run ${enforcement} evicts it.`,
      'An extension is no longer possible in this run.',
    );
  }
  return decideExtension(given, enforcement, { ...facts, live }, { accepted, refused });
}

function decideExtension(
  { partition, allocation }: GivenAnswer,
  enforcement: string,
  { now, run, live, limits, earlier }: AnswerFacts & { live: SnapshotAllocation },
  {
    accepted,
    refused,
  }: {
    accepted: (more: Partial<EventData<'OwnerAnswered'>>) => AnswerDecision;
    refused: (code: string, message: string, remedy: string) => AnswerDecision;
  },
): AnswerDecision {
  const { extensions, extensionSeconds: seconds } = limits;
  const setting = `curtail settings ${live.queue} --set extensions=1${partitionOptionText(partition)}`;
  if (extensions === 0) {
    return refused(
      'no-extensions',
      `Queue ${live.queue} allows no extensions: the setting extensions is 0.`,
      `An operator can allow extensions: ${setting}`,
    );
  }
  const granted = earlier.filter(({ answer }) => answer === 'extend');
  const until = extensionEnd(granted, run?.opened);
  if (granted.length >= extensions) {
    const end = until === undefined ? '' : ` It is not evicted before ${until}.`;
    return refused(
      'extensions-used',
      `The owner of ${allocation} has used ${granted.length} of ${counted(extensions, 'extension')} in run ${enforcement}.${end}`,
      'Save the work, and answer checkpointed or ready.',
    );
  }
  if (!run?.opened) return accepted({ enforcement, seconds });
  const from = [now, run.killAt, until].reduce<string>(
    (latest, at) => (at !== undefined && toMs(at) > toMs(latest) ? at : latest),
    now,
  );
  const end = addMs(from, seconds * 1000);
  const latest = latestExtension(run.opened.deadlineAt);
  if (toMs(end) > toMs(latest)) {
    return refused(
      'deadline',
      `An extension of ${allocation} by ${seconds} s would end at ${end}; run ${enforcement} ends at ${run.opened.deadlineAt}, and its last extension at ${latest}.`,
      'Save the work, and answer checkpointed or ready.',
    );
  }
  return accepted({ enforcement, seconds, until: end });
}

/**
 * The end of the extensions of a victim, by its answers; undefined: it has none, its owner is ready, or its extensions count from the
 * opening of a run that is not open yet.
 */
export function extensionEnd(
  answers: readonly EventData<'OwnerAnswered'>[],
  opened: AnsweredRun['opened'],
): string | undefined {
  if (answers.some(({ answer }) => answer === 'ready')) return undefined;
  const granted = answers.filter(({ answer }) => answer === 'extend');
  const before = granted.filter(({ until }) => until === undefined);
  const seconds = before.reduce((sum, { seconds = 0 }) => sum + seconds, 0);
  const ends = granted.flatMap(({ until }) => until ?? []);
  if (seconds > 0 && opened) ends.push(fromOpening(opened, seconds));
  return ends.sort().at(-1);
}
