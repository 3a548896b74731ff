import { counted } from '#contracts';
import type { Action, Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { clientOf } from '../server/client.js';
import { exitStatus } from '../terminal/terminal.js';

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
