import type { OwnerAnswer } from '../port.js';
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
): OwnerAnswer | undefined {
  const written = annotations?.[answerAnnotation];
  const answer = written === undefined ? undefined : form.exec(written)?.[1];
  if (answer === undefined) return undefined;
  return { allocation, uid, answer: answer as 'ready' | 'extend', id: `${uid}/${written}`, by };
}

/** @returns what is wrong with the annotation, and what would be right. */
export function unreadableAnswer({ annotations }: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const written = annotations?.[answerAnnotation];
  if (written === undefined || form.test(written)) return undefined;
  return `its annotation ${answerAnnotation} is ${JSON.stringify(written)}: write ready or extend, or one of them with an id of its own, such as extend/2`;
}
