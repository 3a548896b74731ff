import './amount-bar.css';
import type { components } from '#api-client';
import { amountText } from '#contracts';

type Queue = components['schemas']['Queue'];

/** Usage of a resource of a queue beside what is guaranteed, the quota and the one before its last change. What is leaving is set off from the usage. */
export function AmountBar({ type, queue }: { type: string; queue: Queue }) {
  const usage = queue.usage[type] ?? 0;
  const leaving = queue.inFlight[type] ?? 0;
  const guaranteed = queue.guaranteed?.[type];
  const quota = queue.max?.[type];
  const previousQuota = queue.previousMax?.[type];
  const previous = previousQuota === quota ? undefined : previousQuota;
  // Without a quota nothing is full: a full bar would look like one that is used up.
  const room = quota === undefined ? 2 * usage : usage;
  const full = Math.max(room, guaranteed ?? 0, quota ?? 0, previous ?? 0, 1);
  const at = (amount: number) => `${(100 * amount) / full}%`;
  const stays = Math.max(0, usage - leaving);
  const isAbove = quota !== undefined && usage > quota;
  const words = [
    `${amountText(type, usage)} used`,
    ...(leaving > 0 ? [`${amountText(type, leaving)} of it leaving`] : []),
    ...(guaranteed === undefined ? [] : [`${amountText(type, guaranteed)} guaranteed`]),
    quota === undefined ? 'no quota' : `quota ${amountText(type, quota)}${isAbove ? ', exceeded' : ''}`,
    ...(previous === undefined ? [] : [`before ${amountText(type, previous)}`]),
  ].join('; ');
  return (
    <div className="bar" role="img" aria-label={words} title={words}>
      <span style={{ left: 0, width: at(stays), background: isAbove ? 'var(--bad)' : 'var(--usage)' }} />
      {leaving > 0 && <span style={{ left: at(stays), width: at(leaving), background: 'var(--leaving)' }} />}
      {guaranteed !== undefined && (
        <span className="mark" style={{ left: at(guaranteed), background: 'var(--guaranteed)' }} />
      )}
      {previous !== undefined && <span className="mark previous" style={{ left: at(previous) }} />}
      {quota !== undefined && (
        <span className="mark" style={{ left: at(quota), background: 'var(--quota)' }} />
      )}
    </div>
  );
}

/** What the colours of bars mean. */
export function BarLegend() {
  const parts: [string, string][] = [
    ['usage', 'var(--usage)'],
    ['above the quota', 'var(--bad)'],
    ['leaving', 'var(--leaving)'],
    ['guaranteed', 'var(--guaranteed)'],
    ['quota', 'var(--quota)'],
  ];
  return (
    <div className="legend" aria-hidden>
      {parts.map(([name, background]) => (
        <span key={name}>
          <i style={{ background }} />
          {name}
        </span>
      ))}
      <span>
        <i className="previous" />
        previous quota
      </span>
    </div>
  );
}
