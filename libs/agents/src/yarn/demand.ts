import type { Resources } from '#contracts';
import { keyOf, type YarnApp, type YarnContainer } from './answers.js';

/** What a look shows of one application. */
interface Shown {
  app: Pick<YarnApp, 'pending'>;
  containers: readonly YarnContainer[];
  isSettled: boolean;
}

/** What an application wants of one size of containers in all: those that it has and those that it waits for. */
interface Wanted {
  /** As far as looks in a row show it. */
  settled: number;
  /** At least, by the last look alone. */
  sure: number;
  /** Of what is settled, what it does not have. */
  waiting: number;
}

/** By size; sizes that an application does not wait for are missing. */
export type Demand = ReadonlyMap<string, Wanted>;

/**
 * A master asks in absolute numbers, and does not know yet what YARN has given it meanwhile: each time that crosses, YARN shows too many pending
 * requests, by no more than the containers that were started lately. So a demand grows only as far as two looks in a row show it without
 * these, and falls with each container that has ended until two looks show that it is asked for again. A plan for more would evict too much.
 *
 * @param before the same application in the look before.
 */
export function demandOf(
  { app, containers, isSettled }: Shown,
  before: (Shown & { demand: Demand }) | undefined,
): Demand {
  if (app.pending.length === 0) return new Map();
  const held = heldBySize(containers, before?.containers ?? []);
  return new Map(
    app.pending.map(({ resources, count }): [string, Wanted] => {
      const key = keyOf(resources);
      const { all, started, ended } = held.get(key) ?? none;
      const known = before?.demand.get(key);
      const sure = isSettled ? count + all - started : 0;
      const left = (known?.settled ?? 0) - ended;
      const settled = Math.min(count + all, Math.max(left, Math.min(sure, known?.sure ?? 0)));
      return [key, { settled, sure, waiting: isSettled ? Math.max(0, settled - all) : 0 }];
    }),
  );
}

/** All that an application waits for as one look shows it. */
export const demandAsShown = ({ pending }: Pick<YarnApp, 'pending'>): Demand =>
  new Map(pending.map(({ resources, count }) => [keyOf(resources), { settled: 0, sure: 0, waiting: count }]));

/** Containers of one size: there now, not there before, and there before but no longer. */
interface Held {
  all: number;
  started: number;
  ended: number;
}

const none: Held = { all: 0, started: 0, ended: 0 };

function heldBySize(
  containers: readonly YarnContainer[],
  before: readonly YarnContainer[],
): Map<string, Held> {
  // Containers of one list share the objects of their sizes.
  const keys = new Map<Resources, string>();
  const held = new Map<string, Held>();
  const sizeOf = ({ resources }: YarnContainer): Held => {
    const key = keys.get(resources) ?? keyOf(resources);
    keys.set(resources, key);
    const size = held.get(key) ?? { ...none };
    held.set(key, size);
    return size;
  };
  const isSame = before === containers;
  const gone = new Set(isSame ? [] : before.map(({ id }) => id));
  for (const container of containers) {
    const isNew = !isSame && !gone.delete(container.id);
    const size = sizeOf(container);
    size.all++;
    if (isNew) size.started++;
  }
  if (gone.size > 0) for (const container of before) if (gone.has(container.id)) sizeOf(container).ended++;
  return held;
}
