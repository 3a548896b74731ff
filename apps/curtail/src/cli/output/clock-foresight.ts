import type { Timer } from '#api-client';
import { counted } from '#contracts';
import { clockText } from './time.js';

type Foresight = Timer['foresight'];

/** What the run of a clock would evict now; `-`: it is not known. */
export const foreseenCell = (foresight: Foresight): string =>
  foresight ? `${foresight.victims}${foresight.moreApplications > 0 ? ' or more' : ''}` : '-';

/** The owners who were notified in advance, when, and of how many victims; empty: none. */
export function foresightSentence(foresight: Foresight): string {
  if (!foresight) return '';
  const { victims, applications, moreApplications, notifiedAt, checkedAt, fault } = foresight;
  const old = fault === null ? '' : ` No newer plan could be made: ${fault}`;
  if (applications === 0)
    return `At ${clockText(checkedAt)} its run would have evicted nothing, so no owner is notified.${old}`;
  const more = moreApplications > 0 ? `; ${counted(moreApplications, 'more application')} not notified` : '';
  const owners =
    applications === 1 ? 'The owner of 1 application is' : `The owners of ${applications} applications are`;
  return `${owners} notified of ${counted(victims, 'victim')} (last at ${clockText(notifiedAt)}${more}).${old}`;
}
