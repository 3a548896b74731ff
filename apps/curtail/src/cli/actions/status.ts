import type { Status } from '#api-client';
import type { Invocation } from '../invocation/invocation.js';
import { exactJson, print, type Result, write, yamlText } from '../output/print.js';
import { statusLines, statusSentences } from '../output/status-lines.js';
import { clockText } from '../output/time.js';
import { inPlace, repeatedly, showsInPlace } from '../resources/watch.js';
import { clientOf } from '../server/client.js';
import { printable, safeLine } from '../terminal/printable.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

/** Whatever servers are down, a Curtail that works answers within two seconds; with very many partitions it may take longer. */
const longestMs = 10_000;

interface StatusOptions {
  partition?: string;
  watch?: boolean;
}

export async function run(
  invocation: Invocation,
  { partition, watch = false }: StatusOptions,
): Promise<ExitStatus> {
  const client = clientOf(invocation, { answerMs: longestMs });
  const read = (signal?: AbortSignal) =>
    client.get('/v1/status', { params: { query: { partition } }, ...(signal ? { signal } : {}) });
  let last: Status | undefined;
  if (watch) {
    const show = shower(invocation);
    await repeatedly(invocation, async (signal) => {
      last = await read(signal);
      await show(last);
    });
  } else {
    last = await read();
    await print(invocation, resultOf(last, invocation));
  }
  return last === undefined || last.attention.length === 0 ? exitStatus.done : exitStatus.needsAttention;
}

function resultOf(status: Status, invocation: Invocation): Result {
  return {
    value: status,
    table: () => statusLines(status, invocation, Date.now()),
    names: () => status.attention.map(({ about }) => `${about.kind}/${about.name}`),
  };
}

/** On a terminal the screen; elsewhere only the lines that were not there a moment before, each with its time. */
function shower(invocation: Invocation): (status: Status) => Promise<void> {
  if (showsInPlace(invocation)) {
    const rewrite = inPlace(invocation);
    return (status) => rewrite(resultOf(status, invocation).table());
  }
  let before = new Set<string>();
  return async (status) => {
    const now = await linesOf(status, invocation);
    const changed = [...now].filter(([line]) => !before.has(line)).map(([, text]) => text);
    before = new Set(now.keys());
    if (changed.length > 0) await write(invocation, `${changed.join('\n')}\n`);
  };
}

/** Lines to print, by their content without the time of the answer. */
async function linesOf(status: Status, invocation: Invocation): Promise<Map<string, string>> {
  const { at, ...timeless } = status;
  switch (invocation.format) {
    case 'json':
      return new Map([[exactJson(timeless), exactJson(status)]]);
    case 'yaml':
      return new Map([[exactJson(timeless), `---\n${await yamlText(status)}`]]);
    case 'name':
      return new Map(
        resultOf(status, invocation)
          .names()
          .map((name) => [name, printable(name)]),
      );
    default:
      return new Map(statusSentences(status).map((line) => [line, `${clockText(at)}  ${safeLine(line)}`]));
  }
}
