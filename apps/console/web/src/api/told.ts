/** Longer than the server gives one answer to several pages. */
const ownMs = 2500;

let id: string | undefined;
let commandedAt = Number.NEGATIVE_INFINITY;

/**
 * Up to where this page has been told of the log. Requests state it: the server may then answer them as it answered another page that
 * knows as much. For a moment after a command of its own the page states nothing: it must see what the command did before it is told.
 */
export const told = {
  set: (given: string | undefined) => {
    id = given;
  },
  commanded: () => {
    commandedAt = performance.now();
  },
  get: () => (performance.now() - commandedAt < ownMs ? undefined : id),
};
