/** Longer than the server shares an answer between pages. */
const ownMs = 2500;

let id: string | undefined;
let commandedAt = Number.NEGATIVE_INFINITY;

/**
 * The id of the last live message of this page. Requests state it, so that the server may give them the answer to another page that has received as
 * much. For a moment after a command the page does not state it: the next answers must include the effects of that command.
 */
export const lastSeen = {
  set: (given: string | undefined) => {
    id = given;
  },
  commanded: () => {
    commandedAt = performance.now();
  },
  get: () => (performance.now() - commandedAt < ownMs ? undefined : id),
};
