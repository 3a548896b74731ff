import { counted } from '#contracts';
import type { Action, Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { print } from '../output/print.js';
import { clockText } from '../output/time.js';
import { callerName, clientOf } from '../server/client.js';
import { exitStatus } from '../terminal/terminal.js';

interface Place {
  partition: string;
}

export const make: Action = {
  run: async (invocation: Invocation, id: string, { partition, days }: Place & { days?: number }) => {
    const { path, expiresAt } = await clientOf(invocation).post('/v1/allocations/{id}/link', {
      params: { path: { id } },
      body: { partition, ...(days !== undefined && { days }) },
    });
    const link = `${invocation.server}${path}`;
    await print(invocation, { value: { link, expiresAt }, table: () => [link], names: () => [link] });
    if (expiresAt === null) {
      invocation.report(
        'warning: CURTAIL_TOKEN is not set on the server, so this address is no secret link: only callers with the right to read can open it',
      );
    } else {
      invocation.report(`it works until ${clockText(expiresAt)}`);
      invocation.report(`next: to end it early: curtail links revoke ${id}${placeOf({ partition })}`);
    }
    return exitStatus.done;
  },
};

export const revoke: Action = {
  run: async (invocation: Invocation, id: string, { partition }: Place) => {
    const result = await clientOf(invocation).delete('/v1/allocations/{id}/link', {
      params: { path: { id }, query: { partition, by: callerName() } },
    });
    await print(invocation, {
      value: result,
      table: () => [`links for the owner of ${id} (partition ${partition}) no longer work`],
      names: () => [`allocation/${id}`],
    });
    invocation.report(`next: make a new one: curtail links make ${id}${placeOf({ partition })}`);
    return exitStatus.done;
  },
};

export const test: Action = {
  run: async (invocation: Invocation) => {
    const tested = await clientOf(invocation).post('/v1/webhook/test', {});
    await print(invocation, {
      value: tested,
      table: () => [`the receiver accepted message ${tested.id}`],
      names: () => [tested.id],
    });
    return exitStatus.done;
  },
};

export const resend: Action = {
  run: async (invocation: Invocation) => {
    const resent = await clientOf(invocation).post('/v1/webhook/resend', {});
    await print(invocation, {
      value: resent,
      table: () => [
        resent.messages === 0
          ? 'no messages were given up'
          : `${counted(resent.messages, 'message')} will be sent again`,
      ],
      names: () => [],
    });
    return exitStatus.done;
  },
};
