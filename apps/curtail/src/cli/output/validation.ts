import type { ConfigurationPartition, ConfigurationQueue, ConfigurationResult } from '#configuration';
import { counted, shareText } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { runnable } from '../terminal/called.js';
import { type InputFault, located } from '../terminal/errors.js';
import type { Terminal } from '../terminal/terminal.js';
import { amountsText, delayText, durationText } from './amounts.js';
import { partitionColumn, tableLines } from './table.js';

/** The result in the form of docs/reference/cli.md; amounts with all their digits. */
export function validationJson(result: ConfigurationResult) {
  const { valid, errors, warnings, partitions, queues } = result;
  return {
    valid,
    errors,
    warnings,
    partitions: partitions.map(partitionJson),
    queues: queues.map(queueJson),
  };
}

function partitionJson({ policies, ...partition }: ConfigurationPartition) {
  return Object.keys(policies).length > 0 ? { ...partition, policies } : partition;
}

function queueJson({ partition, path, exact, delaySeconds, clusterShare, properties }: ConfigurationQueue) {
  return {
    partition,
    path,
    max: exact.max,
    guaranteed: exact.guaranteed,
    delaySeconds,
    ...(clusterShare ? { clusterShare } : {}),
    ...(properties ? { properties } : {}),
  };
}

/** The next step where keys are unknown. */
export const allowUnknownStep =
  'correct the keys, or, if a newer YuniKorn has them, add --allow-unknown: Curtail then ignores them with a warning';

/** `queues.yaml:12:9: partitions[0].queues[1].resorces: unknown key: write resources` */
export function problemText(
  file: string,
  { path, message, line, column, file: other }: InputFault & { file?: string },
): string {
  return located(other ?? (file === '-' ? '<stdin>' : file), { path, message, line, column });
}

export function validationLines(
  read: readonly { file: string; result: ConfigurationResult }[],
  { format, style, width }: Invocation,
): string[] {
  return read.flatMap(({ file, result }) => {
    const { valid, errors, warnings, partitions, queues } = result;
    const lines = [
      ...errors.map((error) => `${style('bad', 'error')}    ${problemText(file, error)}`),
      ...warnings.map(
        (warning) => `${style('doubtful', 'warning')}  ${problemText(file, warning)} (${warning.code})`,
      ),
      valid
        ? `${style('good', 'valid')}    ${file}: ${counted(partitions.length, 'partition')}, ${counted(queues.length, 'queue')}`
        : `${style('bad', 'refused')}  ${file}: ${counted(errors.length, 'error')}`,
    ];
    if (format !== 'wide' || !valid) return lines;
    const columns = [
      partitionColumn,
      { title: 'QUEUE', holds: 'paths' as const },
      { title: 'MAX', wraps: 'items' as const },
      { title: 'GUARANTEED', wraps: 'items' as const },
      { title: 'DELAY' },
    ];
    const rows = queues.map(({ partition, path, exact, delaySeconds, clusterShare }) => [
      partition,
      path,
      clusterShare?.max === undefined
        ? amountsText(exact.max)
        : `${shareText(clusterShare.max)} of the cluster`,
      clusterShare?.guaranteed === undefined
        ? amountsText(exact.guaranteed)
        : `${shareText(clusterShare.guaranteed)} of the cluster`,
      delayText(delaySeconds),
    ]);
    return [...lines, ...tableLines(columns, rows, { width, style })];
  });
}

/** A file that is something else has an error in every other line. */
const mostErrors = 10;

/** Prints what is wrong with a configuration: the first errors, and where all of them are. */
export function writeErrors(
  { stderr, call = 'curtail', jsonErrors }: Pick<Terminal, 'stderr' | 'call' | 'jsonErrors'>,
  file: string,
  errors: readonly InputFault[],
): void {
  if (jsonErrors) {
    if (errors.length === 0) return;
    const message = `${file === '-' ? '<stdin>' : file} is refused: ${counted(errors.length, 'error')}`;
    stderr.write(`${JSON.stringify({ error: { code: 'configuration-refused', message, file, errors } })}\n`);
    return;
  }
  for (const error of errors.slice(0, mostErrors)) stderr.write(`error: ${problemText(file, error)}\n`);
  const more = errors.length - mostErrors;
  if (more > 0)
    stderr.write(
      runnable(
        `error: ${file} has ${counted(more, 'further error')}; is it a configuration? List all: curtail validate -f ${file}\n`,
        call,
        undefined,
      ),
    );
}

export const assumedDelay = (seconds: number): string =>
  `a delay of ${durationText(seconds)} for queues that have none, and enforcement that is switched on`;

/** Where nothing would be enforced, a delay to try is what shows the victims. */
export function reportDelayToTry(
  invocation: Invocation,
  delay: number | undefined,
  warnings: readonly { code: string }[],
): void {
  if (delay === undefined && warnings.some(({ code }) => code === 'nothing-enforced')) {
    invocation.report('next: see what would be evicted if it were enforced: add --delay 10m');
  }
}
