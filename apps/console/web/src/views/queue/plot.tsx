import './plot.css';
import { Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type PointerEvent, useState } from 'react';
import type { components } from '#api-client';
import { amountText } from '#contracts';
import { shortAmount } from '../../parts/amounts.js';
import { sentenceText } from '../../parts/sentence-parts.js';
import { absoluteTime } from '../../parts/times.js';
import { amountTicks, type Scale, scaleOf, stepPath, timeTicks } from './scale.js';

type History = components['schemas']['QueueHistory'];
type Mark = components['schemas']['HistoryMark'];

const height = 190;
const margin = { left: 56, right: 12, top: 10, bottom: 22 };
const laneHeight = 12;
const lanes = ['quota', 'clock', 'run', 'stop', 'setting'] as const;

interface Props {
  type: string;
  history: History;
  /** Milliseconds since 1970: the time that is shown. */
  from: number;
}

/**
 * Usage and quota of one resource over time, and a mark for each change, clock and run.
 *
 * An SVG, not a canvas of a library: the server has made the points few, the colours are those of the page, marks have texts of their own,
 * and it is a part of the document that tests and screen readers find.
 */
export function Plot({ type, history, from }: Props) {
  const { ref, width } = useElementSize();
  const [pointed, setPointed] = useState<number>();
  const to = Date.parse(history.at);
  const x = scaleOf(from, to, Math.max(100, width - margin.left - margin.right));
  const usage = history.usage.map(({ at, amounts }) => ({ at: Date.parse(at), amount: amounts[type] ?? 0 }));
  const quotas = history.quotas.map(({ at, max }) => ({ at: Date.parse(at), amount: max?.[type] }));
  const largest = Math.max(
    1,
    ...usage.map(({ amount }) => amount),
    ...quotas.map(({ amount }) => amount ?? 0),
  );
  const bottom = height - margin.bottom - lanes.length * laneHeight;
  const yAt = (amount: number) => ((1.08 * largest - amount) / (1.08 * largest)) * (bottom - margin.top);
  const inside = (at: number) => x.at(Math.max(at, from));
  const onPointer = (event: PointerEvent<SVGSVGElement>) => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left - margin.left;
    setPointed(Math.min(to, Math.max(from, from + (left / x.at(to)) * (to - from))));
  };
  return (
    <div ref={ref} className="plot">
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={wordsOf(type, history)}
        onPointerMove={onPointer}
        onPointerLeave={() => setPointed(undefined)}
      >
        <g transform={`translate(${margin.left} ${margin.top})`}>
          {amountTicks(1.08 * largest).map((tick) => (
            <g key={tick} className="grid">
              <line x2={x.at(to)} y1={yAt(tick)} y2={yAt(tick)} />
              <text x={-6} y={yAt(tick)} dy="0.32em" textAnchor="end">
                {shortAmount(type, tick)}
              </text>
            </g>
          ))}
          <Times x={x} bottom={height - margin.top - margin.bottom} />
          <line className="axis" x2={x.at(to)} y1={yAt(0)} y2={yAt(0)} />
          {quotaSpans(quotas, to).map(({ at, until, amount }) => (
            <path
              key={at}
              className="quota"
              data-amount={amount}
              d={`M${inside(at)} ${yAt(amount)}H${inside(until)}`}
            >
              <title>{`quota ${amountText(type, amount)} from ${absoluteTime(at)}`}</title>
            </path>
          ))}
          <path
            className="usage"
            d={stepPath(
              usage.filter(({ at }) => at >= from).map(({ at, amount }) => [x.at(at), yAt(amount)]),
              x.at(to),
            )}
          />
          {usage.map(({ at, amount }) =>
            at < from ? null : (
              <circle key={at} className="usage" cx={x.at(at)} cy={yAt(amount)} r={2.5}>
                <title>{`${amountText(type, amount)} used at ${absoluteTime(at)}`}</title>
              </circle>
            ),
          )}
          {history.marks.map((mark) => (
            <MarkShape key={mark.position} mark={mark} x={x} bottom={bottom - margin.top} />
          ))}
          {pointed !== undefined && (
            <line className="pointed" x1={x.at(pointed)} x2={x.at(pointed)} y2={yAt(0)} />
          )}
        </g>
      </svg>
      <Text size="xs" c="dimmed" style={{ minHeight: 20 }}>
        {pointed === undefined ? '' : pointedWords(type, pointed, usage, quotas)}
      </Text>
    </div>
  );
}

function Times({ x, bottom }: { x: Scale; bottom: number }) {
  return timeTicks(x, Math.max(2, x.at(x.to) / 110)).map(({ at, text }) => (
    <g key={at} className="grid">
      <line x1={x.at(at)} x2={x.at(at)} y2={bottom} />
      <text x={x.at(at)} y={bottom + 14} textAnchor={x.at(x.to) - x.at(at) < 24 ? 'end' : 'middle'}>
        {text}
      </text>
    </g>
  ));
}

function MarkShape({
  mark: { kind, at, sentence, event },
  x,
  bottom,
}: {
  mark: Mark;
  x: Scale;
  bottom: number;
}) {
  const time = Date.parse(at);
  if (time < x.from) return null;
  const lane = bottom + (lanes.indexOf(kind) + 0.5) * laneHeight;
  const isEnd = event === 'EnforcementEnded';
  return (
    <g className={`mark-${kind}`} data-event={event}>
      {(event === 'QuotaChanged' || event === 'EnforcementStarted') && (
        <line className="since" x1={x.at(time)} x2={x.at(time)} y2={lane} />
      )}
      <rect
        x={x.at(time) - 3.5}
        y={lane - 3.5}
        width={7}
        height={7}
        rx={kind === 'run' ? 0 : 3.5}
        fillOpacity={isEnd ? 0.45 : 1}
      >
        <title>{`${absoluteTime(time)}: ${sentenceText(sentence)}`}</title>
      </rect>
    </g>
  );
}

/** Times with an amount as quota, one after the other; those without a limit are left out. */
function quotaSpans(quotas: readonly { at: number; amount: number | undefined }[], to: number) {
  return quotas.flatMap(({ at, amount }, i) => {
    const until = quotas[i + 1]?.at ?? to;
    return amount === undefined ? [] : [{ at, until, amount }];
  });
}

const last = <T extends { at: number }>(all: readonly T[], at: number) => all.findLast((one) => one.at <= at);

function pointedWords(
  type: string,
  at: number,
  usage: readonly { at: number; amount: number }[],
  quotas: readonly { at: number; amount: number | undefined }[],
): string {
  const used = last(usage, at);
  const quota = last(quotas, at)?.amount;
  return [
    absoluteTime(at),
    quota === undefined ? 'no quota' : `quota ${amountText(type, quota)}`,
    used ? `${amountText(type, used.amount)} used at ${absoluteTime(used.at)}` : 'usage not stated yet',
  ].join(' · ');
}

/** The plot in words. */
function wordsOf(type: string, { quotas, usage }: History): string {
  const amounts = quotas.map(({ max }) =>
    max?.[type] === undefined ? 'no quota' : amountText(type, max[type]),
  );
  const changes = amounts.filter((text, i) => text !== amounts[i - 1]).slice(-8);
  const now = usage.at(-1)?.amounts[type] ?? 0;
  return `${type} over time: quota ${changes.join(', then ')}; ${amountText(type, now)} used now`;
}
