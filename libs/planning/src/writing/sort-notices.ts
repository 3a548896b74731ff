import type { Notice } from '#contracts';

/** By code, then message; with their keys in one order, for plans are compared byte for byte. */
export function sortNotices(notices: readonly Notice[]): Notice[] {
  return notices
    .map(({ code, message, about }) => ({ code, message, about }))
    .sort((a, b) => {
      if (a.code !== b.code) return a.code < b.code ? -1 : 1;
      return a.message < b.message ? -1 : a.message > b.message ? 1 : 0;
    });
}
