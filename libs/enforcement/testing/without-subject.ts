import type { DomainEvent } from '#contracts';

/** Codes of the notices and reasons that do not name their subject. */
export function withoutSubject({ name, data }: Pick<DomainEvent, 'name' | 'data'>): string[] {
  const items: readonly { code: string; about?: unknown }[] = [
    ...('code' in data && 'message' in data ? [data] : []),
    ...('notices' in data ? data.notices : []),
    ...('plan' in data ? data.plan.notices : []),
  ];
  return items.flatMap(({ code, about }) => (about === undefined ? [`${name} ${code}`] : []));
}
