import type { Notice } from '@curtail/contracts';

/** By code, then message. */
export function sortNotices(notices: Notice[]): Notice[] {
  return notices.sort((a, b) => {
    if (a.code !== b.code) return a.code < b.code ? -1 : 1;
    return a.message < b.message ? -1 : a.message > b.message ? 1 : 0;
  });
}
