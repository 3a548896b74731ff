import type { Notice, NoticeAbout } from '@curtail/contracts';

/** By code, then message. */
export function sortNotices<N extends Notice>(notices: N[]): N[] {
  return notices.sort((a, b) => {
    if (a.code !== b.code) return a.code < b.code ? -1 : 1;
    return a.message < b.message ? -1 : a.message > b.message ? 1 : 0;
  });
}

/** Notices as a plan has them. */
export const inPlan = (notices: readonly NoticeAbout[]): Notice[] =>
  notices.map(({ code, message }) => ({ code, message }));
