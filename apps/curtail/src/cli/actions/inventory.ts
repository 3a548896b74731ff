import type { InventoryStatus } from '#api-client';
import { confirm } from '../input/confirm.js';
import type { Action, Invocation } from '../invocation/invocation.js';
import { inventoryLines, placeOf } from '../output/inventory-lines.js';
import { print, printLine } from '../output/print.js';
import { callerName, clientOf } from '../server/client.js';

interface Place {
  partition: string;
}

export const status: Action = {
  run: async (invocation: Invocation, { partition }: Partial<Place>) => {
    const status = await clientOf(invocation).get('/v1/inventory', { params: { query: { partition } } });
    await print(invocation, {
      value: status,
      table: () => inventoryLines(status, invocation, Date.now()),
      names: () => status.items.map((item) => `partition/${item.partition}`),
    });
    const next = nextOf(status);
    if (next !== undefined) invocation.report(`next: ${next}`);
  },
};

export const accept: Action = {
  run: async (invocation: Invocation, { partition }: Place) => {
    const accepted = await clientOf(invocation).post('/v1/inventory/accept', {
      body: { partition, by: callerName() },
    });
    const { sequence, drops, of } = accepted;
    await printLine(
      invocation,
      accepted,
      `listing ${sequence} of partition ${partition} is applied: ${drops} of ${of} running allocations are gone`,
      `partition/${partition}`,
    );
    invocation.report(`next: see the queues: curtail get queues${placeOf({ partition })}`);
  },
};

export const reset: Action = {
  run: async (invocation: Invocation, { partition, yes }: Place & { yes?: boolean }) => {
    // A partition that does not exist is refused before the question.
    if (!yes) await clientOf(invocation).get('/v1/inventory', { params: { query: { partition } } });
    await confirm(
      invocation,
      `Nothing is evicted in partition ${partition} until its scheduler sends a complete listing. Reset its sequences?`,
      yes,
    );
    const before = await clientOf(invocation).post('/v1/inventory/reset', {
      body: { partition, by: callerName() },
    });
    await printLine(
      invocation,
      before,
      `the sequences of partition ${partition} were reset (the newest was ${before.newestSequence})`,
      `partition/${partition}`,
    );
    invocation.report(
      `next: have its scheduler send a complete InventoryListed, then check: curtail inventory status${placeOf({ partition })}`,
    );
  },
};

function nextOf({ items }: InventoryStatus): string | undefined {
  const held = items.find((item) => item.held !== null);
  if (held) return `if those allocations are gone: curtail inventory accept${placeOf(held)}`;
  const back = items.find(({ notices }) => notices.some(({ code }) => code.startsWith('sequence-')));
  if (back) return `if its scheduler restarted its sequence: curtail inventory reset${placeOf(back)}`;
  const unknown = items.find(({ known }) => !known);
  if (unknown) return `see what waits for it: curtail get timers${placeOf(unknown)}`;
  return undefined;
}
