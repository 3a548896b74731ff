import type { AnswerOfOwner, AnswerResult } from '../port.js';
import type { ObjectMeta } from './objects.js';

/** The answer of its owner to an upcoming eviction: `ready`, `extend`, or one of them with an id, such as `extend/2`. */
export const answerAnnotation = 'curtail.io/answer';

const form = /^(ready|extend)(\/[\w.:-]{1,63})?$/;

/**
 * The answer that a pod's annotation gives (docs/how-to/checkpoint-handshake.md). Its id is the uid and the value, so an answer that is
 * sent again after a restart of the agent counts once. @returns undefined: it gives none, or one that cannot be read.
 */
export function ownerAnswerOf(
  { uid, annotations }: Pick<ObjectMeta, 'uid' | 'annotations'>,
  { allocation, by }: { allocation: string; by: string },
): AnswerOfOwner | undefined {
  const written = annotations?.[answerAnnotation];
  const answer = written === undefined ? undefined : form.exec(written)?.[1];
  if (answer === undefined) return undefined;
  return { allocation, uid, answer: answer as 'ready' | 'extend', id: `${uid}/${written}`, by };
}

/** Whether an answer was given by an annotation of the pod, and not over HTTP or Kafka, where its sender gets the result. */
export function isOfAnnotation(uid: string, { id }: Pick<AnswerOfOwner, 'id'>): boolean {
  return id.startsWith(`${uid}/`);
}

/** What became of an answer, for its owner. */
export function resultText({ kind, data }: AnswerResult): string {
  if (kind === 'refused') return `The answer ${data.answer} changes nothing: ${data.message}`;
  const { answer, enforcement, until, seconds } = data;
  const run = enforcement === undefined ? '' : ` by ${enforcement}`;
  if (answer !== 'extend') return `The answer ${answer} counts: this pod may be evicted${run} from now on.`;
  const since = until === undefined ? `for ${seconds} s from the opening of the run` : `before ${until}`;
  return `The answer ${answer} counts: this pod is not evicted${run} ${since}.`;
}

/** @returns what is wrong with the annotation, and what would be right. */
export function unreadableAnswer({ annotations }: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const written = annotations?.[answerAnnotation];
  if (written === undefined || form.test(written)) return undefined;
  return `its annotation ${answerAnnotation} is ${JSON.stringify(written)}: write ready or extend, or one of them with an id of its own, such as extend/2`;
}
