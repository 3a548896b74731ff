import { amountText } from '@curtail/contracts';

export interface Measured {
  type: string;
  usage: number;
  leaving: number;
  guaranteed: number | undefined;
  quota: number | undefined;
}

/** Usage of a resource beside what is guaranteed and the quota. What is leaving is hatched off the usage. */
export function AmountBar({ type, usage, leaving, guaranteed, quota }: Measured) {
  const full = Math.max(usage, guaranteed ?? 0, quota ?? 0, 1);
  const at = (amount: number) => `${(100 * amount) / full}%`;
  const stays = Math.max(0, usage - leaving);
  const isAbove = quota !== undefined && usage > quota;
  const words = [
    `${amountText(type, usage)} used`,
    ...(leaving > 0 ? [`${amountText(type, leaving)} of it leaving`] : []),
    ...(guaranteed === undefined ? [] : [`${amountText(type, guaranteed)} guaranteed`]),
    quota === undefined ? 'no quota' : `quota ${amountText(type, quota)}${isAbove ? ', exceeded' : ''}`,
  ].join('; ');
  return (
    <div className="bar" role="img" aria-label={words} title={words}>
      <span style={{ left: 0, width: at(stays), background: isAbove ? 'var(--bad)' : 'var(--usage)' }} />
      {leaving > 0 && <span style={{ left: at(stays), width: at(leaving), background: 'var(--leaving)' }} />}
      {guaranteed !== undefined && (
        <span className="mark" style={{ left: at(guaranteed), background: 'var(--guaranteed)' }} />
      )}
      {quota !== undefined && (
        <span className="mark" style={{ left: at(quota), background: 'var(--quota)' }} />
      )}
    </div>
  );
}
